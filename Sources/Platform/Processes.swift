// Processes and users by their ids: this process, signals to others, the ends of children.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The id of this process; another one after a fork.
package var processID: Int32 { getpid() }

/// The id of the process that this one is a child of.
package var parentProcessID: Int32 { getppid() }

/// The id of the user with whose rights this process runs.
package var effectiveUserID: UInt32 { geteuid() }

/// Whether there is a process of an id, ended or not, also of another user.
package func processExists(_ process: Int32) -> Bool {
  kill(process, 0) == 0 || errno != ESRCH
}

/// Sends a signal; nothing happens where there is no such process.
///
/// - Parameters:
///   - number: The number of the signal.
///   - process: The id of a process, or the negated id of a process group.
package func sendSignal(_ number: Int32, to process: Int32) {
  _ = kill(process, number)
}

/// Has this process sent SIGALRM after some seconds.
package func setAlarm(seconds: UInt32) {
  _ = alarm(seconds)
}

/// Makes this process the leader of a session of its own, without a terminal.
package func startSession() {
  _ = setsid()
}

/// Ends this process at once, with nothing written that is held back.
package func exitAtOnce(_ status: Int32) -> Never {
  _exit(status)
}

/// Reaps a child that has ended.
package func reapChild(_ process: Int32) {
  var status: Int32 = 0
  while unsafe waitpid(process, &status, WNOHANG) == -1 && errno == EINTR {}
}

/// What a wait for children may do, as waitpid(2) has it.
package enum WaitOption {
  /// Return at once when there is no news.
  package static let withoutWaiting = WNOHANG
  /// Report children that have been stopped as well.
  package static let stopped = WUNTRACED
}
