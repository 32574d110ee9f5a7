// `RunPhase`: the phase of a run as a whole.

/// The phase of a run.
public enum RunPhase: Sendable, Equatable {
  /// There is no event yet.
  case notStarted
  /// Steps are running, or waiting for other steps.
  case running
  /// A restart was requested; it waits until the steps being stopped are gone.
  case restarting
  /// The run is being cancelled, for this cause.
  case cancelling(CancellationCause)
  /// The run has ended, with this outcome.
  case ended(RunOutcome)

  /// Whether the run has started and not ended.
  public var isActive: Bool {
    switch self {
    case .notStarted, .ended: false
    case .running, .restarting, .cancelling: true
    }
  }
}
