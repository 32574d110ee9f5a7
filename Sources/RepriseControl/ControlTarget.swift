// What can be asked of a live run or a watch. Knows nothing of sockets.

package import Reprise

/// What can be steered and seen through a control socket.
///
/// Its members are called from any thread, and return at once.
package protocol ControlTarget: Sendable {
  /// Takes the run again from the top, or from a step.
  ///
  /// - Returns: Whether it will.
  func restart(from step: String?) -> ControlReply
  /// Cancels the run.
  func cancel(now: Bool)
  /// Approves a step that waits for that, or refuses it.
  ///
  /// - Returns: Whether it was waiting.
  func decide(on step: String, isApproved: Bool) -> ControlReply
  /// What happens in the run, beginning with what brings a listener to the present state; nil while it
  /// has not begun.
  var controlEvents: RunEvents? { get }
  /// The number of the signal that first asked for the end of the run; nil when none did.
  var stopSignal: Int32? { get }
  /// Starts a run of a watched workflow.
  ///
  /// - Parameters:
  ///   - parameters: The texts by the names of the parameters.
  ///   - answer: Called, from any thread, when the event has been accepted for good, or refused.
  func trigger(
    parameters: [String: String], answer: @escaping @Sendable (ControlReply) -> Void)
  /// The state of the watch; nil for what is no watch.
  var watchStatus: WatchStatus? { get }
}

extension ControlTarget {
  /// Refuses: a run is not started by events.
  package func trigger(
    parameters: [String: String], answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    answer(.refused("this is a run, and not the watch of a workflow"))
  }

  /// None: what is no process of its own hears no signals.
  package var stopSignal: Int32? { nil }

  /// None: a run is no watch.
  package var watchStatus: WatchStatus? { nil }
}

extension ControlTarget {
  /// Carries out a request.
  ///
  /// - Parameters:
  ///   - request: Anything but `attach`, which the connection itself carries out.
  ///   - answer: Called once, from any thread.
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
          ?? .refused("this is a run, and not the watch of a workflow"))
    case .attach: preconditionFailure("BUG: only a connection can be attached")
    }
  }
}

extension Run: ControlTarget {
  /// Takes the run again.
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

  /// Cancels the run, or kills it.
  package func cancel(now: Bool) {
    now ? kill() : cancel()
  }

  /// Approves a step that waits for that, or refuses it.
  package func decide(on step: String, isApproved: Bool) -> ControlReply {
    do throws(SelectionError) {
      return try answer(step, isApproved: isApproved)
        ? .ok : .refused("the step \"\(step)\" does not wait for approval")
    } catch {
      return .refused(error.description)
    }
  }

  /// The events of the run.
  package var controlEvents: RunEvents? { events }
}
