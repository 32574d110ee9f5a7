// Signals of a process that drives runs, from its first moment on. Knows nothing of runs.

package import ChildProcesses
import Platform
import Synchronization

/// Hears signals, through the guardian where there is one, or else itself.
///
/// As long as there is nothing to pass them on to, while a parameter is asked for or a secret is fetched, a
/// signal that asks for the end ends the process at once; its guardian ends what it has started.
package final class SignalRelay: Sendable {
  private let endProcess: @Sendable (Int32) -> Void
  private let target = Mutex<(any SignalTarget)?>(nil)
  private let listener = Mutex<SignalListener?>(nil)

  /// Begins to hear.
  ///
  /// - Parameters:
  ///   - guardian: What this process has of its guardian.
  ///   - endProcess: Ends the process because of a signal.
  package init(_ guardian: GuardianLink?, endProcess: @escaping @Sendable (Int32) -> Void) {
    self.endProcess = endProcess
    if let guardian {
      guardian.listen(
        onSignal: { [self] in receive($0) },
        onDeath: { [self] in target.withLock { $0 }?.freeze() })
    } else {
      let all = SignalListener.stopping + [SignalNumber.user1]
      let heard = SignalListener(all) { [self] in receive($0) }
      listener.withLock { $0 = heard }
    }
  }

  private func receive(_ signal: Int32) {
    if let target = target.withLock({ $0 }) { return target.receive(signal) }
    if signal != SignalNumber.user1 { endProcess(signal) }
  }

  /// Passes signals on from now on.
  package func passOn(to target: any SignalTarget) {
    self.target.withLock { $0 = target }
  }
}
