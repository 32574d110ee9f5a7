// Steps that are Swift closures.

public import WorkflowFiles

/// The closure of a step.
final class ClosureWork: Sendable {
  let body: ActionRegistry.Body

  init(_ body: @escaping ActionRegistry.Body) {
    self.body = body
  }
}

extension InProcessWork {
  /// Wraps a closure whose result may not be `Encodable`; then it never runs, so that it has no effect
  /// whose result is lost.
  init<Output: Sendable>(
    returning type: Output.Type,
    _ body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    let problem = Value.problem(ofResults: type)
    self.init(
      ClosureWork { context in
        if let problem { throw FailureReason.badValue(problem.message) }
        return try StepOutputs(returned: try await body(context))
      }, problem: problem)
  }
}

extension InProcessWork {
  /// Creates work that never runs, because its result is `Encodable` on one actor only: it could not be
  /// encoded where steps run.
  init<Output>(isolated type: Output.Type) {
    let problem = Diagnostic.Cause(
      "R0810",
      "a result of \(type) cannot be encoded outside of its actor, so no other step could read it"
    )
    .hint("declare \(type) \"nonisolated\"")
    self.init(
      ClosureWork { _ in throw FailureReason.badValue(problem.message) }, problem: problem)
  }
}

extension Step {
  /// Creates a step that runs a Swift closure and outputs what the closure returns.
  ///
  ///     Step("version") { context in
  ///       Version(major: 1, minor: 2)
  ///     }
  ///     Step("tag") { context in
  ///       let version = try context.input("version", as: Version.self)
  ///       …
  ///     }
  ///
  /// - Parameters:
  ///   - id: The name of the step, unique in its workflow.
  ///   - settings: Its settings.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  ///   - body: Performs one attempt. Its result is the output for later steps: a map becomes named
  ///     outputs, any other value the output `value`. When its task is cancelled, it must finish
  ///     soon by throwing `CancellationError`.
  public init<Output: Encodable & Sendable>(
    _ id: String, _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line,
    perform body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    let work = ClosureWork { try StepOutputs(encoding: try await body($0)) }
    self.init(id, work: InProcessWork(work), settings, file: file, line: line)
  }

  /// Creates a step that runs a Swift closure without a result.
  ///
  /// - Parameters:
  ///   - id: The name of the step, unique in its workflow.
  ///   - settings: Its settings.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  ///   - body: Performs one attempt. When its task is cancelled, it must finish soon by throwing
  ///     `CancellationError`. A result that is not `Encodable` is an error of the declaration, because
  ///     no other step could read it.
  @_disfavoredOverload
  public init<Output: Sendable>(
    _ id: String, _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line,
    perform body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    // Not restricted to `Void`: the compiler would convert a closure with a result that is not
    // `Encodable` to a closure that returns `Void`, and its value would be lost.
    let work = InProcessWork(returning: Output.self, body)
    self.init(id, work: work, settings, file: file, line: line)
  }

  /// Refuses a closure whose result is `Encodable` on one actor only.
  ///
  /// Where declarations are isolated to the main actor by default, a type is unless it is
  /// `nonisolated`. Steps run elsewhere, so its values could not be encoded after the work. The
  /// compiler warns, and the declaration of the workflow is an error.
  ///
  /// - Parameters:
  ///   - id: The name of the step.
  ///   - settings: Its settings.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  ///   - body: Never called.
  @available(
    *, deprecated,
    message: "the result is Encodable on one actor only: declare its type nonisolated"
  )
  public init<Output: Encodable>(
    _ id: String, _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line,
    perform body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    self.init(id, work: InProcessWork(isolated: Output.self), settings, file: file, line: line)
  }
}
