// The elements of a workflow declared in Swift: steps, parallel branches and sequences.

/// A part of a workflow declared in Swift: a step or a group of steps.
public struct WorkflowItem: Sendable {
  indirect enum Content: Sendable {
    case step(Step)
    case parallel(DeclaredGroup)
    case sequence(DeclaredGroup)
  }

  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}

/// A step of a workflow declared in Swift.
///
/// The steps of a list run in order, unless `needs` overrides it.
public struct Step: Sendable {
  let entries: [(key: String, value: Value)]
  let work: InProcessWork?
  let place: DeclarationPlace

  init(
    _ id: String, _ action: [(String, Value)], _ settings: [StepSetting],
    work: InProcessWork? = nil, _ place: DeclarationPlace
  ) {
    entries = [("id", .text(id))] + action + settings.flatMap(\.entries).map { ($0.key, $0.value) }
    self.work = work
    self.place = place
  }

  /// A step that is replaced by the steps of another workflow file.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - path: The path of the file, starting with `./` and relative to the current directory. The
  ///     file must be in that directory or below it.
  ///   - arguments: The arguments for the parameters of the workflow.
  ///   - settings: The settings of the step.
  ///   - file: The source file of the declaration, for messages.
  ///   - line: The source line of the declaration, for messages.
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

/// The parts of a group of steps declared in Swift.
struct DeclaredGroup: Sendable {
  var entries: [(key: String, value: Value)] = []
  let items: [WorkflowItem]
  /// The place of the declaration; nil if the group has no settings.
  var place: DeclarationPlace?

  /// Creates a group without settings.
  init(items: [WorkflowItem]) { self.items = items }

  /// Creates a group with settings.
  init(
    _ id: String, _ settings: [StepSetting], items: [WorkflowItem], _ place: DeclarationPlace
  ) {
    entries = [("id", .text(id))] + settings.flatMap(\.entries).map { ($0.key, $0.value) }
    self.items = items
    self.place = place
  }
}

/// Branches that run in parallel.
public struct Parallel: Sendable {
  let group: DeclaredGroup

  /// Declares parallel branches; each is a step or an ``InOrder`` with several steps.
  public init(@WorkflowBuilder _ branches: () -> [WorkflowItem]) {
    group = DeclaredGroup(items: branches())
  }

  /// Declares parallel branches with settings for all of them, such as `.timeout(.seconds(60))`.
  ///
  /// - Parameters:
  ///   - id: The id of the group.
  ///   - settings: The settings of the group.
  ///   - file: The source file of the declaration, for messages.
  ///   - line: The source line of the declaration, for messages.
  ///   - branches: The branches.
  public init(
    _ id: String, _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line,
    @WorkflowBuilder branches: () -> [WorkflowItem]
  ) {
    group = DeclaredGroup(id, settings, items: branches(), DeclarationPlace(file, line))
  }
}

/// A sequence of steps: one branch of a ``Parallel``, or steps with common settings.
public struct InOrder: Sendable {
  let group: DeclaredGroup

  /// Declares a sequence of steps.
  public init(@WorkflowBuilder _ items: () -> [WorkflowItem]) {
    group = DeclaredGroup(items: items())
  }

  /// Declares a sequence of steps with settings for all of them, such as `.foreach(1...3)`.
  ///
  /// - Parameters:
  ///   - id: The id of the group.
  ///   - settings: The settings of the group.
  ///   - file: The source file of the declaration, for messages.
  ///   - line: The source line of the declaration, for messages.
  ///   - items: The steps.
  public init(
    _ id: String, _ settings: StepSetting..., file: StaticString = #fileID, line: Int = #line,
    @WorkflowBuilder items: () -> [WorkflowItem]
  ) {
    group = DeclaredGroup(id, settings, items: items(), DeclarationPlace(file, line))
  }
}

/// Collects the steps of a workflow; supports `if`, `switch` and `for`.
@resultBuilder public enum WorkflowBuilder: Sendable {
  /// Adds a step.
  public static func buildExpression(_ step: Step) -> [WorkflowItem] {
    [WorkflowItem(.step(step))]
  }

  /// Adds steps from a collection, such as `names.map { Step("build-\($0)") { … } }`.
  public static func buildExpression(_ steps: [Step]) -> [WorkflowItem] {
    steps.map { WorkflowItem(.step($0)) }
  }

  /// Adds parallel branches.
  public static func buildExpression(_ parallel: Parallel) -> [WorkflowItem] {
    [WorkflowItem(.parallel(parallel.group))]
  }

  /// Adds a sequence.
  public static func buildExpression(_ sequence: InOrder) -> [WorkflowItem] {
    [WorkflowItem(.sequence(sequence.group))]
  }

  /// Adds items from another builder.
  public static func buildExpression(_ items: [WorkflowItem]) -> [WorkflowItem] { items }

  /// Concatenates items.
  public static func buildBlock(_ items: [WorkflowItem]...) -> [WorkflowItem] {
    items.flatMap(\.self)
  }

  /// Adds the items of an `if` without `else`.
  public static func buildOptional(_ items: [WorkflowItem]?) -> [WorkflowItem] { items ?? [] }

  /// Adds the items of the first branch.
  public static func buildEither(first items: [WorkflowItem]) -> [WorkflowItem] { items }

  /// Adds the items of the second branch.
  public static func buildEither(second items: [WorkflowItem]) -> [WorkflowItem] { items }

  /// Adds the items of a loop.
  public static func buildArray(_ items: [[WorkflowItem]]) -> [WorkflowItem] {
    items.flatMap(\.self)
  }
}

/// The source location of a declaration in Swift.
struct DeclarationPlace: Sendable {
  let file: String
  let line: Int

  init(_ file: StaticString, _ line: Int) {
    self.file = file.description
    self.line = line
  }
}
