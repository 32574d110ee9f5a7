// `RunPlan`: the steps of a run and their structure, as its first event reports them.

public import Workflows

/// The steps of a run and their dependencies.
///
/// Contains no values, so it cannot contain secrets.
public struct RunPlan: Sendable, Equatable {
  /// The name of the workflow.
  public var workflow: String
  /// The steps in file order.
  public var steps: [PlannedStep]
  /// The structure of the steps in the file; its indices refer to `steps`.
  package var outline: Outline
  /// The maximum number of steps that run at once; nil for the default of the engine.
  public var maxParallel: Int?
  /// The names of groups of steps in displays, by id; a group that is missing shows its id.
  public var groupNames: [String: String] = [:]
  /// The number of steps under `finally`, which come last and start when all others have ended.
  public var finallyCount = 0

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - steps: The steps in file order.
  public init(workflow: String, steps: [PlannedStep]) {
    self.init(workflow: workflow, steps: steps, outline: nil)
  }

  /// Creates a plan with the structure of its steps; by default a sequence.
  package init(workflow: String, steps: [PlannedStep], outline: Outline?) {
    self.workflow = workflow
    self.steps = steps
    self.outline = outline ?? .sequence(steps.indices.map { .step(StepIndex($0)) })
  }
}

/// One step of a plan.
public struct PlannedStep: Sendable, Equatable, Codable {
  /// The id of the step.
  public var id: String
  /// The name of the step in displays; nil to show its id.
  ///
  /// Distinguishes the step from its siblings: it contains the label, if necessary.
  public var name: String?
  /// The ids of the steps that must end before this one starts.
  public var needs: [String]
  /// The label from the expansion of `matrix` or `foreach`, such as `linux, 5`.
  ///
  /// It distinguishes the step from its siblings. Nil for a step that was not expanded.
  public var label: String?
  /// Whether the run continues if the step fails; nil means false.
  public var continuesOnError: Bool?
  /// Whether the step is a service, which runs until no step needs it; nil means false.
  public var isService: Bool?
  /// The duration of the step in earlier runs, in seconds; nil if unknown.
  public var usualSeconds: Double?
  /// Whether its end depends on a person or a moment instead of its work: it asks for approval, or waits
  /// until a moment; nil means false.
  public var isOpenEnded: Bool?
  /// The values that its approval asks for; nil for none.
  public var approvalValues: [PlannedValue]?
  /// The time between asking the step to stop and killing it, in seconds; nil for the default.
  public var graceSeconds: Double?
  /// The items of a step that was expanded during the run; nil before, and for other steps.
  public var items: [ExpandedItem]?
  /// The steps for each item of a step that is expanded during the run; nil for other steps.
  package var template: PlannedTemplate?
  /// The id of the step whose work it undoes; nil for other steps.
  package var undoes: String?

  /// Creates a step of a plan.
  ///
  /// - Parameters:
  ///   - id: The id of the step.
  ///   - needs: The ids of the steps that it needs.
  ///   - label: The label that distinguishes it from its siblings.
  ///   - continuesOnError: Whether the run continues if the step fails.
  ///   - usualSeconds: The duration of the step in earlier runs, in seconds.
  ///   - graceSeconds: The time between asking the step to stop and killing it, in seconds.
  ///   - isService: Whether the step is a service.
  public init(
    id: String, needs: [String] = [], label: String? = nil, continuesOnError: Bool? = nil,
    usualSeconds: Double? = nil, graceSeconds: Double? = nil, isService: Bool? = nil
  ) {
    self.isService = isService
    self.id = id
    self.needs = needs
    self.label = label
    self.continuesOnError = continuesOnError
    self.usualSeconds = usualSeconds
    self.graceSeconds = graceSeconds
  }

  private enum CodingKeys: String, CodingKey {
    case id, name, needs, label, items, template, undoes
    case continuesOnError = "continue-on-error"
    case usualSeconds = "usual-seconds"
    case isOpenEnded = "open-ended"
    case approvalValues = "approval-values"
    case graceSeconds = "grace-seconds"
    case isService = "service"
  }
}

extension RunPlan {
  /// Creates the plan of a workflow.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - usualDurations: The durations of steps in earlier runs, by step id.
  public init(_ workflow: Workflow, usualDurations: [String: Duration] = [:]) {
    self.init(
      workflow: workflow.name,
      steps: workflow.steps.map { step in
        var planned = PlannedStep(step, of: workflow)
        planned.take(usualDurations)
        return planned
      },
      outline: workflow.outline)
    maxParallel = workflow.maxParallel
    groupNames = workflow.groupNames
    finallyCount = workflow.finallyCount
  }
}

extension RunPlan: Codable {
  private enum CodingKeys: String, CodingKey {
    case workflow, steps, outline
    case maxParallel = "max-parallel"
    case finallyCount = "finally-count"
    case groupNames = "group-names"
  }

  /// Decodes a plan that `encode(to:)` has written.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    workflow = try container.decode(String.self, forKey: .workflow)
    steps = try container.decode([PlannedStep].self, forKey: .steps)
    outline = try container.decode(OutlineCoding.self, forKey: .outline).outline
    maxParallel = try container.decodeIfPresent(Int.self, forKey: .maxParallel)
    finallyCount = try container.decodeIfPresent(Int.self, forKey: .finallyCount) ?? 0
    groupNames = try container.decodeIfPresent([String: String].self, forKey: .groupNames) ?? [:]
  }

  /// Encodes the plan in the documented form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workflow, forKey: .workflow)
    try container.encode(steps, forKey: .steps)
    try container.encode(OutlineCoding(outline: outline), forKey: .outline)
    try container.encodeIfPresent(maxParallel, forKey: .maxParallel)
    if !groupNames.isEmpty { try container.encode(groupNames, forKey: .groupNames) }
    if finallyCount > 0 { try container.encode(finallyCount, forKey: .finallyCount) }
  }
}

/// The JSON form of an outline.
///
/// A step is its position, a sequence is an array, parallel branches and groups are objects:
///
///     [0, {"parallel": [1, 2, [3, 4]]}, {"group": "test", "steps": {"parallel": [5, 6]}}]
struct OutlineCoding: Codable {
  var outline: Outline

  private enum CodingKeys: String, CodingKey {
    case parallel, group, steps
  }

  init(outline: Outline) {
    self.outline = outline
  }

  init(from decoder: any Decoder) throws {
    if let position = try? decoder.singleValueContainer().decode(Int.self) {
      outline = .step(StepIndex(position))
    } else if let items = try? decoder.singleValueContainer().decode([OutlineCoding].self) {
      outline = .sequence(items.map(\.outline))
    } else {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if let name = try container.decodeIfPresent(String.self, forKey: .group) {
        outline = .group(name, try container.decode(OutlineCoding.self, forKey: .steps).outline)
        return
      }
      let branches = try container.decode([OutlineCoding].self, forKey: .parallel)
      outline = .parallel(branches.map(\.outline))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch outline {
    case .step(let index):
      var container = encoder.singleValueContainer()
      try container.encode(index.position)
    case .sequence(let items):
      var container = encoder.unkeyedContainer()
      for item in items {
        // Most items are steps, which need no encoder of their own.
        if case .step(let index) = item {
          try container.encode(index.position)
        } else {
          try container.encode(OutlineCoding(outline: item))
        }
      }
    case .parallel(let branches):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(branches.map(OutlineCoding.init), forKey: .parallel)
    case .group(let name, let inner):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .group)
      try container.encode(OutlineCoding(outline: inner), forKey: .steps)
    }
  }
}

extension RunPlan {
  /// Returns the ids of the items to which a name refers.
  ///
  /// - Parameter name: The id of a step with `foreach` or `matrix`, for all of its items, or the name
  ///   of some by their index or by values of their labels, such as `unit.mac`.
  /// - Returns: The ids, in order; empty if there are none.
  package func ids(ofItems name: String) -> [String] {
    let all = steps.map(\.id).filter { $0.hasPrefix(name + "[") }
    guard all.isEmpty else { return all }
    return ItemName(name).positions(among: steps.map { ($0.id, $0.label) }).map { steps[$0].id }
  }
}
