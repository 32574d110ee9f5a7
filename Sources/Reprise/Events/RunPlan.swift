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
  /// The ids of the steps that must have succeeded before this one starts.
  public var needs: [String]

  /// Names a step and what it needs.
  ///
  /// - Parameters:
  ///   - id: The id of the step.
  ///   - needs: The ids of the steps that it needs.
  public init(id: String, needs: [String] = []) {
    self.id = id
    self.needs = needs
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

/// An outline in JSON: a step is its position, a sequence an array, parallel branches an object,
/// as in `[0, {"parallel": [1, 2, [3, 4]]}, 5]`.
private struct OutlineCoding: Codable {
  var outline: Outline

  private enum CodingKeys: String, CodingKey {
    case parallel
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
    }
  }
}
