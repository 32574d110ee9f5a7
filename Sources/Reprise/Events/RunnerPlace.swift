// `RunnerPlace`: the runner that an attempt was given to.

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
