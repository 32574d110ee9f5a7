// Reads steps whose `foreach` or `matrix` is computed from outputs of other steps during a run.

import WorkflowReading
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

  /// Whether a value is one text with an expression that depends on a step, or on an item that is
  /// only known during the run.
  private func isComputedLater(_ node: Node, _ context: Context) -> Bool {
    guard case .scalar(let text, _) = node.content, text.hasExpression,
      let template = try? Template(parsing: text)
    else { return false }
    if let bindings = context.bindings, template.depends(onOpen: bindings) { return true }
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

  /// A step or group with computed items that is being read.
  struct Fan {
    let id: String
    /// The position of the step that computes the items.
    let draft: Int
    let kind: FanStep
    /// The context of the steps for each item.
    let inner: Context
    /// The position of the first scope of the steps, and that of their first group.
    let scope: Int
    let group: Int
    let errorCount: Int

    /// The id of the steps for each item.
    var member: String { ItemNames.template(of: id) }
  }

  /// Reads a step or group that a run expands: a step that computes the items, and the template of
  /// the steps for each item.
  ///
  /// The steps of the template are read and checked like those of any other item, and removed from
  /// the steps of the workflow at the end; see ``foldFans(_:)``.
  // This function calls itself for nested groups, so its frame must stay small.
  mutating func readFan(
    _ fields: Fields, _ id: String, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard let fan = openFan(fields, id, needs, context) else { return (nil, needs) }
    let undoCount = undos.count
    let (outline, ends) = readInstance(fields, fan.member, [.step(fan.draft)], fan.inner)
    readUndos(ofItemsFrom: undoCount, fields, id, context)
    return closeFan(fan, fields, outline, ends, context)
  }

  /// Reads what the steps of a template depend on; nil after an error.
  @inline(never)
  private mutating func openFan(
    _ fields: Fields, _ id: String, _ needs: [Need], _ context: Context
  ) -> Fan? {
    let draft = drafts.count
    guard mayExpand(fields, context) else { return nil }
    let before = errorCount
    let (source, own) = readSource(fields, context, draft)
    let group = fullID(id, scope: context.scope)
    var inner = context
    inner.keepOuterItem()
    inner.bindings = own.within(context.bindings)
    inner.extras.fan = group
    let limit = fields["max-items"].flatMap { itemsLimit($0, context) } ?? FanStep.itemsMax
    let key = fields["item-id"].flatMap { template($0, "item-id", .itemKey, inner, draft: draft) }
    let continuesOnError = fields["continue-on-error"].flatMap {
      boolean($0, "continue-on-error", context)
    }
    var step = Workflow.Step(id: group, action: .wait)
    step.extras = context.extras
    if !fields.isGroup {
      step.extras.continuesOnError = continuesOnError ?? context.defaults.continuesOnError
    }
    (step.group, inner.group) = addFan(group, fields, continuesOnError == true, context)
    step.extras.scope = context.scope
    step.extras.bindings = context.bindings
    steps.append(step)
    let idNode = fields["id"] ?? fields.node
    let length = fields["id"] == nil ? 1 : idNode.length
    drafts.append(Draft(needs: needs, file: context.file, mark: idNode.mark, length: length))
    guard let source else { return nil }
    return Fan(
      id: id, draft: draft,
      kind: FanStep(source: source, key: key, limit: limit, number: draft), inner: inner,
      scope: scopes.count, group: groups.count, errorCount: before)
  }

  /// Adds the group of a step with computed items, and inside of it, if it has limits, that of the
  /// items, of which the step that computes them is none.
  ///
  /// - Returns: The groups of the step and of its items.
  private mutating func addFan(
    _ name: String, _ fields: Fields, _ continuesOnError: Bool, _ context: Context
  ) -> (GroupIndex, items: GroupIndex) {
    var group = Group(name: name, hasID: true, in: context.group)
    // What follows the group runs whether or not there are items.
    group.continuesOnError = fields.isGroup && continuesOnError
    let all = groups.add(group)
    var items = Group(name: name + ":items", in: all)
    readLimits(ofParts: fields, of: &items, context)
    let isLimited = items.maxParallel != nil || items.failFastCount != nil
    return (all, isLimited ? groups.add(items) : all)
  }

  /// Completes the step that computes the items, after the steps of its template have been read.
  @inline(never)
  private mutating func closeFan(
    _ fan: Fan, _ fields: Fields, _ outline: Outline?, _ ends: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    let all = [.step(fan.draft)] + ends
    guard let outline, errorCount == fan.errorCount, drafts.count > fan.draft + 1 else {
      return (nil, all)
    }
    var step = steps[fan.draft]
    if let condition = takeConditions(of: fan, fields, context) {
      step.extras.conditions.append(condition)
    }
    step.extras.conditions += conditions(ofNeeds: fields["needs"], context)
    let name = fields["name"].map { withLabel($0, fan.inner, label: "…") }
    step.extras.name = stepName(name, fan.id, context)
    let first = steps[fan.draft + 1]
    let isSingle =
      fan.scope == scopes.count
      && steps[(fan.draft + 1)...].count { $0.extrasIfAny?.undoes == nil } == 1
    step.grace = first.grace
    step.extras.skipsDependents = isSingle && first.extras.skipsDependents
    if context.isFinally {
      step.extras.finally = isSingle ? first.extras.finally : Set(RunEnding.allCases)
    } else if context.isCleanUp {
      step.extras.cleanUp = isSingle ? first.extras.cleanUp : Set(RunEnding.allCases)
    }
    step.action = Workflow.Step.Action(fan.kind)
    steps[fan.draft] = step
    fans.append(
      FoldedFan(
        draft: fan.draft, scope: context.scope, name: fan.id, outline: outline,
        ends: stepIDs(of: ends), scopes: fan.scope..<scopes.count,
        groups: fan.group..<groups.count))
    scopes[context.scope].groups[fan.id] = StepGroup(
      kind: .each([]), ends: stepIDs(of: all))
    return (.group(step.id + "[*]", .sequence([.step(StepIndex(fan.draft))])), all)
  }

  /// Removes the conditions about all items from the steps of a template: they are evaluated once,
  /// before the items are computed.
  ///
  /// - Returns: The condition of the step or group itself; nil if it has none, or one that depends on
  ///   the item.
  private mutating func takeConditions(
    of fan: Fan, _ fields: Fields, _ context: Context
  ) -> StepExtras.Condition? {
    let outer = context.extras.conditions
    var own: StepExtras.Condition?
    if let node = fields["if"], case .scalar = node.content, let bindings = fan.inner.bindings,
      let conditions = steps[fan.draft + 1].extrasIfAny?.conditions,
      conditions.count > outer.count
    {
      own = conditions[outer.count]
      if let template = own?.template, template.depends(onOpen: bindings) {
        if template.testsStatus { readers[context.file].report(.statusOfItem, at: node) }
        own = nil
      }
    }
    for position in fan.draft + 1..<drafts.count where steps[position].extrasIfAny != nil {
      steps[position].extras.conditions.removeAll { outer.contains($0) || $0 == own }
    }
    own?.bindings = context.bindings
    return own
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

  /// Returns whether the keys of a step allow to expand it, or reports an error.
  mutating func mayExpand(_ fields: Fields, _ context: Context) -> Bool {
    if let key = fields.key("matrix"), fields["foreach"] != nil {
      readers[context.file].report(.exclusive("foreach", "matrix", in: "a step"), at: key)
      return false
    }
    if let approval = fields.key("approval") {
      readers[context.file].report(.approvalOfExpandedStep, at: approval)
    }
    return true
  }

  /// Reads `max-parallel` and `fail-fast`, which count the parts of a group.
  mutating func readLimits(ofParts fields: Fields, of group: inout Group, _ context: Context) {
    group.failFastCount = fields["fail-fast"].flatMap { readFailFast($0, context) }
    group.maxParallel = fields["max-parallel"].flatMap { number($0, "max-parallel", context) }
  }

  /// Returns whether a key belongs in a matrix, or reports an error.
  mutating func isKey(_ name: String, ofMatrix key: Node, _ context: Context) -> Bool {
    guard name == "fail-fast" || name == "max-parallel" else { return true }
    readers[context.file].report(.keyInMatrix(name), at: key)
    return false
  }

  /// Returns whether `max-items` allows a number of items, or reports an error.
  mutating func isAllowed(_ count: Int, _ fields: Fields, _ context: Context) -> Bool {
    guard let node = fields["max-items"], let limit = itemsLimit(node, context), count > limit
    else { return true }
    readers[context.file].report(.tooManyItems(count, maximum: limit), at: node)
    return false
  }

  /// Returns the keys of items; nil if the step has none, or with an error.
  mutating func readKeys(_ fields: Fields, _ all: [Bindings], _ context: Context) -> [String]? {
    guard let node = fields["item-id"] else { return nil }
    var inner = context
    var keys: [String] = []
    for bindings in all {
      inner.bindings = bindings
      guard let key = text(node, "item-id", inner) else { return nil }
      guard ExpandedItem.isKey(key) else {
        let bytesMax = ExpandedItem.keyBytesMax
        readers[context.file].report(
          key.utf8.count > bytesMax ? .longItemKey(key, bytesMax: bytesMax) : .itemKey(key),
          at: node)
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
      var bindings = Bindings(item: .null, index: 0, label: ItemNames.mark(of: draft))
      bindings.openItem = draft
      let source = template(node, "foreach", .items(.foreach), context, draft: draft)
      return (source.map(FanStep.Source.foreach), bindings)
    }
    var bindings = Bindings(matrix: [:], label: ItemNames.mark(of: draft))
    bindings.openMatrix = draft
    guard let node = fields["matrix"] else { return (nil, bindings) }
    guard case .mapping = node.content else {
      let source = template(node, "matrix", .items(.matrix), context, draft: draft)
      return (source.map(FanStep.Source.matrix), bindings)
    }
    var names: [String] = []
    var lists: [String: FanStep.List] = [:]
    for (name, key, value) in readers[context.file].named(node, "matrix", .identifier)
    where isKey(name, ofMatrix: key, context) {
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

extension Template {
  /// Whether it depends on values of an item that are only known during the run.
  func depends(onOpen bindings: Bindings) -> Bool {
    guard bindings.isOpen else { return false }
    return expressions.contains { expression, _ in
      var depends = false
      expression.visit { part in
        switch part.kind {
        case .root(.item), .root(.index): depends = depends || bindings.openItem != nil
        case .root(.matrix): depends = depends || bindings.openMatrix != nil
        default: break
        }
      }
      return depends
    }
  }
}
