// Signal numbers and the signal actions of this process.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The numbers of the signals.
package enum SignalNumber {
  package static let hangUp = SIGHUP
  package static let interrupt = SIGINT
  package static let quit = SIGQUIT
  package static let kill = SIGKILL
  package static let user1 = SIGUSR1
  package static let user2 = SIGUSR2
  package static let pipe = SIGPIPE
  package static let alarm = SIGALRM
  package static let terminate = SIGTERM
  package static let child = SIGCHLD
  package static let resume = SIGCONT
  package static let stop = SIGSTOP
  package static let terminalStop = SIGTSTP
  package static let windowChange = SIGWINCH
}

/// Catches a signal with a handler that does nothing, so that a dispatch source can observe it.
///
/// Unlike with ``ignoreSignal(_:)``, programs that this process starts get the default action.
package func catchSignal(_ number: Int32) {
  _ = signal(number) { _ in }
}

/// Ignores a signal, also in the programs that this process starts.
package func ignoreSignal(_ number: Int32) {
  _ = signal(number, SIG_IGN)
}

/// Restores the default action of a signal.
package func restoreSignal(_ number: Int32) {
  _ = signal(number, SIG_DFL)
}

/// Ends or stops this process with the default action of a signal.
package func raiseWithDefaultAction(_ number: Int32) {
  _ = signal(number, SIG_DFL)
  // Unblock the signal on this thread and send it there. Dispatch blocks it on all threads, and
  // would handle a signal to the process as an event of a dispatch source.
  var set = sigset_t()
  _ = unsafe sigemptyset(&set)
  _ = unsafe sigaddset(&set, number)
  _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  _ = raise(number)
}
