// The error of an event that does not fit the state.

/// An error thrown for an event that is invalid in the current state.
public struct InvalidTransition: Error, Equatable, CustomStringConvertible {
  /// The invalid event.
  public let event: Event
  /// The phase of the run at that time.
  public let phase: RunPhase
  /// The phase of the event's step at that time; nil if the event is not about a step.
  public let stepPhase: StepPhase?

  /// A human-readable description.
  public var description: String {
    "event \"\(event.kind)\" is invalid while the run is \(phase)"
      + (stepPhase.map { " and the step is \($0.name)" } ?? "")
  }
}
