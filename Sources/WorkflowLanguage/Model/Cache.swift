// The `cache` rule of a step.

/// A rule that decides whether a step must run again.
public struct CacheRule: Sendable, Equatable {
  /// The input files, as patterns relative to the step's working directory.
  public var inputs: [String]
  /// The output files, as patterns relative to the step's working directory.
  public var outputs: [String]
  /// An additional value on which the step depends.
  public var key: Template?
  /// The maximum time since the step last succeeded; unlimited if nil.
  public var maxAge: Duration?

  /// Creates a rule.
  public init(
    inputs: [String] = [], outputs: [String] = [], key: Template? = nil, maxAge: Duration? = nil
  ) {
    self.maxAge = maxAge
    self.inputs = inputs
    self.outputs = outputs
    self.key = key
  }
}
