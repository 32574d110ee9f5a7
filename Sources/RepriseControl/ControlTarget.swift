// The protocol of objects that a control socket controls: a live run, or a watch.

package import Reprise

/// A live run or a watch that can be controlled and observed through a control socket.
///
/// Members are called on any thread and must not block.
package protocol ControlTarget: Sendable {
  /// Intervenes in the run.
  ///
  /// - Parameters:
  ///   - intervention: The request.
  ///   - requester: Who makes it.
  ///   - answer: Called once, on any thread, when the request is accepted or refused.
  func perform(
    _ intervention: Intervention, by requester: Requester,
    answer: @escaping @Sendable (ControlReply) -> Void)
  /// Reads the workflow file again, and restarts the run with it.
  ///
  /// - Parameters:
  ///   - options: What to run again.
  ///   - requester: Who makes the request.
  ///   - answer: Called once, on any thread, when the reload is accepted or refused.
  func reload(
    _ options: ReloadOptions, by requester: Requester,
    answer: @escaping @Sendable (ControlReply) -> Void)
  /// The events of the run, beginning with a replay up to the current state; before it starts, why there
  /// are none.
  var controlEvents: Result<RunEvents, InterventionRefusal> { get }
  /// The number of the first signal that asked to stop the run, if any.
  var stopSignal: Int32? { get }
  /// Starts a run of a watched workflow.
  ///
  /// - Parameters:
  ///   - parameters: The parameter values, as text, by name.
  ///   - waits: Whether the answer waits until a run handles the event.
  ///   - runs: The runs in whose steps the client runs.
  ///   - answer: Called once, on any thread, when the event is on disk or handled, or refused.
  func trigger(
    parameters: [String: String], waits: Bool, within runs: [String],
    answer: @escaping @Sendable (ControlReply) -> Void)
  /// The status of the watch; nil if the target is not a watch.
  var watchStatus: WatchStatus? { get }
}

extension ControlTarget {
  /// Refuses: only a watch can be triggered.
  package func trigger(
    parameters: [String: String], waits: Bool, within runs: [String],
    answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    answer(.refused("this is a run, not a watch"))
  }

  /// Refuses: only a run that was started from a file can be reloaded.
  package func reload(
    _ options: ReloadOptions, by requester: Requester,
    answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    answer(.refused("there is no workflow file to read again"))
  }

  /// Nil by default: only the command of a run receives signals.
  package var stopSignal: Int32? { nil }

  /// Nil by default: a run is not a watch.
  package var watchStatus: WatchStatus? { nil }
}

extension ControlTarget {
  /// Performs a request.
  ///
  /// - Parameters:
  ///   - request: Any request except `attach`, which the connection handles.
  ///   - process: The id of the process that makes the request, if it is known.
  ///   - answer: Called once, on any thread.
  package func carryOut(
    _ request: ControlRequest, of process: Int?,
    answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    switch request {
    case .run(let intervention, let requester):
      perform(intervention, by: requester.naming(process: process), answer: answer)
    case .reload(let options, let requester):
      reload(options, by: requester.naming(process: process), answer: answer)
    case .trigger(let parameters, let waits, let runs):
      trigger(parameters: parameters, waits: waits, within: runs, answer: answer)
    case .status:
      answer(
        watchStatus.map(ControlReply.status)
          ?? .refused("this is a run, not a watch"))
    case .attach: preconditionFailure("BUG: the connection handles attach")
    }
  }
}

extension Run: ControlTarget {
  /// Intervenes in the run.
  package func perform(
    _ intervention: Intervention, by requester: Requester,
    answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    perform(intervention, by: requester, onAnswer: { answer(ControlReply($0)) })
  }

  /// The events of the run.
  package var controlEvents: Result<RunEvents, InterventionRefusal> { .success(events) }
}
