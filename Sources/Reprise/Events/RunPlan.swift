// What is going to be run, as the first event of a run tells it. Knows no actions and no values:
// a display needs names and shape, and nothing that could be secret.

public import WorkflowLanguage

/// The steps of a run and how they hang together.
public struct RunPlan: Sendable, Equatable {
  /// The name of the workflow.
  public var workflow: String
  /// The steps in file order.
  public var steps: [PlannedStep]
  /// The shape that the file gave to the steps; its indices point into `steps`.
  public var outline: Outline

  /// Puts a plan together.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - steps: The steps in file order.
  ///   - outline: Their shape; when left out, one step after the other.
  public init(workflow: String, steps: [PlannedStep], outline: Outline? = nil) {
    self.workflow = workflow
    self.steps = steps
    self.outline = outline ?? .sequence(steps.indices.map { .step(StepIndex($0)) })
  }
}

/// One step of a plan.
public struct PlannedStep: Sendable, Equatable, Codable {
  /// The id of the step.
  public var id: String
  /// The ids of the steps that must be over before this one starts.
  public var needs: [String]
  /// What tells it from the others that the same step of the file became, such as `linux, 5`.
  public var label: String?
  /// Whether the run goes on when it fails; nil means no.
  public var continuesOnError: Bool?
  /// How many seconds it took in earlier runs; nil where that is not known.
  public var usualSeconds: Double?

  /// Names a step and what it needs.
  ///
  /// - Parameters:
  ///   - id: The id of the step.
  ///   - needs: The ids of the steps that it needs.
  ///   - label: What tells it from its siblings.
  ///   - continuesOnError: Whether the run goes on when it fails.
  ///   - usualSeconds: How many seconds it took in earlier runs.
  public init(
    id: String, needs: [String] = [], label: String? = nil, continuesOnError: Bool? = nil,
    usualSeconds: Double? = nil
  ) {
    self.id = id
    self.needs = needs
    self.label = label
    self.continuesOnError = continuesOnError
    self.usualSeconds = usualSeconds
  }

  private enum CodingKeys: String, CodingKey {
    case id, needs, label
    case continuesOnError = "continue-on-error"
    case usualSeconds = "usual-seconds"
  }
}

extension RunPlan {
  /// The plan of a workflow.
  ///
  /// - Parameters:
  ///   - workflow: What is going to be run.
  ///   - usualDurations: How long steps took in earlier runs, by their ids.
  public init(_ workflow: Workflow, usualDurations: [String: Duration] = [:]) {
    self.init(
      workflow: workflow.name,
      steps: workflow.steps.map { step in
        PlannedStep(
          id: step.id, needs: step.needs, label: step.extrasIfAny?.label,
          continuesOnError: step.extrasIfAny?.continuesOnError == true ? true : nil,
          usualSeconds: usualDurations[step.id].map { $0 / .seconds(1) })
      },
      outline: workflow.outline)
  }
}

extension RunPlan: Codable {
  private enum CodingKeys: String, CodingKey {
    case workflow, steps, outline
  }

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    workflow = try container.decode(String.self, forKey: .workflow)
    steps = try container.decode([PlannedStep].self, forKey: .steps)
    outline = try container.decode(OutlineCoding.self, forKey: .outline).outline
  }

  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workflow, forKey: .workflow)
    try container.encode(steps, forKey: .steps)
    try container.encode(OutlineCoding(outline: outline), forKey: .outline)
  }
}

/// An outline in JSON: a step is its position, a sequence an array, parallel branches and groups objects,
/// as in `[0, {"parallel": [1, 2, [3, 4]]}, {"group": "test", "steps": {"parallel": [5, 6]}}]`.
private struct OutlineCoding: Codable {
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
      var container = encoder.singleValueContainer()
      try container.encode(items.map(OutlineCoding.init))
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
