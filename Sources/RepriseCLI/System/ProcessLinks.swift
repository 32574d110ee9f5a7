// What this process has been split from, and who hears its signals.

import ChildProcesses
import RepriseHost
import Synchronization

/// What the process has been split from.
struct ProcessLinks: Sendable {
  var guardian: GuardianLink?
  var foreground: DetachedLink?
  var signals: SignalRelay?

  /// Set once, before the command runs.
  static let current = Mutex(ProcessLinks())
}

/// Readies the process for steps, and has signals passed on.
///
/// - Parameter target: What they are passed on to.
func hearSignals(_ target: some SignalTarget) {
  adoptOrphans()
  ProcessLinks.current.withLock { $0.signals }?.passOn(to: target)
}
