// A workflow as it is declared in Swift: steps, what runs side by side, what runs in order. Plain values; what
// is wrong with them is the reader's business.

/// One part of a workflow that is declared in Swift: a step, or several.
public struct WorkflowItem: Sendable {
  indirect enum Content: Sendable {
    case step(Step)
    case parallel([WorkflowItem])
    case sequence([WorkflowItem])
  }

  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}

/// One step of a workflow that is declared in Swift.
///
/// Steps of one list run in their order, unless they say what they need.
public struct Step: Sendable {
  let entries: [(key: String, value: Value)]
  let work: InProcessWork?
  let place: DeclarationPlace

  init(
    _ id: String, _ action: [(String, Value)], _ settings: [StepSetting],
    work: InProcessWork? = nil, _ place: DeclarationPlace
  ) {
    entries = [("id", .text(id))] + action + settings.map { ($0.key, $0.value) }
    self.work = work
    self.place = place
  }

  /// A step that stands for the steps of a workflow file.
  ///
  /// - Parameters:
  ///   - id: The name of the step, unique in its workflow.
  ///   - path: The path of the file, which begins with `./`, from where the program runs: the file lies there or
  ///     in a folder below.
  ///   - arguments: What the workflow is given.
  ///   - settings: Its settings.
  ///   - file: Where it is declared, for messages.
  ///   - line: Where it is declared, for messages.
  public init(
    _ id: String, uses path: String, with arguments: [String: TemplateValue] = [:],
    _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(
      id, [("uses", .text(path))] + Self.with(arguments), settings, DeclarationPlace(file, line))
  }

  static func with(_ arguments: [String: TemplateValue]) -> [(String, Value)] {
    arguments.isEmpty ? [] : [("with", .map(arguments.mapValues(\.value)))]
  }
}

/// Steps that run side by side.
public struct Parallel: Sendable {
  let branches: [WorkflowItem]

  /// Puts branches side by side: each a step, or an ``InOrder`` of several.
  public init(@WorkflowBuilder _ branches: () -> [WorkflowItem]) {
    self.branches = branches()
  }
}

/// Steps that run one after the other, as one branch of a ``Parallel``.
public struct InOrder: Sendable {
  let items: [WorkflowItem]

  /// Puts steps in order.
  public init(@WorkflowBuilder _ items: () -> [WorkflowItem]) {
    self.items = items()
  }
}

/// Puts the steps of a workflow together; `if`, `switch` and `for` may stand between them.
@resultBuilder public enum WorkflowBuilder: Sendable {
  /// Takes a step.
  public static func buildExpression(_ step: Step) -> [WorkflowItem] {
    [WorkflowItem(.step(step))]
  }

  /// Takes steps that run side by side.
  public static func buildExpression(_ parallel: Parallel) -> [WorkflowItem] {
    [WorkflowItem(.parallel(parallel.branches))]
  }

  /// Takes steps that run in order.
  public static func buildExpression(_ sequence: InOrder) -> [WorkflowItem] {
    [WorkflowItem(.sequence(sequence.items))]
  }

  /// Takes what another builder has put together.
  public static func buildExpression(_ items: [WorkflowItem]) -> [WorkflowItem] { items }

  /// Puts parts one after the other.
  public static func buildBlock(_ items: [WorkflowItem]...) -> [WorkflowItem] {
    items.flatMap(\.self)
  }

  /// Takes what stands in an `if`, if anything.
  public static func buildOptional(_ items: [WorkflowItem]?) -> [WorkflowItem] { items ?? [] }

  /// Takes what stands in the first branch.
  public static func buildEither(first items: [WorkflowItem]) -> [WorkflowItem] { items }

  /// Takes what stands in the second branch.
  public static func buildEither(second items: [WorkflowItem]) -> [WorkflowItem] { items }

  /// Takes what stands in a loop.
  public static func buildArray(_ items: [[WorkflowItem]]) -> [WorkflowItem] {
    items.flatMap(\.self)
  }
}

/// Where something is declared in Swift.
struct DeclarationPlace: Sendable {
  let file: String
  let line: Int

  init(_ file: StaticString, _ line: Int) {
    self.file = file.description
    self.line = line
  }
}
