// The links to the helper processes, and the forwarding of signals.

import ChildProcesses
import Platform
import Reprise
import RepriseHost
import RepriseTerminal
import Synchronization

/// The links to the processes that this process was forked from, and the source of its signals.
struct ProcessLinks: Sendable {
  var guardian: GuardianLink?
  var foreground: DetachedLink?
  /// The process in the foreground of the shell, if the run can be left in the background.
  var shell: ForegroundLink?
  var signals: SignalRelay?
  /// What this process is asked for, if it is the engine in a job that `--submit` has submitted.
  var order: EngineOrder?

  /// Set once, before the command runs.
  static let current = Mutex(none())

  /// Not inlined, so that it is called at run time: Swift 6.3 lays out a constant of this type wrongly in
  /// release builds, where the links were not nil, and a run printed nothing.
  @inline(never) private static func none() -> ProcessLinks { ProcessLinks() }

  /// The id of a run that this process begins, which may have been printed when its job was submitted.
  static var idOfNewRun: RunID { current.withLock { $0.order }?.run ?? RunID() }
}

/// Prepares the process to run steps, and forwards signals to a target.
///
/// - Parameter target: The target of the signals.
func forwardSignals(_ target: some SignalTarget) {
  adoptOrphans()
  let (signals, order) = ProcessLinks.current.withLock { ($0.signals, $0.order) }
  if let order {
    signals?.passOn(to: JobSignals(order: order, target: target))
  } else {
    signals?.passOn(to: target)
  }
}

/// The signals of an engine in a job: they come from its scheduler, unless a person cancels the run.
private struct JobSignals<Target: SignalTarget>: SignalTarget {
  let order: EngineOrder
  let target: Target

  func receive(_ signal: Int32) {
    guard !order.isCancelled else { return target.receive(signal) }
    // The job ends soon, and not because the run is not wanted any more: it can be resumed, and its jobs
    // on other machines go on.
    target.freeze()
    printError("the scheduler ends the job of the engine")
    sendSignal(SignalNumber.kill, to: processID)
  }

  func freeze() { target.freeze() }
}
