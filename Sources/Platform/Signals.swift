// Signals: their numbers, and what this process does when it gets one.

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
  package static let pipe = SIGPIPE
  package static let alarm = SIGALRM
  package static let terminate = SIGTERM
  package static let child = SIGCHLD
  package static let resume = SIGCONT
  package static let stop = SIGSTOP
  package static let terminalStop = SIGTSTP
  package static let windowChange = SIGWINCH
}

/// Has a signal caught and nothing done, so that a dispatch source can see it.
///
/// A program that this process starts gets it with its default action, other than after ``ignoreSignal(_:)``.
package func catchSignal(_ number: Int32) {
  _ = signal(number) { _ in }
}

/// Has a signal ignored, also in the programs that this process starts.
package func ignoreSignal(_ number: Int32) {
  _ = signal(number, SIG_IGN)
}

/// Restores the default action of a signal.
package func restoreSignal(_ number: Int32) {
  _ = signal(number, SIG_DFL)
}

/// Ends or stops this process by a signal, as if it had not been caught.
package func raiseWithDefaultAction(_ number: Int32) {
  _ = signal(number, SIG_DFL)
  // To this thread, which lets it through: Dispatch has it blocked everywhere and would take one that
  // is sent to the process for news of its own.
  var set = sigset_t()
  _ = unsafe sigemptyset(&set)
  _ = unsafe sigaddset(&set, number)
  _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  _ = raise(number)
}
