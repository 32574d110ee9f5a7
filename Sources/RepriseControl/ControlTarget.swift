// The protocol of objects that a control socket controls: a live run, or a watch.

package import Reprise

/// A live run or a watch that can be controlled and observed through a control socket.
///
/// Members are called on any thread and must not block.
package protocol ControlTarget: Sendable {
  /// Restarts the run from the top, or from a step.
  ///
  /// - Parameter step: The id of the step; nil for the top.
  /// - Returns: `ok`, or why the run cannot be restarted.
  func restart(from step: String?) -> ControlReply
  /// Cancels the run; without a grace period if `now` is true.
  func cancel(now: Bool)
  /// Approves or rejects a step that is waiting for approval.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - isApproved: Whether the step is approved.
  /// - Returns: `ok`, or an error if the step is not waiting for approval.
  func decide(on step: String, isApproved: Bool) -> ControlReply
  /// The events of the run, beginning with a replay up to the current state; nil before it starts.
  var controlEvents: RunEvents? { get }
  /// The number of the first signal that asked to stop the run, if any.
  var stopSignal: Int32? { get }
  /// Starts a run of a watched workflow.
  ///
  /// - Parameters:
  ///   - parameters: The parameter values, as text, by name.
  ///   - answer: Called on any thread when the event has been durably accepted, or refused.
  func trigger(
    parameters: [String: String], answer: @escaping @Sendable (ControlReply) -> Void)
  /// The status of the watch; nil if the target is not a watch.
  var watchStatus: WatchStatus? { get }
}

extension ControlTarget {
  /// Refuses: only a watch can be triggered.
  package func trigger(
    parameters: [String: String], answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    answer(.refused("this is a run, not a watch"))
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
  ///   - answer: Called once, on any thread.
  package func carryOut(
    _ request: ControlRequest, answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    switch request {
    case .restart(let from): answer(restart(from: from))
    case .cancel(let now):
      cancel(now: now)
      answer(.ok)
    case .approve(let step, let isApproved): answer(decide(on: step, isApproved: isApproved))
    case .trigger(let parameters): trigger(parameters: parameters, answer: answer)
    case .status:
      answer(
        watchStatus.map(ControlReply.status)
          ?? .refused("this is a run, not a watch"))
    case .attach: preconditionFailure("BUG: the connection handles attach")
    }
  }
}

extension Run: ControlTarget {
  /// Restarts the run from the top, or from a step.
  package func restart(from step: String?) -> ControlReply {
    guard let step else {
      restart()
      return .ok
    }
    do throws(SelectionError) {
      try restart(from: step)
      return .ok
    } catch {
      return .refused(error.description)
    }
  }

  /// Cancels the run, or kills it if `now` is true.
  package func cancel(now: Bool) {
    now ? kill() : cancel()
  }

  /// Approves or rejects a step that is waiting for approval.
  package func decide(on step: String, isApproved: Bool) -> ControlReply {
    do throws(SelectionError) {
      return try answer(step, isApproved: isApproved)
        ? .ok : .refused("step \"\(step)\" is not waiting for approval")
    } catch {
      return .refused(error.description)
    }
  }

  /// The events of the run.
  package var controlEvents: RunEvents? { events }
}
