// The `cache` rule of a step.

import Paths

/// A rule that decides whether a step must run again.
package struct CacheRule: Sendable, Equatable {
  /// The input files, as patterns relative to the step's working directory.
  package var inputs: [String]
  /// The output files, as patterns relative to the step's working directory.
  package var outputs: [String]
  /// An additional value on which the step depends.
  package var key: Template?
  /// The maximum time since the step last succeeded; unlimited if nil.
  package var maxAge: Duration?
  /// The path of a file in which the step lists further input files, as compilers and `make` do.
  package var dependencyFile: String?
  /// What is learnt by watching which files it uses; nil for nothing.
  package var learning: LearningRule?

  /// Creates a rule.
  package init(
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

/// What is learnt of a step by watching it.
package struct LearningRule: Sendable, Equatable {
  /// Whether programs and libraries outside of the project count by their contents, not by their size,
  /// time and inode.
  package var readsSystem = false
  /// Patterns of files that it does not depend on and does not make, relative to the project.
  package var ignored: [String] = []
  /// Whether it depends on the variables that it inherits.
  package var readsEnvironment = true
  /// Whether it depends on where the project is.
  package var readsPath = true

  package init() {}
}

extension CacheRule {
  /// Creates the rule of `cache: auto`.
  package static var auto: CacheRule {
    var rule = CacheRule()
    rule.learning = LearningRule()
    return rule
  }

  /// What is learnt, for a rule that learns.
  package var learnt: LearningRule {
    get { learning ?? LearningRule() }
    set { if learning != nil { learning = newValue } }
  }

  /// The patterns of the files that the step must make.
  package var expected: [String] {
    outputs + [dependencyFile].compactMap { $0.map(GlobParser.escaping) }
  }
}
