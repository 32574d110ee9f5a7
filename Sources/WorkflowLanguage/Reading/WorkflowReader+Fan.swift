// Reads steps whose `foreach` or `matrix` is computed from outputs of other steps during a run.

import YAML

extension WorkflowReader {
  /// Whether the items of a step are only known during a run.
  func isFan(_ fields: Fields, _ context: Context) -> Bool {
    if let node = fields["foreach"] { return isComputedLater(node, context) }
    guard let node = fields["matrix"] else { return false }
    if case .mapping(let pairs) = node.content {
      return pairs.contains { isComputedLater($0.value, context) }
    }
    return isComputedLater(node, context)
  }

  /// Whether a value is one text with an expression that depends on a step.
  private func isComputedLater(_ node: Node, _ context: Context) -> Bool {
    guard case .scalar(let text, _) = node.content, text.hasExpression,
      let template = try? Template(parsing: text)
    else { return false }
    return template.expressions.contains { expression, _ in
      if !expression.stepNames.isEmpty { return true }
      return expression.namedMembers.contains { root, name in
        guard root == .params, case .template? = scopes[context.scope].parameters[name] else {
          return false
        }
        return true
      }
    }
  }

  /// Reads a step that a run expands: it becomes one step of the graph.
  mutating func readFan(
    _ fields: Fields, _ id: String, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    let file = context.file
    let draft = drafts.count
    if let key = fields.key("matrix"), fields["foreach"] != nil {
      readers[file].report(.exclusive("foreach", "matrix", in: "a step"), at: key)
      return (nil, needs)
    }
    for (name, isGroup) in [("uses", false), ("steps", true), ("parallel", true)] {
      guard let key = fields.key(name) else { continue }
      readers[file].report(.fanOfUses(isGroup: isGroup), at: key)
      return (nil, needs)
    }
    if let approval = fields.key("approval") {
      readers[file].report(.approvalOfExpandedStep, at: approval)
    }
    let before = errorCount
    let (source, own) = readSource(fields, context, draft)
    let bindings = own.within(context.bindings)
    let limit = fields["max-items"].flatMap { itemsLimit($0, context) } ?? FanStep.itemsMax
    var inner = groupContext(fullID(id, scope: context.scope), context)
    inner.bindings = bindings
    let key = fields["key"].flatMap { template($0, "key", .itemKey, inner, draft: draft) }
    let (_, ends) = readSingle(fields, id, needs, inner)
    let failFastCount = fields["fail-fast"].flatMap { readFailFast($0, context) }
    let parallelLimit = fields["max-parallel"].flatMap { number($0, "max-parallel", context) }
    guard let source, steps.count == draft + 1, errorCount == before else { return (nil, ends) }
    var (step, isValid) = fanStep(
      steps[draft], source, key, limit, bindings, fields["if"], context)
    guard isValid, var fan = step.action.kind as? FanStep else { return (nil, ends) }
    fan.outer = context.bindings
    fan.failFastCount = failFastCount
    fan.parallelLimit = parallelLimit
    step.action = Workflow.Step.Action(fan)
    steps[draft] = step
    scopes[context.scope].groups[id] = StepGroup(kind: .each([]), ends: [step.id])
    return (.group(step.id + "[*]", .sequence([.step(StepIndex(draft))])), ends)
  }

  /// Splits a step into the one that computes the items and the template for each of them.
  private mutating func fanStep(
    _ template: Workflow.Step, _ source: FanStep.Source, _ key: Template?, _ limit: Int,
    _ bindings: Bindings, _ condition: Node?, _ context: Context
  ) -> (Workflow.Step, isValid: Bool) {
    var template = template
    var extras = context.extras
    extras.scope = context.scope
    extras.bindings = context.bindings
    extras.finally = template.extras.finally
    extras.continuesOnError = template.extras.continuesOnError
    extras.name = template.extras.name
    template.extras.name = nil
    extras.mutex = nil
    extras.runner = nil
    // A condition that does not depend on the item decides about all of them at once.
    let own = template.extras.conditions.filter { $0.bindings == bindings && $0.dependsOnItem }
    extras.conditions = template.extras.conditions.filter { !own.contains($0) }.map { condition in
      var condition = condition
      if condition.bindings == bindings { condition.bindings = context.bindings }
      return condition
    }
    if let condition, own.contains(where: { $0.template.testsStatus }) {
      readers[context.file].report(.statusOfItem, at: condition)
      return (template, false)
    }
    template.extras.conditions = own
    let fan = FanStep(source: source, key: key, limit: limit, template: template)
    var step = Workflow.Step(id: template.id, action: Workflow.Step.Action(fan))
    step.grace = template.grace
    step.extras = extras
    return (step, true)
  }

  /// Returns the context of the steps to which a step is expanded.
  private func groupContext(_ group: String, _ context: Context) -> Context {
    var inner = context
    inner.extras.groups.append(group)
    return inner
  }

  private mutating func itemsLimit(_ node: Node, _ context: Context) -> Int? {
    guard let limit = number(node, "max-items", context) else { return nil }
    guard limit <= FanStep.limitMax else {
      readers[context.file].report(.aboveMaximum("max-items", FanStep.limitMax), at: node)
      return nil
    }
    return limit
  }

  // MARK: Items that are known before the run

  /// Returns whether `max-items` allows a number of items, or reports an error.
  mutating func isAllowed(_ count: Int, _ fields: Fields, _ context: Context) -> Bool {
    guard let node = fields["max-items"], let limit = itemsLimit(node, context), count > limit
    else { return true }
    readers[context.file].report(.tooManyItems(count, maximum: limit), at: node)
    return false
  }

  /// Returns the keys of items; nil if the step has none, or with an error.
  mutating func readKeys(_ fields: Fields, _ all: [Bindings], _ context: Context) -> [String]? {
    guard let node = fields["key"] else { return nil }
    var inner = context
    var keys: [String] = []
    for bindings in all {
      inner.bindings = bindings
      guard let key = text(node, "key", inner) else { return nil }
      guard ExpandedItem.isKey(key) else {
        readers[context.file].report(.itemKey(key), at: node)
        return nil
      }
      keys.append(key)
    }
    guard let (first, second) = ExpandedItem.duplicate(in: keys) else { return keys }
    readers[context.file].report(.itemKeyTwice(keys[first], first, second), at: node)
    return nil
  }

  // MARK: Items

  private mutating func readSource(
    _ fields: Fields, _ context: Context, _ draft: Int
  ) -> (FanStep.Source?, Bindings) {
    if let node = fields["foreach"] {
      var bindings = Bindings(item: .null, index: 0, label: "…")
      bindings.isOpen = true
      let source = template(node, "foreach", .items(.foreach), context, draft: draft)
      return (source.map(FanStep.Source.foreach), bindings)
    }
    var bindings = Bindings(matrix: [:], label: "…")
    bindings.isOpen = true
    guard let node = fields["matrix"] else { return (nil, bindings) }
    guard case .mapping = node.content else {
      let source = template(node, "matrix", .items(.matrix), context, draft: draft)
      return (source.map(FanStep.Source.matrix), bindings)
    }
    var names: [String] = []
    var lists: [String: FanStep.List] = [:]
    for (name, key, value) in readers[context.file].named(node, "matrix", .identifier) {
      if name == "fail-fast" || name == "max-parallel" {
        readers[context.file].report(.misplaced(.ofMatrix(name)), at: key)
        continue
      }
      names.append(name)
      if isComputedLater(value, context) {
        lists[name] = template(
          value, name, .items(.matrixList(name)), context, draft: draft
        ).map(FanStep.List.computed)
      } else {
        lists[name] = settledList(value, name, context).map { .known(.list($0)) }
      }
    }
    bindings.matrixNames = Set(names).subtracting(["include", "exclude"])
    // Combinations to add can have further names; those of computed ones are not known.
    switch lists["include"] {
    case .computed: bindings.matrixNames = []
    case .known(.list(let values)):
      for case .map(let map) in values { bindings.matrixNames.formUnion(map.keys) }
    default: break
    }
    return (.lists(names, lists), bindings)
  }
}

extension StepExtras.Condition {
  /// Whether it depends on an item or a matrix.
  fileprivate var dependsOnItem: Bool {
    template.expressions.contains { expression, _ in
      var depends = false
      expression.visit { part in
        switch part.kind {
        case .root(.item), .root(.index), .root(.matrix): depends = true
        default: break
        }
      }
      return depends
    }
  }
}
