// Where an attempt of a step runs, for steps with a runner.

/// The runner that an attempt was given to, and the token by which it is found there.
public struct RunnerPlace: Sendable, Equatable {
  /// The name of the runner.
  public var runner: String
  /// The token of the attempt.
  public var token: String
  /// Whether the attempt goes on when its engine has died, so that the next one adopts it.
  public var survives: Bool

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - runner: The name of the runner.
  ///   - token: The token of the attempt.
  ///   - survives: Whether the attempt goes on when its engine has died.
  public init(runner: String, token: String, survives: Bool = false) {
    self.runner = runner
    self.token = token
    self.survives = survives
  }
}

/// Where the current or last attempt of a step runs.
public struct StepPlacement: Sendable, Equatable {
  /// The runner and the token.
  public internal(set) var place: RunnerPlace
  /// The reason that it waits there, which may be empty; nil once it has started.
  public internal(set) var queuedBecause: String?
  /// The machine that it runs on; nil until it has started, or if the runner does not say.
  public internal(set) var host: String?
  /// The reason that nothing can be said about it for now; nil while it is in sight.
  public internal(set) var outOfSightBecause: String?
  /// The time at which it was given to the runner.
  public internal(set) var queuedAt: Timestamp
}
