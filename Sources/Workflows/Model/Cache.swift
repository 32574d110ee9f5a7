// The `cache` rule of a step.

import Paths

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
  /// The path of a file in which the step lists further input files, as compilers and `make` do.
  public var dependencyFile: String?

  /// Creates a rule.
  public init(
    inputs: [String] = [], outputs: [String] = [], key: Template? = nil, maxAge: Duration? = nil,
    dependencyFile: String? = nil
  ) {
    self.dependencyFile = dependencyFile
    self.maxAge = maxAge
    self.inputs = inputs
    self.outputs = outputs
    self.key = key
  }
}

extension CacheRule {
  /// The patterns of the files that the step must make.
  package var expected: [String] {
    outputs + [dependencyFile].compactMap { $0.map(GlobParser.escaping) }
  }
}
