// What steers a run from outside: signals, keys, other terminals. They may come before the run begins,
// while it waits for its turn.

import Platform
import Reprise
import RepriseControl
import RepriseJournal
import Synchronization

/// Passes on what is asked of a run, and notes what is asked before there is one.
final class Steering: ControlTarget, SignalTarget {
  private struct State {
    var run: Run?
    var recorded: RecordedRun?
    var isCancelled = false
    /// The signal that first asked for the end.
    var stopSignal: Int32?
  }

  private let state = Mutex(State())

  /// Whether the end was asked for, so that nothing needs to begin.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The signal that first asked for the end, if one did.
  var stopSignal: Int32? { state.withLock { $0.stopSignal } }

  /// The run that is steered; nil before it has begun.
  var run: Run? { state.withLock { $0.run } }

  /// Whether the run has ended, so that nothing can be asked of it any more.
  var isOver: Bool {
    if case .ended? = run?.state.phase { true } else { false }
  }

  /// Steers a run from now on.
  func begin(_ run: Run) {
    let isCancelled = state.withLock { state in
      state.run = run
      return state.isCancelled
    }
    if isCancelled { run.cancel() }
  }

  /// Notes who records the run.
  func isRecorded(by recorded: RecordedRun) {
    state.withLock { $0.recorded = recorded }
  }

  /// Has nothing recorded any more: this process is being killed.
  func freeze() {
    state.withLock { $0.recorded }?.freeze()
  }

  /// Carries out what a signal means: SIGUSR1 restarts, the others cancel, and a second one kills.
  func receive(_ signal: Int32) {
    guard signal != SignalNumber.user1 else {
      restart()
      return
    }
    let isFirst = note(signal)
    guard let run = state.withLock({ $0.run }) else { return }
    // A terminal that closes sends SIGHUP twice, once through the shell, and ends the output as well: that
    // is no second request.
    guard signal != SignalNumber.hangUp else { return run.cancel() }
    // The key `c` may have been the first request.
    if case .cancelling = run.state.phase { return run.kill() }
    isFirst ? run.cancel() : run.kill()
  }

  /// Ends the run because nobody reads its output any more.
  func outputClosed() {
    note(SignalNumber.pipe)
    state.withLock { $0.run }?.cancel()
  }

  /// Notes a signal that asks for the end.
  ///
  /// - Returns: Whether it is the first one.
  @discardableResult
  private func note(_ signal: Int32) -> Bool {
    state.withLock { state in
      defer { state.stopSignal = state.stopSignal ?? signal }
      state.isCancelled = true
      return state.stopSignal == nil
    }
  }

  func restart() {
    state.withLock { $0.run }?.restart()
  }

  // MARK: Requests from other terminals

  func restart(from step: String?) -> ControlReply {
    guard let run = state.withLock({ $0.run }) else {
      return .refused("the run waits for another one of its group; nothing is to be restarted yet")
    }
    return run.restart(from: step)
  }

  func cancel(now: Bool) {
    let run = state.withLock { state in
      state.isCancelled = true
      return state.run
    }
    run?.cancel(now: now)
  }

  func decide(on step: String, isApproved: Bool) -> ControlReply {
    guard let run = state.withLock({ $0.run }) else {
      return .refused("the run waits for another one of its group; no step waits for approval yet")
    }
    return run.decide(on: step, isApproved: isApproved)
  }

  var controlEvents: RunEvents? { state.withLock { $0.run }?.events }
}
