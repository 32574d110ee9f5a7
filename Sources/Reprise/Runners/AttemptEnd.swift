// `AttemptEnd`: what a runner knows of the end of an attempt.

public import Workflows

/// How something else than its program has ended an attempt.
public struct AttemptEnd: Sendable, Equatable {
  /// A sentence for the user, such as `Slurm ended its job: NODE_FAIL`.
  public var text: String
  /// What it was; nil if that is not known.
  public var cause: LossCause?

  /// Creates an end.
  ///
  /// - Parameters:
  ///   - text: A sentence for the user.
  ///   - cause: What it was; nil if that is not known.
  public init(_ text: String, cause: LossCause? = nil) {
    self.text = text
    self.cause = cause
  }
}
