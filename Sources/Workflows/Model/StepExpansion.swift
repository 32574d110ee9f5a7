// `StepExpansion`: puts the steps of items after the step that was expanded to them. Pure.

/// A step that a run can expand: of a workflow, or of the plan in the events of a run.
package protocol ExpandableStep: Sendable, Equatable {
  /// The id of the step.
  var id: String { get }

  /// The id of the step whose work it undoes; nil for other steps.
  var undoes: String? { get }

  /// Replaces the ids of needs by others; nil to keep one.
  mutating func replaceNeeds(_ others: (String) -> [String]?)

  /// Removes the needs that are not among some ids.
  mutating func keepNeeds(in ids: Set<String>)
}

/// The steps for each item of a step that a run expands.
///
/// A single step is a template of one step. The ids begin with that of the step and `[*]`.
package struct ItemTemplate<Step: ExpandableStep>: Sendable, Equatable {
  /// The steps, in file order.
  package var steps: [Step] = []
  /// Their layout; its indices are positions in `steps`.
  package var outline = Outline.sequence([])
  /// The ids of the last steps, which the steps after the whole need.
  package var ends: [String] = []
  /// The names of groups in displays, by id.
  package var groupNames: [String: String] = [:]
  /// The mark in names and labels in place of the label of the item.
  package var mark = ""

  package init() {}

  /// Returns the template with the names of an item.
  ///
  /// - Parameters:
  ///   - names: The names.
  ///   - copy: Returns the copy of a step.
  /// - Returns: The template.
  package func renamed(_ names: ItemNames, _ copy: (Step) -> Step) -> Self {
    var renamed = self
    renamed.steps = steps.map(copy)
    renamed.outline = outline.renaming(names.id)
    renamed.ends = ends.map(names.id)
    renamed.groupNames = [:]
    for (id, name) in groupNames { renamed.groupNames[names.id(id)] = names.text(name) }
    return renamed
  }
}

/// Builds the list of steps in which each expanded step is followed by the steps of its items.
///
/// Those of them that undo others come later instead: after the step that undoes the expanded one.
///
/// The first steps of an item need the step that was expanded; steps that need that step need the last
/// steps of all of its items, too. Linear in steps and needs.
package struct StepExpansion<Step: ExpandableStep> {
  private var steps: [Step] = []
  /// The last steps of the items of a step that was expanded.
  private var ends: [String: [String]] = [:]
  /// The names of groups of the items, by id.
  package private(set) var groupNames: [String: String] = [:]
  /// The steps of items that undo others, by the outermost step that was expanded.
  private var undos: [String: [Step]] = [:]

  package init() {}

  /// Adds steps and the steps to which they are expanded.
  ///
  /// - Parameters:
  ///   - list: The steps.
  ///   - outline: Their layout.
  ///   - copies: Returns the copies of the template of a step for its items, in their order; nil for
  ///     a step that is not expanded.
  /// - Returns: The layout with the steps of items; nil if it is empty.
  package mutating func add(
    _ list: [Step], _ outline: Outline, _ copies: (Step) -> [ItemTemplate<Step>]?
  ) -> Outline? {
    add(list, outline, of: nil, copies)
  }

  private mutating func add(
    _ list: [Step], _ outline: Outline, of outermost: String?,
    _ copies: (Step) -> [ItemTemplate<Step>]?
  ) -> Outline? {
    var moved: [Int?] = []
    var children: [Int: [Outline]] = [:]
    for (position, step) in list.enumerated() {
      if let outermost, step.undoes != nil {
        undos[outermost, default: []].append(step)
        moved.append(nil)
        continue
      }
      moved.append(steps.count)
      steps.append(step)
      if let undone = step.undoes, let others = undos[undone] {
        children[position] = others.indices.map { .step(StepIndex(steps.count + $0)) }
        steps += others
      }
      guard let templates = copies(step) else { continue }
      ends[step.id] = templates.flatMap(\.ends)
      children[position] = templates.compactMap { copy in
        groupNames.merge(copy.groupNames) { $1 }
        return add(copy.steps, copy.outline, of: outermost ?? step.id, copies)
      }
    }
    // Invalid events can have positions that do not exist.
    return outline.moving(
      to: { moved.indices.contains($0) ? moved[$0] : nil }, children: { children[$0] })
  }

  /// Returns the last steps of the items of a step, and of those inside of them; nil if it was not
  /// expanded.
  package func allEnds(of step: String) -> [String]? {
    ends[step].map { $0.flatMap { end in [end] + (allEnds(of: end) ?? []) } }
  }

  /// The steps; those that need an expanded step need the last steps of its items, too.
  package var connectedSteps: [Step] {
    guard !ends.isEmpty else { return steps }
    let ids = Set(steps.map(\.id))
    return steps.map { step in
      var step = step
      let id = step.id
      step.replaceNeeds { need in
        ItemNames.isOfItem(id, of: need) ? nil : allEnds(of: need).map { [need] + $0 }
      }
      // A part of a workflow need not have what the steps of items need.
      step.keepNeeds(in: ids)
      return step
    }
  }
}
