// A workflow as a typed value, however it was made. Knows neither YAML nor how steps are run.

/// A named set of steps that need one another.
public struct Workflow: Sendable, Equatable {
  /// The name of the workflow.
  public var name: String
  /// What it is for.
  public var description: String?
  /// The file that it was read from, as it was named.
  public let file: String?
  /// Environment variables for every step.
  public var environment: [String: String]
  /// Where steps run, relative to the directory in which the engine runs; there when nil.
  public var directory: String?
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
  /// The steps in file order.
  public let steps: [Step]
  /// The shape that the file gives to the steps.
  public let outline: Outline
  /// The checked graph of the steps; its indices are positions in `steps`.
  public let graph: Graph

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
  ///   - steps: The steps, with all that they need named.
  ///   - outline: Their shape; one after the other when nil.
  /// - Throws: ``GraphError`` when the steps do not make a graph without cycles.
  public init(
    name: String, description: String? = nil, file: String? = nil,
    environment: [String: String] = [:], directory: String? = nil, shell: Shell = .standard,
    timeout: Duration? = nil, grace: Duration? = nil, maxParallel: Int? = nil,
    concurrency: Concurrency? = nil, steps: [Step], outline: Outline? = nil
  ) throws(GraphError) {
    self.name = name
    self.description = description
    self.file = file
    self.environment = environment
    self.directory = directory
    self.shell = shell
    self.timeout = timeout
    self.grace = grace
    self.maxParallel = maxParallel
    self.concurrency = concurrency
    self.steps = steps
    self.outline = outline ?? .sequence(steps.indices.map { .step(StepIndex($0)) })
    graph = try Graph(ids: steps.map(\.id), needs: steps.map(\.needs))
  }
}
