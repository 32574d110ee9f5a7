// A workflow as a typed value, however it was made. Knows neither YAML nor how steps are run.

/// A named set of steps that need one another.
public struct Workflow: Sendable, Equatable {
  /// The name of the workflow.
  public var name: String
  /// What it is for.
  public var description: String?
  /// The file that it was read from, as it was named.
  public let file: String?
  /// What runs the scripts of steps that do not say it themselves.
  public var shell: Shell
  /// How long a generation of a run may take; as long as it wants when nil.
  public var timeout: Duration?
  /// How long a step may take to end once it is told to, unless it says so itself.
  public var grace: Duration?
  /// How many steps may run at once; what the engine thinks best when nil.
  public var maxParallel: Int?
  /// Which other runs it may not meet; nil when it may meet any.
  public var concurrency: Concurrency?
  /// Whether the first failure of a step cancels what runs beside it.
  public var failsFast = false
  /// What the record of a run survives; ``Durability/process`` when nil.
  public var durability: Durability?
  /// What starts runs of it while it is watched; nil when nothing does.
  public var triggers: Triggers?
  /// What a run of it may be given.
  public var parameters: [Parameter] = []
  /// The scopes of the files that take part; the first is that of the workflow itself.
  package var scopes: [Scope]
  /// The texts of the other files that it was read from, by path relative to the folder of `file`.
  public var sources: [String: String] = [:]
  /// How it was declared in Swift; nil where it was not.
  var declared: Declared?
  /// What is legal but probably not meant.
  public var warnings: [Diagnostic] = []
  /// The steps in file order, those under `finally` last.
  public let steps: [Workflow.Step]
  /// The shape that the file gives to the steps.
  public let outline: Outline
  /// The checked graph of the steps; its indices are positions in `steps`.
  public let graph: Graph
  /// How many of the steps, counted from the end, stand under `finally`.
  package let finallyCount: Int

  /// Makes a workflow of steps.
  ///
  /// - Parameters:
  ///   - name: The name of the workflow.
  ///   - description: What it is for.
  ///   - file: The file that it was read from.
  ///   - environment: Environment variables for every step.
  ///   - directory: Where steps run.
  ///   - shell: What runs the scripts of steps.
  ///   - timeout: How long a generation of a run may take.
  ///   - grace: How long a step may take to end once it is told to.
  ///   - maxParallel: How many steps may run at once, at least 1.
  ///   - concurrency: Which other runs it may not meet.
  ///   - steps: The steps, with all that they need named; those that run however the run ends come last,
  ///     and none of the others needs one of them.
  ///   - outline: Their shape; one after the other when nil.
  /// - Throws: ``GraphError`` when the steps do not make a graph without cycles.
  public init(
    name: String, description: String? = nil, file: String? = nil,
    environment: [String: Template] = [:], directory: Template? = nil, shell: Shell = .standard,
    timeout: Duration? = nil, grace: Duration? = nil, maxParallel: Int? = nil,
    concurrency: Concurrency? = nil, steps: [Workflow.Step], outline: Outline? = nil
  ) throws(GraphError) {
    let graph = try Graph(ids: steps.map(\.id), needs: steps.map(\.needs))
    self.init(
      name: name, description: description, file: file, shell: shell, timeout: timeout,
      grace: grace, maxParallel: maxParallel, concurrency: concurrency, steps: steps,
      outline: outline ?? .sequence(steps.indices.map { .step(StepIndex($0)) }), graph: graph)
    scopes[0].environment = environment
    scopes[0].directory = directory
  }

  /// Makes a workflow of steps whose graph has been checked.
  init(
    name: String, description: String?, file: String?, shell: Shell, timeout: Duration?,
    grace: Duration?, maxParallel: Int?, concurrency: Concurrency?, steps: [Workflow.Step],
    outline: Outline, graph: Graph
  ) {
    self.name = name
    self.description = description
    self.file = file
    self.shell = shell
    self.timeout = timeout
    self.grace = grace
    self.maxParallel = maxParallel
    self.concurrency = concurrency
    self.steps = steps
    scopes = [Scope(workflow: name)]
    self.outline = outline
    self.graph = graph
    finallyCount = steps.reversed().prefix { $0.extrasIfAny?.finally != nil }.count
  }

  /// Environment variables for every step of the file itself.
  public var environment: [String: Template] { scopes[0].environment }

  /// Where its steps run, relative to the directory in which the engine runs; there when nil.
  public var directory: Template? { scopes[0].directory }

  /// The steps that somebody names: one step, or all that it has become.
  ///
  /// - Parameter id: The id of a step as the file has it, or of one of those that it has become.
  /// - Returns: Their indices in file order; empty where there is none.
  public func indices(named id: String) -> [StepIndex] {
    if let index = graph.index(of: id) { return [index] }
    return graph.indices.filter { steps[$0.position].extras.groups.contains(id) }
  }
}
