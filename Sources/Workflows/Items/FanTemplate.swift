// `FanTemplate`: the steps for each item of a `foreach` or `matrix` that is computed during a run.

/// The steps for each item of a step that a run expands, as they were read.
///
/// Values of the item are kept open, see ``Bindings``.
package struct FanTemplate: Sendable, Equatable {
  /// The steps.
  package var content = ItemTemplate<Workflow.Step>()
  /// The positions of the scopes of the steps, if they have scopes of their own.
  package var scopes = 0..<0
  /// The positions of the groups that are a part of it.
  package var groups = 0..<0

  /// The steps, in file order.
  package var steps: [Workflow.Step] { content.steps }
  /// The ids of the last steps.
  package var ends: [String] { content.ends }

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

/// Positions that are copied to the end of a list.
private struct CopiedRange {
  private let range: Range<Int>
  private let shift: Int

  init(_ range: Range<Int>, to end: Int) {
    self.range = range
    shift = end - range.lowerBound
  }

  /// Returns the position of the copy; the same position if it is not copied.
  func copy(of position: Int) -> Int { range.contains(position) ? position + shift : position }

  func copy(of inner: Range<Int>) -> Range<Int> {
    inner.isEmpty ? inner : copy(of: inner.lowerBound)..<copy(of: inner.upperBound - 1) + 1
  }
}

/// Makes the steps of one item from their template.
struct ItemCopy {
  let names: ItemNames
  /// The id of the step that is expanded.
  private let step: String
  /// Its number.
  private let number: Int
  private let bindings: Bindings
  private let scopes: CopiedRange
  private let groups: CopiedRange

  /// Creates a copy.
  ///
  /// - Parameters:
  ///   - fan: What the step does.
  ///   - step: The id of the step.
  ///   - item: The item.
  ///   - index: Its position.
  ///   - counts: The numbers of scopes and groups so far, after which those of the item come.
  init(
    of fan: FanStep, _ step: String, for item: ExpandedItem, at index: Int,
    _ counts: (scopes: Int, groups: Int)
  ) {
    self.step = step
    number = fan.number
    names = ItemNames(of: step, mark: fan.template.content.mark, for: item)
    bindings = item.bindings(at: index)
    scopes = CopiedRange(fan.template.scopes, to: counts.scopes)
    groups = CopiedRange(fan.template.groups, to: counts.groups)
  }

  /// Returns the copy of a template: of the one itself, or of one inside of it.
  func template(_ template: FanTemplate) -> FanTemplate {
    var copy = template
    copy.content = template.content.renamed(names, step)
    copy.scopes = scopes.copy(of: template.scopes)
    copy.groups = groups.copy(of: template.groups)
    return copy
  }

  /// Returns the copy of the scope at a position.
  func scope(_ scope: Scope, at position: Int) -> Scope {
    var copy = scope
    copy.origin = scope.origin ?? position
    copy.parent = scope.parent.map(scopes.copy(of:))
    copy.enclosing = scope.enclosing.map(scopes.copy(of:))
    copy.prefix = names.id(scope.prefix)
    copy.title = scope.title.map(names.text)
    copy.bindings = scope.bindings?.filled(for: number, with: bindings)
    copy.callerOuter = scope.callerOuter.map(outer)
    copy.groups = scope.groups.mapValues(group)
    return copy
  }

  /// Returns the copy of the group at a position.
  func group(_ group: Group, at position: Int) -> Group {
    var copy = group
    copy.origin = group.origin ?? position
    copy.parent = group.parent.map { GroupIndex(groups.copy(of: $0.position)) }
    copy.name = names.id(group.name)
    return copy
  }

  /// Returns the copy of a group in a scope.
  func group(_ group: StepGroup) -> StepGroup {
    var copy = group
    copy.ends = group.ends.map(names.id)
    if case .used(let scope, let outputs) = group.kind {
      copy.kind = .used(scope: scopes.copy(of: scope), outputs: outputs)
    }
    return copy
  }

  private func outer(_ settings: OuterSettings) -> OuterSettings {
    settings.filled(for: number, with: bindings, scope: scopes.copy(of: settings.scope))
  }

  private func step(_ step: Workflow.Step) -> Workflow.Step {
    var copy = step
    copy.id = names.id(step.id)
    copy.replaceNeeds { [names.id($0)] }
    copy.group = GroupIndex(groups.copy(of: step.group.position))
    var extras = copy.extras
    extras.bindings = extras.bindings?.filled(for: number, with: bindings)
    for position in extras.conditions.indices {
      let condition = extras.conditions[position]
      extras.conditions[position].scope = scopes.copy(of: condition.scope)
      extras.conditions[position].bindings =
        condition.bindings?.filled(for: number, with: bindings)
    }
    extras.outer = extras.outer.map(outer)
    extras.name = extras.name.map(names.text)
    extras.fan = extras.fan.map(names.id)
    extras.undoes = extras.undoes.map(names.id)
    extras.scope = scopes.copy(of: extras.scope)
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
