// The actions of an engine: what the steps of its workflows may call.

public import WorkflowLanguage

extension Engine {
  /// What steps may call: for `Workflow(contentsOf:with:actions:)` and the like.
  public var actions: ActionCatalog { registry.catalog }

  /// Registers an action; one of the same name is replaced.
  ///
  /// Its name is not empty and does not begin with `#`; the same goes for the other forms.
  ///
  /// - Parameter action: The type of the action.
  public mutating func register<A: Action>(_ action: A.Type) {
    registry.register(A.name, check: checking(A.self)) { context in
      try StepOutputs(encoding: try await context.arguments(as: A.self).perform(in: context))
    }
  }

  /// Registers a closure as an action, with the type of its arguments; one of the same name is replaced.
  ///
  ///     engine.register("upload", taking: Upload.self) { context, upload in … }
  ///
  /// - Parameters:
  ///   - name: The name under which steps call it.
  ///   - arguments: What `with` is decoded into.
  ///   - body: Does the work of one attempt, under the rules of ``Action/perform(in:)``.
  public mutating func register<Arguments: Decodable & Sendable, Output: Encodable & Sendable>(
    _ name: String, taking arguments: Arguments.Type,
    _ body: @escaping @Sendable (StepContext, Arguments) async throws -> Output
  ) {
    registry.register(name, check: checking(Arguments.self)) { context in
      try StepOutputs(
        encoding: try await body(context, try context.arguments(as: Arguments.self)))
    }
  }

  /// Registers a closure as an action that returns nothing.
  ///
  /// - Parameters:
  ///   - name: The name under which steps call it.
  ///   - arguments: What `with` is decoded into.
  ///   - body: Does the work of one attempt. If it returns a value that cannot be encoded, the step fails.
  public mutating func register<Arguments: Decodable & Sendable, Output: Sendable>(
    _ name: String, taking arguments: Arguments.Type,
    _ body: @escaping @Sendable (StepContext, Arguments) async throws -> Output
  ) {
    registry.register(name, check: checking(Arguments.self)) { context in
      try StepOutputs(
        returned: try await body(context, try context.arguments(as: Arguments.self)))
    }
  }

  /// Registers a closure as an action that takes what it is given as it comes, from ``StepContext/arguments``.
  ///
  /// - Parameters:
  ///   - name: The name under which steps call it.
  ///   - body: Does the work of one attempt.
  public mutating func register<Output: Encodable & Sendable>(
    _ name: String, _ body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    registry.register(name, check: Self.anything) { context in
      try StepOutputs(encoding: try await body(context))
    }
  }

  /// Registers a closure as an action that returns nothing.
  ///
  /// - Parameters:
  ///   - name: The name under which steps call it.
  ///   - body: Does the work of one attempt. If it returns a value that cannot be encoded, the step fails.
  public mutating func register<Output: Sendable>(
    _ name: String, _ body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    registry.register(name, check: Self.anything) { context in
      try StepOutputs(returned: try await body(context))
    }
  }

  /// Reads a workflow from a file, with what it calls checked against the actions of this engine.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - arguments: What the run is given.
  /// - Returns: The workflow.
  /// - Throws: ``WorkflowError`` with every mistake of the file.
  public func workflow(
    contentsOf path: String, with arguments: Arguments = Arguments()
  ) throws(WorkflowError) -> Workflow {
    try Workflow(contentsOf: path, with: arguments, actions: actions)
  }

  private static var anything: ActionCatalog.Check { { _ in } }

  private func checking<Arguments: Decodable & SendableMetatype>(
    _ type: Arguments.Type
  ) -> ActionCatalog.Check {
    { arguments throws(ArgumentMistake) in _ = try Arguments.decoded(from: arguments) }
  }
}
