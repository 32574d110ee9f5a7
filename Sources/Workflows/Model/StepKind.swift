// The protocol of step kinds.

/// A kind of step, with the declaration of what it does.
package protocol StepKind: Sendable, Equatable {
  /// The lines that describe the step to users.
  var shown: [String] { get }
  /// The lines of its declaration; a finished step whose lines differ has changed.
  var declared: [String] { get }
  /// The templates of the step.
  var templates: [Template] { get }
  /// Whether the step starts a program, and not Swift code.
  var startsProgram: Bool { get }
  /// Whether a run expands the step to several.
  var isExpanded: Bool { get }
  /// Whether the step is a service.
  var isService: Bool { get }

  /// Computes the action, with all expressions evaluated, just before the step starts.
  ///
  /// - Throws: ``ResolutionError`` for the first value that cannot be computed.
  func resolved(_ source: StepSource) throws(ResolutionError) -> ResolvedStep.Action
}

extension StepKind {
  package var declared: [String] { [] }
  package var templates: [Template] { [] }
  package var startsProgram: Bool { false }
  package var isExpanded: Bool { false }
  package var isService: Bool { false }

  fileprivate func isEqual(to other: any StepKind) -> Bool { other as? Self == self }
}

extension Workflow.Step {
  /// The action of a step.
  package struct Action: Sendable, Equatable {
    package let kind: any StepKind

    /// Whether the step is a service, which runs until no step needs it any more.
    package var isService: Bool { kind.isService }

    package init(_ kind: any StepKind) {
      self.kind = kind
    }

    /// Returns whether the action is of a kind; much faster than a cast, and asked several times for each
    /// step of a run.
    package func hasKind(_ type: any StepKind.Type) -> Bool { Swift.type(of: kind) == type }

    /// Returns whether two actions have the same kind and the same declaration.
    package static func == (left: Action, right: Action) -> Bool {
      left.kind.isEqual(to: right.kind)
    }
  }
}
