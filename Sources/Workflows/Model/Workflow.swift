// The model of a workflow, read from a file or declared in Swift.

/// The order in which waiting steps of equal priority start.
public enum StepOrder: String, Sendable, CaseIterable {
  /// The order of the file.
  case file
  /// First those from which the longest chain of steps follows, by the times of earlier runs.
  case longestPath = "longest-path"
}

/// A named set of steps with their dependencies.
public struct Workflow: Sendable, Equatable {
  /// The name of the workflow.
  public var name: String
  /// A description for users.
  public var description: String?
  /// The path of the file that it was read from, as given by the caller.
  public let file: String?
  /// The shell for the scripts of steps that do not set their own.
  package var shell: Shell
  /// The maximum duration of a generation of a run; unlimited if nil.
  public var timeout: Duration?
  /// The time between asking a step to stop and killing it, for steps that do not set their own.
  public var grace: Duration?
  /// The maximum number of steps that run at the same time; the default of the engine if nil.
  public var maxParallel: Int?
  /// The group of runs that exclude each other; nil for no restriction.
  public var concurrency: Concurrency?
  /// Whether the first failed step cancels the other steps.
  public var failsFast = false
  /// The number of failures at which ``failsFast`` cancels the other steps.
  package var failFastCount = 1
  /// Which of the waiting steps of equal priority starts first.
  package var order = StepOrder.file
  /// The kind of crash that the record of a run survives; ``Durability/process`` if nil.
  public var durability: Durability?
  /// The ended runs that are kept; nil for all of them.
  package var keep: Retention?
  /// Where results of steps are shared with other machines; nil for nowhere.
  package var store: SharedStoreRule?
  /// The command that runs after the end of a run; nil for none.
  package var onEnd: EndCommand?
  /// The triggers that start runs while the workflow is watched; nil for none.
  package var triggers: Triggers?
  /// The condition for running the workflow; nil for none.
  package var condition: WorkflowCondition?
  /// The parameters of a run.
  public var parameters: [Parameter] = []
  /// The groups of the steps.
  package var groups = GroupTree()
  /// The scopes of all files of the workflow; the first is that of the workflow itself.
  package var scopes: [Scope]
  /// The values of steps that were left out of this part of the workflow, by id.
  package var keptValues: [String: StepValues] = [:]
  /// The values of groups with computed items that were left out, by id: as `steps.GROUP`.
  package var keptGroups: [String: Value] = [:]
  /// The variables that steps which were left out have set, by the id of the step that gets them.
  package var keptVariables: [String: [String: String]] = [:]
  /// The texts of the other files that it was read from, by path relative to the directory of
  /// `file`.
  public var sources: [String: String] = [:]
  /// The names of groups of steps in displays, by id; a group that is missing shows its id.
  package var groupNames: [String: String] = [:]
  /// The declaration in Swift; nil if the workflow was not declared in Swift.
  package var declared: Declared?
  /// Warnings: legal but probably unintended constructs.
  public var warnings: [Diagnostic] = []
  /// The steps in file order, those under `finally` last.
  public internal(set) var steps: [Workflow.Step]
  /// The layout of the steps in the file.
  package internal(set) var outline: Outline
  /// The checked graph of the steps; its indices are positions in `steps`.
  package internal(set) var graph: Graph
  /// The number of steps under `finally`, which come last in `steps`.
  package internal(set) var finallyCount: Int

  /// Creates a workflow from steps.
  ///
  /// - Parameters:
  ///   - name: The name of the workflow.
  ///   - description: A description for users.
  ///   - file: The file that it was read from.
  ///   - environment: Environment variables for every step.
  ///   - directory: The working directory of the steps.
  ///   - shell: The shell that runs the scripts of steps.
  ///   - timeout: The maximum duration of a generation of a run.
  ///   - grace: The time between asking a step to stop and killing it.
  ///   - maxParallel: The maximum number of steps that run at the same time, at least 1.
  ///   - concurrency: The group of runs that exclude each other.
  ///   - steps: The steps with explicit dependencies. Steps for `finally` come last, and no other
  ///     step may need one of them.
  ///   - outline: The layout of the steps; a sequence if nil.
  /// - Throws: ``GraphError`` if the steps do not form an acyclic graph.
  package init(
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

  /// Creates a workflow from steps whose graph has been checked.
  package init(
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

  /// The values of the parameters, by name; without those that have none.
  package var parameterValues: [String: Value] {
    scopes[0].parameters.compactMapValues { if case .value(let value) = $0 { value } else { nil } }
  }

  /// Environment variables for every step of the file.
  package var environment: [String: Template] { scopes[0].environment }

  /// The working directory of the steps, relative to that of the engine; that directory if nil.
  package var directory: Template? { scopes[0].directory }

  /// Returns the steps to which an id refers: one step, or all steps of a group.
  ///
  /// - Parameter id: The id of a step in the file, or of one of the steps that it was expanded to, or
  ///   the name of some of these by values of their labels, such as `unit.mac` or `unit[2, mac]`.
  /// - Returns: The indices in file order; empty if the id is unknown.
  package func indices(named id: String) -> [StepIndex] {
    if let index = graph.index(of: id), !steps[index.position].action.kind.isExpanded {
      return [index]
    }
    let named = groups.indices.filter { groups[$0].name == id && groups[$0].hasID }
    guard !named.isEmpty else {
      let items = graph.indices.map { (graph.id(of: $0), steps[$0.position].extrasIfAny?.label) }
      return ItemName(id).positions(among: items).map(StepIndex.init)
    }
    return graph.indices.filter { index in
      named.contains { groups.contains(steps[index.position].group, in: $0) }
    }
  }
}

extension Workflow {
  /// The source of a workflow declared in Swift.
  package struct Declared: Sendable, Equatable {
    package let text: String
    package internal(set) var stepsInSwift: [String]

    package init(text: String, stepsInSwift: [String]) {
      (self.text, self.stepsInSwift) = (text, stepsInSwift)
    }
  }
}
