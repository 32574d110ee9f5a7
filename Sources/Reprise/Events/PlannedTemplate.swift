// `PlannedTemplate`: the steps for each item of a step that is expanded during the run, in its plan.

package import WorkflowLanguage

/// The steps for each item of a step that is expanded during the run.
///
/// Their ids begin with that of the step and `[*]`.
package struct PlannedTemplate: Sendable, Equatable {
  /// The steps, in file order.
  package var steps: [PlannedStep]
  /// Their layout; its indices are positions in `steps`.
  package var outline: Outline
  /// The ids of the last steps.
  package var ends: [String]
  /// The names of groups in displays, by id.
  package var groupNames: [String: String]
  /// The mark in names and labels in place of the label of the item.
  package var mark: String

  init(_ template: FanTemplate, of workflow: Workflow) {
    steps = template.steps.map { PlannedStep($0, of: workflow) }
    outline = template.outline
    ends = template.ends
    groupNames = template.groupNames
    mark = template.mark
  }

  /// Returns the template with the names of an item of a template around it.
  func renamed(_ names: ItemNames) -> PlannedTemplate {
    var copy = self
    copy.steps = steps.map { $0.renamed(names) }
    copy.outline = outline.renaming(names.id)
    copy.ends = ends.map(names.id)
    copy.groupNames = [:]
    for (id, name) in groupNames { copy.groupNames[names.id(id)] = names.text(name) }
    return copy
  }
}

extension PlannedTemplate: Codable {
  private enum CodingKeys: String, CodingKey {
    case steps, outline, ends, mark
    case groupNames = "group-names"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    steps = try container.decode([PlannedStep].self, forKey: .steps)
    outline = try container.decode(OutlineCoding.self, forKey: .outline).outline
    ends = try container.decode([String].self, forKey: .ends)
    mark = try container.decode(String.self, forKey: .mark)
    groupNames = try container.decodeIfPresent([String: String].self, forKey: .groupNames) ?? [:]
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(steps, forKey: .steps)
    try container.encode(OutlineCoding(outline: outline), forKey: .outline)
    try container.encode(ends, forKey: .ends)
    try container.encode(mark, forKey: .mark)
    if !groupNames.isEmpty { try container.encode(groupNames, forKey: .groupNames) }
  }
}

extension PlannedStep {
  /// Creates the plan of a step, without its usual duration.
  init(_ step: Workflow.Step, of workflow: Workflow) {
    self.init(
      id: step.id, needs: step.needs, label: step.extrasIfAny?.label,
      continuesOnError: step.extrasIfAny?.isTolerated == true ? true : nil,
      graceSeconds: (step.grace ?? workflow.grace).map { $0 / .seconds(1) },
      isService: step.action.isService ? true : nil)
    name = step.extrasIfAny?.name
    items = workflow.items(of: step)
    template = workflow.template(of: step).map { PlannedTemplate($0, of: workflow) }
  }

  /// Returns the step with the names of an item.
  fileprivate func renamed(_ names: ItemNames) -> PlannedStep {
    var copy = self
    copy.id = names.id(id)
    copy.needs = needs.map(names.id)
    copy.name = name.map(names.text)
    copy.label = label.map(names.text)
    copy.template = template?.renamed(names)
    return copy
  }
}
