// Signals of a process that drives runs, from its first moment on. Knows nothing of runs.

import ChildProcesses
import Synchronization

/// What signals are passed on to.
protocol SignalTarget: Sendable {
  /// Carries out what a signal means.
  func receive(_ signal: Int32)
  /// Has nothing recorded any more: this process is being killed.
  func freeze()
}

/// Hears signals, through the guardian where there is one, or else itself.
///
/// As long as there is nothing to pass them on to, while a parameter is asked for or a secret is fetched, a
/// signal that asks for the end ends the process at once; its guardian ends what it has started.
final class SignalRelay: Sendable {
  private let target = Mutex<(any SignalTarget)?>(nil)
  private let listener = Mutex<SignalListener?>(nil)

  /// Begins to hear.
  ///
  /// - Parameter guardian: What this process has of its guardian.
  init(_ guardian: GuardianLink?) {
    if let guardian {
      guardian.listen(
        onSignal: { [self] in receive($0) },
        onDeath: { [self] in target.withLock { $0 }?.freeze() })
    } else {
      let all = SignalListener.stopping + [SignalListener.restarting]
      let heard = SignalListener(all) { [self] in receive($0) }
      listener.withLock { $0 = heard }
    }
  }

  private func receive(_ signal: Int32) {
    if let target = target.withLock({ $0 }) { return target.receive(signal) }
    if signal != SignalListener.restarting { endProcess(.stopped(by: signal)) }
  }

  /// Passes signals on from now on.
  func passOn(to target: any SignalTarget) {
    self.target.withLock { $0 = target }
  }
}

/// Readies the process for steps, and has signals passed on.
///
/// - Parameter target: What they are passed on to.
func hearSignals(_ target: some SignalTarget) {
  adoptOrphans()
  ProcessLinks.current.withLock { $0.signals }?.passOn(to: target)
}
