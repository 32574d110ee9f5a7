// When a step is up to date: the rule as a file states it. Knows no files and no hashes.

/// What decides whether a step has to be run again.
public struct CacheRule: Sendable, Equatable {
  /// The files that it reads, as patterns relative to where it runs.
  public var inputs: [String]
  /// The files that it makes, as patterns relative to where it runs.
  public var outputs: [String]
  /// What else it depends on.
  public var key: Template?

  /// States a rule.
  public init(inputs: [String] = [], outputs: [String] = [], key: Template? = nil) {
    self.inputs = inputs
    self.outputs = outputs
    self.key = key
  }
}
