// A tree of groups with all of their settings: the workflow of a scenario, as its oracle sees it.

/// The steps and groups of a workflow, one after the other.
struct Forest: Codable, Sendable, Equatable {
  struct Step: Codable, Sendable, Equatable {
    var id: String
    /// The milliseconds for which it only waits; nil for a step that does something.
    var wait: Int?
    var isService = false
    var continuesOnError = false
    var mutex: String?
    /// The number of places that it takes of the pool.
    var places: Int?
    /// Whether it takes the only place of another pool, too.
    var takesOther = false
    var condition: String?
    var retry: Scenario.Retry?
    /// Whether it is undone when the run fails.
    var isUndone = false
    /// The behaviours of its executions, in turn; repeated from the first after the last.
    var behaviours = [Scenario.Behaviour()]
  }

  struct Group: Codable, Sendable, Equatable {
    enum Kind: String, Codable { case sequence, parallel, written, computed }

    var id: String
    var kind: Kind
    var nodes: [Node] = []
    var mutex: String?
    /// The number of places that it takes of the pool as a whole.
    var places: Int?
    /// Whether it takes the only place of another pool, too.
    var takesOther = false
    var retry: Scenario.Retry?
    var timeout: Int?
    var continuesOnError = false
    var maxParallel: Int?
    var failsFast = false
    /// The maximum number of rounds, from 2; nil for a group that does not repeat.
    var rounds: Int?

    var hasItems: Bool { kind == .written || kind == .computed }
    /// Whether it counts its parts, which are items or branches.
    var hasParts: Bool { hasItems || kind == .parallel }
  }

  indirect enum Node: Codable, Sendable, Equatable {
    case step(Step)
    case group(Group)
  }

  /// The step whose output has the computed items; the first one.
  static let source = "source"
  /// The items of each group that has some.
  static let items = 2
  /// The number of places of the pool.
  static let poolSize = 2

  /// The pools, as they are declared.
  static let pools = "{ p: \(poolSize), q: 1 }"

  private static func pool(_ places: Int, _ takesOther: Bool) -> String {
    let first = "{ name: p, take: \(places) }"
    return "pool: " + (takesOther ? "[q, \(first)]" : first)
  }

  var nodes: [Node] = []
  var finally: [Step] = []

  /// The ids of the steps and groups outside of items.
  var ids: [String] { Self.ids(of: nodes) + finally.map(\.id) }

  private static func ids(of nodes: [Node]) -> [String] {
    nodes.flatMap { node in
      switch node {
      case .step(let step): [step.id]
      case .group(let group): [group.id] + (group.hasItems ? [] : ids(of: group.nodes))
      }
    }
  }

  var stepCount: Int { Self.count(nodes) + finally.count }

  private static func count(_ nodes: [Node]) -> Int {
    nodes.reduce(0) { sum, node in
      switch node {
      case .step: sum + 1
      case .group(let group): sum + count(group.nodes)
      }
    }
  }

  /// Changes all steps under `steps`, and all groups, in their order.
  mutating func change(step: (inout Step) -> Void, group: (inout Group) -> Void) {
    Self.change(&nodes, step, group)
  }

  private static func change(
    _ nodes: inout [Node], _ changeStep: (inout Step) -> Void, _ changeGroup: (inout Group) -> Void
  ) {
    for position in nodes.indices {
      switch nodes[position] {
      case .step(var step):
        changeStep(&step)
        nodes[position] = .step(step)
      case .group(var group):
        changeGroup(&group)
        change(&group.nodes, changeStep, changeGroup)
        nodes[position] = .group(group)
      }
    }
  }

  // MARK: Text

  /// The lines below `steps`.
  var yaml: [String] {
    ["  - { id: \(Self.source), needs: [], run: work }"] + nodes.map { "  - \(Self.yaml($0))" }
  }

  /// The lines below `finally`.
  var yamlOfFinally: [String] { finally.map { "  - \(Self.yaml(.step($0)))" } }

  private static func yaml(_ node: Node) -> String {
    let fields =
      switch node {
      case .step(let step): fields(of: step)
      case .group(let group): fields(of: group)
      }
    return "{ \(fields.joined(separator: ", ")) }"
  }

  private static func fields(of step: Step) -> [String] {
    var fields = ["id: \(step.id)"]
    if let wait = step.wait {
      fields.append("wait: \(wait)ms")
    } else {
      fields.append(step.isService ? "service: work" : "run: work")
    }
    if step.continuesOnError { fields.append("continue-on-error: true") }
    if let mutex = step.mutex { fields.append("mutex: \(mutex)") }
    if let places = step.places { fields.append(Self.pool(places, step.takesOther)) }
    if let condition = step.condition { fields.append("if: \(condition)") }
    if let retry = step.retry { fields.append(yaml(retry)) }
    if step.isUndone { fields.append("undo: work") }
    return fields
  }

  private static func fields(of group: Group) -> [String] {
    var fields = ["id: \(group.id)"]
    switch group.kind {
    case .sequence, .parallel: break
    case .written: fields.append("foreach: [0, 1]")
    case .computed:
      fields.append("foreach: \"${{ fromJSON(steps.\(source).outputs.items) }}\"")
    }
    if let mutex = group.mutex { fields.append("mutex: \(mutex)") }
    if let places = group.places { fields.append(Self.pool(places, group.takesOther)) }
    if let retry = group.retry { fields.append(yaml(retry)) }
    if let timeout = group.timeout { fields.append("timeout: \(timeout)ms") }
    if group.continuesOnError { fields.append("continue-on-error: true") }
    if let limit = group.maxParallel { fields.append("max-parallel: \(limit)") }
    if group.failsFast { fields.append("fail-fast: true") }
    if let rounds = group.rounds {
      fields.append("repeat: { until: run.generation > 3, delay: 7ms, limit: \(rounds - 1) }")
    }
    let key = group.kind == .parallel ? "parallel" : "steps"
    return fields + ["\(key): [\(group.nodes.map(yaml).joined(separator: ", "))]"]
  }

  private static func yaml(_ retry: Scenario.Retry) -> String {
    "retry: { limit: \(retry.limit), delay: \(retry.delay)ms }"
  }
}
