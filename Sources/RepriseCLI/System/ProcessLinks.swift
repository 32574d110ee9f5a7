// The links to the helper processes, and the forwarding of signals.

import ChildProcesses
import RepriseHost
import Synchronization

/// The links to the processes that this process was forked from, and the source of its signals.
struct ProcessLinks: Sendable {
  var guardian: GuardianLink?
  var foreground: DetachedLink?
  /// The process in the foreground of the shell, if the run can be left in the background.
  var shell: ForegroundLink?
  var signals: SignalRelay?

  /// Set once, before the command runs.
  static let current = Mutex(ProcessLinks())
}

/// Prepares the process to run steps, and forwards signals to a target.
///
/// - Parameter target: The target of the signals.
func forwardSignals(_ target: some SignalTarget) {
  adoptOrphans()
  ProcessLinks.current.withLock { $0.signals }?.passOn(to: target)
}
