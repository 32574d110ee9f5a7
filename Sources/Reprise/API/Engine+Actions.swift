// The actions of an engine: Swift code that the steps of its workflows can call.

public import WorkflowFiles

extension Engine {
  /// The registered actions, for `Workflow(contentsOf:with:actions:)` and its variants.
  public var actions: ActionCatalog { registry.catalog }

  /// Registers an action; replaces an action of the same name.
  ///
  /// The name must not be empty and must not begin with `#`. This applies to all overloads. A workflow
  /// that calls an action whose result is not `Encodable` is refused.
  ///
  /// - Parameter action: The type of the action.
  public mutating func register<A: Action>(_ action: A.Type) {
    registry.register(A.name, check: checking(A.self, returning: A.Output.self)) { context in
      try StepOutputs(returned: try await context.arguments(as: A.self).perform(in: context))
    }
  }

  /// Registers a closure with typed arguments as an action; replaces an action of the same name.
  ///
  ///     engine.register("upload", taking: Upload.self) { context, upload in … }
  ///
  /// - Parameters:
  ///   - name: The name by which steps call it.
  ///   - arguments: The type into which `with` is decoded.
  ///   - body: Does the work of one attempt; see ``Action/perform(in:)`` for its contract.
  public mutating func register<Arguments: Decodable & Sendable, Output: Encodable & Sendable>(
    _ name: String, taking arguments: Arguments.Type,
    _ body: @escaping @Sendable (StepContext, Arguments) async throws -> Output
  ) {
    registry.register(name, check: checking(Arguments.self)) { context in
      try StepOutputs(
        encoding: try await body(context, try context.arguments(as: Arguments.self)))
    }
  }

  /// Registers a closure with typed arguments as an action that has no outputs.
  ///
  /// - Parameters:
  ///   - name: The name by which steps call it.
  ///   - arguments: The type into which `with` is decoded.
  ///   - body: Does the work of one attempt. A workflow that calls an action whose result is not
  ///     `Encodable` is refused.
  public mutating func register<Arguments: Decodable & Sendable, Output: Sendable>(
    _ name: String, taking arguments: Arguments.Type,
    _ body: @escaping @Sendable (StepContext, Arguments) async throws -> Output
  ) {
    registry.register(name, check: checking(Arguments.self, returning: Output.self)) { context in
      try StepOutputs(
        returned: try await body(context, try context.arguments(as: Arguments.self)))
    }
  }

  /// Registers a closure as an action that reads its arguments from ``StepContext/arguments``.
  ///
  /// - Parameters:
  ///   - name: The name by which steps call it.
  ///   - body: Does the work of one attempt.
  public mutating func register<Output: Encodable & Sendable>(
    _ name: String, _ body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    registry.register(name, check: Self.anything) { context in
      try StepOutputs(encoding: try await body(context))
    }
  }

  /// Registers a closure as an action that has no outputs.
  ///
  /// - Parameters:
  ///   - name: The name by which steps call it.
  ///   - body: Does the work of one attempt. A workflow that calls an action whose result is not
  ///     `Encodable` is refused.
  public mutating func register<Output: Sendable>(
    _ name: String, _ body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    let problem = Value.problem(ofResults: Output.self)
    let check: ActionCatalog.Check = { _ throws(ArgumentError) in
      if let problem { throw ArgumentError([], problem) }
    }
    registry.register(name, check: check) { context in
      try StepOutputs(returned: try await body(context))
    }
  }

  /// Registers a kind of runner, which steps choose with `runner`; replaces one of the same name.
  ///
  /// - Parameter kind: The type of the runner.
  public mutating func register<R: RunnerKind>(_ kind: R.Type) {
    registry.catalog.offer(runner: kind.name, check: checking(R.self))
    runners.register(kind)
  }

  /// Returns what is missing for a runner, on this machine and where steps would run.
  ///
  /// May take seconds, since it asks other programs and machines.
  ///
  /// - Parameter runner: A runner of a workflow.
  /// - Returns: The problems, in sentences; empty if it can be used.
  public func problems(of runner: RunnerChoice) async -> [String] {
    await runners.problems(of: runner, executor)
  }

  /// Where attempts that run elsewhere are kept, and the program that serves them; for
  /// ``RunnerKind``.
  public var surroundings: RunnerSurroundings {
    get { runners.surroundings }
    set { runners.surroundings = newValue }
  }

  /// Reads a workflow from a file and checks its calls against the actions of this engine.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - arguments: The parameter values and the trigger of the run.
  /// - Returns: The workflow.
  /// - Throws: ``WorkflowError`` with every error in the file.
  public func workflow(
    contentsOf path: String, with arguments: Arguments = Arguments()
  ) throws(WorkflowError) -> Workflow {
    try Workflow(contentsOf: path, with: arguments, actions: actions)
  }

  private static var anything: ActionCatalog.Check { { _ in } }

  private func checking<Arguments: Decodable & SendableMetatype, Output>(
    _ type: Arguments.Type, returning output: Output.Type = Void.self
  ) -> ActionCatalog.Check {
    let problem = Value.problem(ofResults: output)
    return { arguments throws(ArgumentError) in
      if let problem { throw ArgumentError([], problem) }
      _ = try Arguments.decoded(from: arguments)
    }
  }
}
