// Typed handles for the outputs of steps, checked by the compiler where they are produced and used.

public import WorkflowFiles

/// The output of a step, with its type.
///
/// A handle names a step once. The compiler then checks that the step returns a value of the type, and
/// that the steps that use it expect the same type:
///
///     let build = StepOutput<Build>("build")
///     let count = StepOutput<Int>("count")
///     let address = StepOutput<String>("publish")
///     let workflow = try Workflow("release") {
///       Step(build) { context in Build(file: "app.zip") }
///       Step(count, .retry(2)) { context in 3 }
///       Step(address, needs: build, count, settings: [.retry(2)]) { context, build, count in
///         context.report("\(count) copies of \(build.file)")
///         return "https://example.org/\(build.file)"
///       }
///     }
///     let run = Engine().start(workflow)
///     print(try await run.value(of: address))
///
/// In a template, the handle of a text, a number or a Boolean is replaced with its value:
/// `"curl \(address)"`.
public struct StepOutput<Value: Codable & Sendable>: Sendable {
  /// The id of the step.
  public let step: String

  /// Creates a handle for the output of a step.
  ///
  /// - Parameter step: The id of the step.
  public init(_ step: String) {
    self.step = step
  }
}

extension TemplateValue.StringInterpolation {
  /// Appends the output of a step, which is read when the template is: `"upload \(address)"`.
  ///
  /// A value with fields has an output for each of them instead: `"${{ steps.build.outputs.file }}"`.
  ///
  /// - Parameter output: The handle of the output.
  public mutating func appendInterpolation<Value>(_ output: StepOutput<Value>) {
    let isText = !(Value.self is any Numeric.Type || Value.self is Bool.Type)
    appendExpression("steps.\(output.step).outputs.value", isText: isText)
  }
}

extension StepSetting {
  /// The steps that must finish first, by the handles of their outputs; replaces the order implied by
  /// the list.
  public static func needs<First, each Other>(
    _ first: StepOutput<First>, _ others: repeat StepOutput<each Other>
  ) -> StepSetting {
    var ids = [first.step]
    for other in repeat each others { ids.append(other.step) }
    return .needs(ids)
  }
}

extension Step {
  /// Creates a step that runs a Swift closure, which returns the value of a handle.
  ///
  /// - Parameters:
  ///   - output: The handle, whose id is that of the step.
  ///   - settings: Its settings.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  ///   - body: Performs one attempt. When its task is cancelled, it must finish soon by throwing
  ///     `CancellationError`.
  public init<Value>(
    _ output: StepOutput<Value>, _ settings: StepSetting..., file: StaticString = #fileID,
    line: Int = #line, perform body: @escaping @Sendable (StepContext) async throws -> Value
  ) {
    let work = ClosureWork { try StepOutputs(encoding: try await body($0)) }
    self.init(output.step, work: InProcessWork(work), settings, file: file, line: line)
  }

  /// Creates a step that runs a Swift closure with the outputs of the steps that it needs.
  ///
  /// The step needs exactly the steps of the handles, in place of the order implied by the list.
  ///
  /// - Parameters:
  ///   - id: The name of the step, unique in its workflow.
  ///   - first: The handle of a step that it needs.
  ///   - others: The handles of the other steps that it needs.
  ///   - settings: Its other settings.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  ///   - body: Performs one attempt, with the values of the handles in their order. The step fails if
  ///     one of them has no output, for example because it was skipped. When its task is cancelled, it
  ///     must finish soon by throwing `CancellationError`.
  public init<First, each Other, Output: Sendable>(
    _ id: String, needs first: StepOutput<First>, _ others: repeat StepOutput<each Other>,
    settings: [StepSetting] = [], file: StaticString = #fileID, line: Int = #line,
    perform body: @escaping @Sendable (StepContext, First, repeat each Other) async throws -> Output
  ) {
    let work = InProcessWork(returning: Output.self) { [handles = (repeat each others)] context in
      try await body(context, try context.input(first), repeat try context.input(each handles))
    }
    self.init(
      id, work: work, [.needs(first, repeat each others)] + settings, file: file, line: line)
  }

  /// Creates a step that runs a Swift closure with the outputs of the steps that it needs, and returns
  /// the value of a handle of its own.
  ///
  /// The step needs exactly the steps of the handles, in place of the order implied by the list.
  ///
  /// - Parameters:
  ///   - output: The handle, whose id is that of the step.
  ///   - first: The handle of a step that it needs.
  ///   - others: The handles of the other steps that it needs.
  ///   - settings: Its other settings.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  ///   - body: Performs one attempt, with the values of the handles in their order. The step fails if
  ///     one of them has no output, for example because it was skipped. When its task is cancelled, it
  ///     must finish soon by throwing `CancellationError`.
  public init<Value, First, each Other>(
    _ output: StepOutput<Value>, needs first: StepOutput<First>,
    _ others: repeat StepOutput<each Other>, settings: [StepSetting] = [],
    file: StaticString = #fileID, line: Int = #line,
    perform body: @escaping @Sendable (StepContext, First, repeat each Other) async throws -> Value
  ) {
    self.init(
      output.step, needs: first, repeat each others, settings: settings, file: file, line: line,
      perform: body)
  }
}

extension StepContext {
  /// Returns the output of a step that this step needs.
  ///
  /// - Parameter output: The handle of the step.
  /// - Returns: The value.
  /// - Throws: ``FailureReason`` under the same conditions as ``input(_:as:)``.
  public func input<Value>(_ output: StepOutput<Value>) throws -> Value {
    try input(output.step, as: Value.self)
  }
}
