// `RunnerPlace`: the runner that an attempt was given to.

/// The runner that an attempt was given to, and the token by which it is found there.
public struct RunnerPlace: Sendable, Equatable {
  /// The name of the runner.
  public var runner: String
  /// The token of the attempt.
  public var token: String
  /// Whether the attempt goes on when its engine has died, so that the next one adopts it.
  public var survives: Bool
  /// The number of its job there, by which a user finds it; nil if it has none, or none yet.
  public var job: String?
  /// What the attempt asks for there, by setting, such as `memory`; empty if nothing.
  public var asked: [String: String]

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - runner: The name of the runner.
  ///   - token: The token of the attempt.
  ///   - survives: Whether the attempt goes on when its engine has died.
  ///   - job: The number of its job there.
  ///   - asked: What the attempt asks for there, by setting.
  public init(
    runner: String, token: String, survives: Bool = false, job: String? = nil,
    asked: [String: String] = [:]
  ) {
    self.job = job
    self.asked = asked
    self.runner = runner
    self.token = token
    self.survives = survives
  }

  /// The name with the job, for displays.
  package var title: String { job.map { "\(runner) (job \($0))" } ?? runner }
}
