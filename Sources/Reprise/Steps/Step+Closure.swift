// Steps that are Swift closures. Knows nothing of the order in which they run.

public import WorkflowLanguage

/// The closure of a step.
final class ClosureWork: Sendable {
  let body: ActionRegistry.Body

  init(_ body: @escaping ActionRegistry.Body) {
    self.body = body
  }
}

extension Step {
  /// A step that is a Swift closure, and leaves what that returns.
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
  ///   - file: Where it is declared, for messages.
  ///   - line: Where it is declared, for messages.
  ///   - body: Does the work of one attempt. What it returns is what later steps get: a map becomes outputs by
  ///     name, any other value the output `value`. When its task is cancelled it is to end soon, throwing
  ///     `CancellationError`.
  public init<Output: Encodable & Sendable>(
    _ id: String, _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line,
    perform body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    let work = ClosureWork { try StepOutputs(encoding: try await body($0)) }
    self.init(id, work: InProcessWork(work), settings, file: file, line: line)
  }

  /// A step that is a Swift closure and returns nothing.
  ///
  /// - Parameters:
  ///   - id: The name of the step, unique in its workflow.
  ///   - settings: Its settings.
  ///   - file: Where it is declared, for messages.
  ///   - line: Where it is declared, for messages.
  ///   - body: Does the work of one attempt. When its task is cancelled it must end soon, throwing
  ///     `CancellationError`. If it returns a value that cannot be encoded, the step fails: no other step
  ///     could read it.
  public init<Output: Sendable>(
    _ id: String, _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line,
    perform body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    // Not for `Void` alone: to that, the compiler would convert a closure whose value cannot be encoded,
    // and the value would be lost.
    let work = ClosureWork { try StepOutputs(returned: try await body($0)) }
    self.init(id, work: InProcessWork(work), settings, file: file, line: line)
  }
}
