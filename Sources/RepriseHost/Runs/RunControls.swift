// The one door to a run: keys, signals, other terminals and programs come in here. They may come before
// the run begins, while it waits for its turn.

import Platform
package import Reprise
package import RepriseControl
import RepriseJournal
package import RepriseTerminal
import Synchronization

/// What signals are passed on to.
package protocol SignalTarget: Sendable {
  /// Carries out what a signal means: SIGUSR1 restarts, the others cancel, and a second one kills.
  func receive(_ signal: Int32)
  /// Has nothing recorded any more: this process is being killed.
  func freeze()
}

/// Carries out what is asked of a run, and notes what is asked before there is one.
///
/// All members may be called from any thread, and return at once.
package final class RunControls: ControlTarget, SignalTarget {
  private struct State {
    var run: Run?
    var recorded: RecordedRun?
    /// The signal that first asked for the end.
    var stopSignal: Int32?
    var isCancelled = false
    /// Called once the end is asked for.
    var onCancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Makes controls of a run that has not begun.
  package init() {}

  /// Whether the end was asked for, so that nothing needs to begin.
  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The signal that first asked for the end, if one did.
  package var stopSignal: Int32? { state.withLock { $0.stopSignal } }

  /// The run; nil before it has begun.
  package var run: Run? { state.withLock { $0.run } }

  /// Whether the run has ended, so that nothing can be asked of it any more.
  package var isOver: Bool {
    if case .ended? = run?.state.phase { true } else { false }
  }

  // MARK: Before the run

  /// Controls a run from now on.
  package func begin(_ run: Run) {
    let isCancelled = state.withLock { state in
      state.run = run
      state.onCancel = nil
      return state.isCancelled
    }
    if isCancelled { run.cancel() }
  }

  /// Notes who records the run.
  func isRecorded(by recorded: RecordedRun) {
    state.withLock { $0.recorded = recorded }
  }

  /// Has a closure called once the end is asked for before the run begins; at once if it was.
  func onCancel(_ action: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.onCancel = action }
      return state.isCancelled
    }
    if isCancelled { action() }
  }

  // MARK: Signals and keys

  /// Has nothing recorded any more: this process is being killed.
  package func freeze() {
    state.withLock { $0.recorded }?.freeze()
  }

  package func receive(_ signal: Int32) {
    guard signal != SignalNumber.user1 else {
      restart()
      return
    }
    let isFirst = noteEnd(because: signal)
    // A terminal that closes sends SIGHUP twice, once through the shell, and ends the output as well: that
    // is no second request.
    end(now: !isFirst && signal != SignalNumber.hangUp)
  }

  /// Ends the run because its output is not read any more.
  package func outputClosed() {
    noteEnd(because: SignalNumber.pipe)
    end(now: false)
  }

  /// Notes that the end is asked for.
  ///
  /// - Returns: Whether it is for the first time.
  @discardableResult
  private func noteEnd(because signal: Int32? = nil) -> Bool {
    let (isFirst, action) = state.withLock { state in
      defer {
        state.stopSignal = state.stopSignal ?? signal
        state.isCancelled = true
        state.onCancel = nil
      }
      return (!state.isCancelled, state.onCancel)
    }
    action?()
    return isFirst
  }

  private func end(now: Bool) {
    run.map { now ? $0.kill() : $0.cancel() }
  }

  /// Restarts the run from the top.
  package func restart() {
    run?.restart()
  }

  /// What the keys of a display do.
  package var keys: DisplayControls {
    DisplayControls(
      restart: { self.restart() }, cancel: { self.cancel(now: false) },
      kill: { self.cancel(now: true) },
      approve: { step, isApproved in _ = self.decide(on: step, isApproved: isApproved) },
      outputClosed: { self.outputClosed() })
  }

  // MARK: Requests of other programs

  package func restart(from step: String?) -> ControlReply {
    run?.restart(from: step)
      ?? .refused("the run has not started: it is waiting for another run of its group")
  }

  package func cancel(now: Bool) {
    noteEnd()
    end(now: now)
  }

  package func decide(on step: String, isApproved: Bool) -> ControlReply {
    run?.decide(on: step, isApproved: isApproved)
      ?? .refused("the run has not started: it is waiting for another run of its group")
  }

  package var controlEvents: RunEvents? { run?.events }
}
