// Processes and users by id: this process, signals to other processes, the ends of children.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The id of this process; it changes after a fork.
package var processID: Int32 { getpid() }

/// The id of the parent process.
package var parentProcessID: Int32 { getppid() }

/// The effective user id of this process.
package var effectiveUserID: UInt32 { geteuid() }

/// Returns whether a process exists, including zombies and processes of other users.
package func processExists(_ process: Int32) -> Bool {
  kill(process, 0) == 0 || errno != ESRCH
}

/// Sends a signal; ignores errors.
///
/// - Parameters:
///   - number: The number of the signal.
///   - process: The id of a process, or the negated id of a process group.
package func sendSignal(_ number: Int32, to process: Int32) {
  _ = kill(process, number)
}

/// Makes the system send SIGALRM to this process after some seconds.
package func setAlarm(seconds: UInt32) {
  _ = alarm(seconds)
}

/// Makes this process the leader of a new session, without a terminal.
package func startSession() {
  _ = setsid()
}

/// Returns the id of the session of a process; -1 if it does not exist.
package func sessionID(of process: Int32) -> Int32 { getsid(process) }

/// Ends this process immediately, without flushing output.
package func exitAtOnce(_ status: Int32) -> Never {
  _exit(status)
}

/// Reaps a child that has ended.
package func reapChild(_ process: Int32) {
  var status: Int32 = 0
  while unsafe waitpid(process, &status, WNOHANG) == -1 && errno == EINTR {}
}

/// The options of waitpid(2).
package enum WaitOption {
  /// Return immediately if there is no state change.
  package static let withoutWaiting = WNOHANG
  /// Report stopped children as well.
  package static let stopped = WUNTRACED
  /// Report children as well that were stopped and go on.
  package static let resumed = WCONTINUED
}
