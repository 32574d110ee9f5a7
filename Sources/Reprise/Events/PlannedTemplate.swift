// `PlannedTemplate`: the steps for each item of a step that is expanded during the run, in its plan.

package import Workflows

/// The steps for each item of a step that is expanded during the run.
package typealias PlannedTemplate = ItemTemplate<PlannedStep>

extension ItemTemplate where Step == PlannedStep {
  fileprivate init(_ template: FanTemplate, of workflow: Workflow) {
    self.init()
    steps = template.steps.map { PlannedStep($0, of: workflow) }
    outline = template.content.outline
    ends = template.ends
    groupNames = template.content.groupNames
    mark = template.content.mark
  }
}

extension PlannedStep: ExpandableStep {
  package mutating func replaceNeeds(_ others: (String) -> [String]?) {
    guard needs.contains(where: { others($0) != nil }) else { return }
    var seen: Set<String> = []
    needs = needs.flatMap { others($0) ?? [$0] }.filter { seen.insert($0).inserted }
  }

  package mutating func keepNeeds(in ids: Set<String>) {
    needs.removeAll { !ids.contains($0) }
  }
}

extension ItemTemplate: Codable where Step == PlannedStep {
  private enum CodingKeys: String, CodingKey {
    case steps, outline, ends, mark
    case groupNames = "group-names"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
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
      continuesOnError: workflow.isTolerated(step) ? true : nil,
      graceSeconds: (step.grace ?? workflow.grace).map { $0 / .seconds(1) },
      isService: step.action.isService ? true : nil)
    name = step.extrasIfAny?.name
    undoes = step.undoes
    if step.extrasIfAny?.approval != nil { isOpenEnded = true }
    if let values = step.extrasIfAny?.approvalRule?.values, !values.isEmpty {
      approvalValues = values.map { PlannedValue($0) }
    }
    switch step.waitEnd {
    case .after(let duration): usualSeconds = duration / .seconds(1)
    case .at, .stopped: isOpenEnded = true
    case nil: break
    }
    items = step.items
    template = step.template.map { PlannedTemplate($0, of: workflow) }
  }

  /// Takes the usual durations of the step and of those of its items.
  mutating func take(_ usualDurations: [String: Duration]) {
    // A service ends with what needs it, and a wait has the duration that the file says.
    if isService != true, usualSeconds == nil {
      usualSeconds = usualDurations[id].map { $0 / .seconds(1) }
    }
    guard template != nil, !usualDurations.isEmpty else { return }
    for index in template?.steps.indices ?? 0..<0 { template?.steps[index].take(usualDurations) }
  }

  /// Returns the step with the names of an item.
  func renamed(_ names: ItemNames) -> PlannedStep {
    var copy = self
    copy.id = names.id(id)
    copy.needs = needs.map(names.id)
    copy.undoes = undoes.map(names.id)
    copy.name = name.map(names.text)
    copy.label = label.map(names.text)
    copy.template = template?.renamed(names) { $0.renamed(names) }
    return copy
  }
}
