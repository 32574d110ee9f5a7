// The entry point for all requests to a run: keys, signals, other terminals and programs. Requests
// may arrive before the run starts, while it waits for its turn.

import Platform
package import Reprise
package import RepriseControl
package import RepriseJournal
package import RepriseTerminal
import Synchronization

/// A target of signals.
package protocol SignalTarget: Sendable {
  /// Handles a signal: SIGUSR1 restarts, others cancel, and a second one kills.
  func receive(_ signal: Int32)
  /// Stops recording, because this process is being killed.
  func freeze()
}

/// Performs requests to a run, and remembers a cancel that arrives before the run starts.
///
/// Thread-safe; no member blocks.
package final class RunControls: ControlTarget, SignalTarget {
  private struct State {
    var run: Run?
    var recorded: RecordedRun?
    var reloader: Reloader?
    /// The first signal that asked to stop.
    var stopSignal: Int32?
    /// Who asked first to cancel.
    var canceller: Requester?
    /// Called when a cancel is requested.
    var onCancel: (@Sendable () -> Void)?
    /// The cancels that are answered when the run begins or is recorded as cancelled.
    var unanswered: [Answer] = []
    /// What became of a run that never begins.
    var end: EndBeforeStart?

    /// The run, or why there is none to ask.
    var runToAsk: Result<Run, InterventionRefusal> {
      if let run { return .success(run) }
      return .failure(
        InterventionRefusal(
          end == nil
            ? "the run has not started: it is waiting for another run of its group"
            : "the run has ended before its first step"))
    }
  }

  /// Called with the result of an intervention.
  typealias Answer = @Sendable (Result<InterventionAnswer, InterventionRefusal>) -> Void

  /// The end of a run that never begins.
  enum EndBeforeStart {
    /// It is recorded as cancelled.
    case cancelled
    /// It can be resumed.
    case interrupted
    /// It cannot begin.
    case failed

    /// The answer to a request to cancel the run.
    var answerToCancel: Result<InterventionAnswer, InterventionRefusal> {
      switch self {
      case .cancelled: .success(InterventionAnswer("the run is cancelled before its start"))
      case .interrupted:
        .failure(
          InterventionRefusal("the run was interrupted before its start, and can be resumed"))
      case .failed: .failure(InterventionRefusal("the run has ended"))
      }
    }
  }

  private let state = Mutex(State())

  /// Creates controls for a run that has not started.
  package init() {}

  /// Whether a cancel was requested, so that the run must not start.
  package var isCancelled: Bool { state.withLock { $0.canceller != nil } }

  /// The first signal that asked to stop, if any.
  package var stopSignal: Int32? { state.withLock { $0.stopSignal } }

  /// The run; nil before it starts.
  package var run: Run? { state.withLock { $0.run } }

  /// Whether the run has ended and accepts no more requests.
  package var isOver: Bool {
    if case .ended? = run?.state.phase { true } else { false }
  }

  // MARK: Before the run

  /// Sets the run to control; cancels it if a cancel was requested before.
  package func begin(_ run: Run) {
    let (canceller, unanswered) = state.withLock { state in
      state.run = run
      state.onCancel = nil
      defer { state.unanswered = [] }
      return (state.canceller, state.unanswered)
    }
    guard let canceller else { return }
    run.perform(.cancel(), by: canceller) { result in
      for answer in unanswered { answer(result) }
    }
  }

  /// Sets what became of the run, which never begins, and answers requests to cancel it.
  ///
  /// Only the first call has an effect.
  func neverBegins(_ end: EndBeforeStart) {
    let unanswered = state.withLock { state -> [Answer] in
      guard state.end == nil else { return [] }
      defer { state.unanswered = [] }
      state.end = end
      return state.unanswered
    }
    for answer in unanswered { answer(end.answerToCancel) }
  }

  /// What became of the run, if it never begins.
  var endBeforeStart: EndBeforeStart? { state.withLock { $0.end } }

  /// Sets the record of the run.
  func setRecorder(_ recorded: RecordedRun) {
    state.withLock { $0.recorded = recorded }
  }

  /// Sets the workflow of the run, whose file can be read again.
  ///
  /// - Parameters:
  ///   - loaded: The workflow.
  ///   - recorded: The record of the run, if any.
  package func setWorkflow(_ loaded: LoadedWorkflow, recorded: RecordedRun? = nil) {
    state.withLock { $0.reloader = Reloader(loaded: loaded, recorded: recorded) }
  }

  /// Calls a closure when a cancel is requested while no step runs; at once if it already was.
  package func onCancel(_ action: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      let isCancelled = state.canceller != nil
      if !isCancelled { state.onCancel = action }
      return isCancelled
    }
    if isCancelled { action() }
  }

  /// Calls a closure at the next request to cancel, even if there were earlier ones.
  func onNextCancel(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.onCancel = action }
  }

  // MARK: Signals and keys

  /// Stops recording, because this process is being killed.
  package func freeze() {
    state.withLock { $0.recorded }?.freeze()
  }

  package func receive(_ signal: Int32) {
    let requester = Requester.signal(signal)
    guard signal != SignalNumber.user1 else {
      return perform(.restart(from: []), by: requester) { _ in }
    }
    let isFirst = recordCancel(by: requester, because: signal)
    // A closing terminal sends SIGHUP after it has closed the output. Do not treat this as a second
    // request.
    end(now: !isFirst && signal != SignalNumber.hangUp, by: requester)
  }

  /// Cancels the run because its output has been closed.
  package func outputClosed() {
    let requester = Requester.signal(SignalNumber.pipe)
    recordCancel(by: requester, because: SignalNumber.pipe)
    end(now: false, by: requester)
  }

  /// Records that a cancel was requested.
  ///
  /// - Returns: Whether this is the first request.
  @discardableResult
  private func recordCancel(by requester: Requester, because signal: Int32? = nil) -> Bool {
    let (isFirst, action) = state.withLock { state in
      defer {
        state.stopSignal = state.stopSignal ?? signal
        state.canceller = state.canceller ?? requester
        state.onCancel = nil
      }
      return (state.canceller == nil, state.onCancel)
    }
    action?()
    return isFirst
  }

  private func end(now: Bool, by requester: Requester) {
    run?.perform(.cancel(steps: [], now: now), by: requester, onAnswer: { _ in })
  }

  /// Restarts the run from the top.
  package func restart() {
    run?.restart()
  }

  /// The actions of the keys of a display.
  package var keys: DisplayControls {
    var keys = DisplayControls(outputClosed: { self.outputClosed() })
    keys.request = { intervention, key in
      await withCheckedContinuation { continuation in
        self.perform(intervention, by: Requester(.key, name: key)) {
          continuation.resume(returning: ($0.text, $0.isAccepted))
        }
      }
    }
    keys.reload = { isDryRun in
      await withCheckedContinuation { continuation in
        self.reload(
          ReloadOptions(changedOnly: true, isDryRun: isDryRun), by: Requester(.key, name: "u")
        ) {
          continuation.resume(returning: ($0.text, $0.concernsSteps))
        }
      }
    }
    keys.place = { step in
      guard let loaded = self.state.withLock({ $0.reloader?.loaded }), !loaded.isText else {
        return nil
      }
      return workflowPlace(ofStep: step, in: loaded.path)
    }
    return keys
  }

  // MARK: Requests of other programs

  package func perform(
    _ intervention: Intervention, by requester: Requester,
    answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    request(intervention, by: requester) { answer(ControlReply($0)) }
  }

  /// Intervenes in the run; a run that has not begun can only be cancelled.
  ///
  /// - Parameters:
  ///   - intervention: The request.
  ///   - requester: Who makes it.
  ///   - answer: Called once, on any thread, when the request was refused, or what it has caused is
  ///     recorded: for a run that waits for its turn, its end.
  func request(
    _ intervention: Intervention, by requester: Requester, answer: @escaping Answer
  ) {
    if case .cancel(let steps, _) = intervention, steps.isEmpty {
      recordCancel(by: requester)
      let (isPending, end) = state.withLock { state in
        let isPending = state.run == nil && state.end == nil
        if isPending { state.unanswered.append(answer) }
        return (isPending, state.run == nil ? state.end : nil)
      }
      if isPending { return }
      if let end { return answer(end.answerToCancel) }
    }
    switch state.withLock({ $0.runToAsk }) {
    case .success(let run): run.perform(intervention, by: requester, onAnswer: answer)
    case .failure(let refusal): answer(.failure(refusal))
    }
  }

  package func reload(
    _ options: ReloadOptions, by requester: Requester,
    answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    let (run, reloader) = state.withLock { ($0.runToAsk, $0.reloader) }
    let live: Run
    switch run {
    case .success(let run): live = run
    case .failure(let refusal): return answer(.refused(refusal.description))
    }
    guard let reloader else { return answer(.refused("there is no workflow file to read again")) }
    Task {
      do {
        answer(.accepted(try await reloader.reload(live, options, by: requester)))
      } catch {
        answer(.refused(Problem(error).text.string.withoutErrorPrefix))
      }
    }
  }

  /// Cancels the run; without a grace period if `now` is true.
  package func cancel(now: Bool) {
    perform(.cancel(steps: [], now: now), by: .api) { _ in }
  }

  package var controlEvents: Result<RunEvents, InterventionRefusal> {
    state.withLock { $0.runToAsk }.map(\.events)
  }
}

extension ControlReply {
  /// Whether a request was accepted, and is about at least one step.
  var concernsSteps: Bool {
    if case .accepted(let answer) = self { answer.steps != [] } else { isAccepted }
  }

  /// What happened, or why not, for a person.
  var text: String {
    switch self {
    case .ok, .handled, .status: "done"
    case .accepted(let answer): answer.description
    case .refused(let reason): "error: " + reason
    }
  }
}

extension String {
  /// The text without `error: ` at its start, which the client adds.
  package var withoutErrorPrefix: String {
    let prefix = "error: "
    return hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
