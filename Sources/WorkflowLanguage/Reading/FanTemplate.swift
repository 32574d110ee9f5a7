// `FanTemplate`: the steps for each item of a `foreach` or `matrix` that is computed during a run.

/// The steps for each item of a step that a run expands.
///
/// A single step is a template of one step. The ids begin with that of the step and `[*]`; values of
/// the item are kept open, see ``Bindings``.
package struct FanTemplate: Sendable, Equatable {
  /// The steps, in file order.
  package internal(set) var steps: [Workflow.Step] = []
  /// Their layout; its indices are positions in `steps`.
  package internal(set) var outline = Outline.sequence([])
  /// The ids of the last steps, which the steps after the whole need.
  package internal(set) var ends: [String] = []
  /// The names of groups in displays, by id.
  package internal(set) var groupNames: [String: String] = [:]
  /// The mark in names and labels in place of the label of the item.
  package internal(set) var mark = ""
  /// The positions of the scopes of the steps, if they have scopes of their own.
  var scopes = 0..<0

  /// The lines that describe the steps to users.
  var shown: [String] {
    guard steps.count != 1 || !scopes.isEmpty else {
      return steps.first?.action.kind.shown ?? []
    }
    return steps.flatMap { step in
      [step.shownWithID] + step.action.kind.shown.map { "  " + $0 }
    }
  }

  /// The steps and those of templates inside of it.
  var allSteps: [Workflow.Step] {
    steps.flatMap { [$0] + (($0.action.kind as? FanStep)?.template.allSteps ?? []) }
  }
}

/// Makes the steps of one item from their template.
struct ItemCopy {
  let names: ItemNames
  /// The id of the step that is expanded.
  private let step: String
  /// Its number.
  private let number: Int
  private let index: Int
  private let bindings: Bindings
  /// The scopes of the template.
  private let scopes: Range<Int>
  /// The distance to their copies.
  private let shift: Int

  /// Creates a copy.
  ///
  /// - Parameters:
  ///   - fan: What the step does.
  ///   - step: The id of the step.
  ///   - item: The item.
  ///   - index: Its position.
  ///   - scopeCount: The number of scopes so far, after which those of the item come.
  init(
    of fan: FanStep, _ step: String, for item: ExpandedItem, at index: Int, scopeCount: Int
  ) {
    self.step = step
    self.index = index
    number = fan.number
    names = ItemNames(of: step, mark: fan.template.mark, for: item)
    bindings = item.bindings(at: index)
    scopes = fan.template.scopes
    shift = scopeCount - scopes.lowerBound
  }

  /// Returns the copy of a template: of the one itself, or of one inside of it.
  func template(_ template: FanTemplate) -> FanTemplate {
    var copy = template
    copy.steps = template.steps.map(self.step)
    copy.outline = template.outline.renaming(names.id)
    copy.ends = template.ends.map(names.id)
    copy.groupNames = [:]
    for (id, name) in template.groupNames { copy.groupNames[names.id(id)] = names.text(name) }
    if !template.scopes.isEmpty {
      copy.scopes = scope(template.scopes.lowerBound)..<scope(template.scopes.upperBound - 1) + 1
    }
    return copy
  }

  /// Returns the position of the copy of a scope; the same position if the scope is not copied.
  private func scope(_ position: Int) -> Int {
    scopes.contains(position) ? position + shift : position
  }

  /// Returns the copy of the scope at a position.
  func scope(_ scope: Scope, at position: Int) -> Scope {
    var copy = scope
    copy.origin = scope.origin ?? position
    copy.parent = scope.parent.map(self.scope)
    copy.enclosing = scope.enclosing.map(self.scope)
    copy.prefix = names.id(scope.prefix)
    copy.title = scope.title.map(names.text)
    copy.bindings = scope.bindings?.filled(for: number, with: bindings)
    copy.groups = scope.groups.mapValues(group)
    return copy
  }

  /// Returns the copy of a group.
  func group(_ group: StepGroup) -> StepGroup {
    var copy = group
    copy.ends = group.ends.map(names.id)
    if case .used(let scope, let outputs) = group.kind {
      copy.kind = .used(scope: self.scope(scope), outputs: outputs)
    }
    return copy
  }

  private func step(_ step: Workflow.Step) -> Workflow.Step {
    var copy = step
    copy.id = names.id(step.id)
    copy.replaceNeeds { [names.id($0)] }
    var extras = copy.extras
    extras.bindings = extras.bindings?.filled(for: number, with: bindings)
    for position in extras.conditions.indices {
      let condition = extras.conditions[position]
      extras.conditions[position].scope = scope(condition.scope)
      extras.conditions[position].bindings =
        condition.bindings?.filled(for: number, with: bindings)
    }
    extras.name = extras.name.map(names.text)
    extras.fan = extras.fan.map(names.id)
    extras.scope = scope(extras.scope)
    extras.groups = extras.groups.map(names.id)
    extras.tolerantGroups = extras.tolerantGroups.map(names.id)
    for position in extras.rules.indices {
      extras.rules[position].group = names.id(extras.rules[position].group)
    }
    for position in extras.items.indices {
      extras.items[position].holder = names.id(extras.items[position].holder)
      guard !extras.items[position].isMutex else { continue }
      if extras.items[position].group == self.step { extras.items[position].item = index }
      extras.items[position].group = names.id(extras.items[position].group)
    }
    copy.extras = extras
    if var fan = step.action.kind as? FanStep {
      fan.template = template(fan.template)
      copy.action = Workflow.Step.Action(fan)
    }
    return copy
  }
}

extension Outline {
  /// Returns the outline with other names of groups.
  package func renaming(_ name: (String) -> String) -> Outline {
    switch self {
    case .step: self
    case .sequence(let items): .sequence(items.map { $0.renaming(name) })
    case .parallel(let branches): .parallel(branches.map { $0.renaming(name) })
    case .group(let group, let inner): .group(name(group), inner.renaming(name))
    }
  }
}
