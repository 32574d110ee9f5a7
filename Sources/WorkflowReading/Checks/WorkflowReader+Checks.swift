// Checks what can only be checked when all steps are known.

package import Workflows
import YAML

extension WorkflowReader {
  /// Resolves the needs of all steps, and reports dependency cycles and errors in expressions.
  ///
  /// - Returns: The graph, or nil if needs are invalid.
  package mutating func checkedGraph() -> Graph? {
    let before = errorCount
    addEnds()
    var builder = GraphBuilder(ids: steps.map(\.id))
    resolveNeeds(&builder)
    var graph: Graph?
    if errorCount == before { graph = try? builder.graph() }
    // Report cycles even if some needs are unknown, because those are not part of a cycle.
    if graph == nil, let cycle = builder.cycle() { report(cycle: cycle) }
    if let graph {
      checkItems(in: graph)
      checkServices(in: graph)
    }
    // Check expressions even if needs are invalid, as far as possible.
    checkExpressions(in: graph)
    return graph
  }

  private mutating func report(cycle: [String]) {
    guard let position = steps.firstIndex(where: { $0.id == cycle.first }) else { return }
    let draft = drafts[position]
    let next = cycle[1 % cycle.count]
    var need: NeedName?
    for case .name(let number) in draft.needs {
      let name = needNames[number]
      guard ids(of: name.text, scope: name.scope)?.contains(next) == true else { continue }
      need = need ?? name
    }
    readers[draft.file].report(
      .cycle(cycle), at: need?.mark ?? draft.mark, length: need?.length ?? draft.length)
  }

  // MARK: Expressions

  private mutating func checkExpressions(in graph: Graph?) {
    let reach = reach(in: graph)
    // Reuse the scope: most expressions are at the same kind of place as the previous one.
    var last:
      (place: ExpressionPlace, scope: Int, isFinally: Bool, expressionScope: ExpressionScope)?
    for check in checks {
      let scope: ExpressionScope
      let isFinally = isFinally(check)
      if let last, last.place == check.place, last.scope == check.scope,
        last.isFinally == isFinally, check.bindings == nil
      {
        scope = last.expressionScope
      } else {
        scope = expressionScope(
          of: check.place, scope: check.scope, check.bindings, isFinally: isFinally)
        last = check.bindings == nil ? (check.place, check.scope, isFinally, scope) : nil
      }
      do throws(ExpressionError) {
        let types = try check.template.types(in: scope)
        try checkKind(types, check)
        try checkSteps(check, reach)
        checkComparisons(check)
      } catch {
        readers[check.file].report(error, in: check.node)
        // Do not reuse the scope: whether it searches for hints depends on the number of errors.
        last = nil
      }
    }
  }

  /// Returns whether a template belongs to a step under `finally`.
  private func isFinally(_ check: Check) -> Bool {
    guard let position = check.draft, position < steps.count else { return false }
    return steps[position].extrasIfAny?.finally != nil
  }

  private func checkKind(_ types: ValueTypes, _ check: Check) throws(ExpressionError) {
    var whole: Range<Int> { 0..<max(1, check.template.source.unicodeScalars.count) }
    switch check.place {
    case .condition, .workflowCondition, .repetition:
      if check.template.parts.count > 1 {
        throw ExpressionError(.severalExpressions, whole)
      }
      let known = types.subtracting(.null)
      guard !known.isEmpty, !known.contains(.boolean) else { return }
      throw ExpressionError(.condition(types), whole)
    case .argument where check.template.isArguments: return
    case .items(let items):
      try checkItems(types, items, whole)
    case .environment, .workflowEnvironment, .workflowDirectory, .setting, .argument, .cacheKey,
      .share, .itemKey:
      guard types.isDisjoint(with: [.text, .number, .boolean, .null]) else { return }
      throw ExpressionError(.textExpected(types), whole)
    case .with, .outputs, .workflowOutputs, .triggers, .settled, .runner: return
    }
  }

  private func checkItems(
    _ types: ValueTypes, _ items: ExpressionPlace.Items, _ range: Range<Int>
  ) throws(ExpressionError) {
    guard types.isDisjoint(with: items == .matrix ? .map : .list) else { return }
    switch items {
    case .foreach: throw ExpressionError(.foreachValue(types), range)
    case .matrix: throw ExpressionError(.matrixNotAMap(found: types.name), range)
    case .matrixList(let name):
      throw ExpressionError(.matrixValue(name, found: types.name), range)
    }
  }

  /// Returns which steps have finished when the steps that refer to them start.
  private func reach(in graph: Graph?) -> Reach {
    var reach = Reach(graph)
    guard graph != nil else { return reach }
    for check in checks {
      guard let position = check.draft, position < drafts.count else { continue }
      for (expression, _) in check.template.expressions {
        for (name, _) in expression.stepNames {
          guard let ids = ids(of: name, scope: check.scope) else { continue }
          let scope = scope(declaring: name, seenFrom: check.scope)
          reach.ask(fullID(name, scope: scope), ids, position)
        }
      }
    }
    reach.solve()
    return reach
  }

  /// Checks that all steps that an expression refers to have finished when its step starts.
  private func checkSteps(_ check: Check, _ reach: Reach) throws(ExpressionError) {
    guard let position = check.draft, position < drafts.count,
      check.template.expressions.contains(where: { !$0.expression.stepNames.isEmpty })
    else { return }
    let step = steps[position]
    for (expression, offset) in check.template.expressions {
      for (name, range) in expression.stepNames {
        guard let ids = ids(of: name, scope: check.scope) else { continue }
        let own = fullID(name, scope: scope(declaring: name, seenFrom: check.scope))
        let isAfter = finallyIDs.contains(own)
        if step.extrasIfAny?.finally != nil && !isAfter { continue }
        let cause: Diagnostic.Cause
        if isAfter && step.extrasIfAny?.finally == nil {
          cause = .finallyStep(name, isNeed: false)
        } else if own == step.id {
          cause = .ownOutputs(isInOutputs: check.place == .outputs || check.place == .repetition)
        } else if !reach.covers(own, position) {
          cause = .notFinished(
            name,
            needsThis: readers[check.file].searchesSuggestions
              && reach.isAfter(ids.first ?? "", position))
        } else {
          continue
        }
        throw ExpressionError(cause, range).moved(by: offset)
      }
    }
  }
}

extension WorkflowReader {
  /// Reports groups whose branches could wait for one another forever.
  ///
  /// A branch begins when everything outside of it that it needs has ended, and then keeps its slot.
  /// So in the graph with one more vertex for each branch, its beginning, there must be no cycle.
  mutating func checkItems(in graph: Graph) {
    guard !limitPlaces.isEmpty else { return }
    let items = limitedItems()
    // The edges: first those of steps, then those from and to the beginnings of items.
    var next: [[Int]] = Array(repeating: [], count: steps.count + items.count)
    var missing = Array(repeating: 0, count: next.count)
    func add(_ from: Int, _ to: Int) {
      next[from].append(to)
      missing[to] += 1
    }
    for index in graph.indices {
      for need in graph.needs(of: index) { add(need.position, index.position) }
    }
    for (number, (_, own)) in items.enumerated() {
      var outside: Set<Int> = []
      for member in own {
        add(steps.count + number, member)
        for need in graph.needs(of: StepIndex(member)) where !own.contains(need.position) {
          outside.insert(need.position)
        }
      }
      for need in outside { add(need, steps.count + number) }
    }
    var ready = missing.indices.filter { missing[$0] == 0 }
    while let vertex = ready.popLast() {
      for other in next[vertex] {
        missing[other] -= 1
        if missing[other] == 0 { ready.append(other) }
      }
    }
    for (number, (group, _)) in items.enumerated() where missing[steps.count + number] > 0 {
      guard let place = groups.limits(of: group).compactMap({ limitPlaces[$0.name] }).first else {
        continue
      }
      readers[place.file].report(.itemsWaiting, at: place.mark, length: place.length)
      return
    }
  }

  /// Returns the groups that take places of limits, and the positions of their steps.
  private func limitedItems() -> [(GroupIndex, Set<Int>)] {
    var members: [GroupIndex: Set<Int>] = [:]
    for (position, step) in steps.enumerated() {
      for group in groups.path(from: step.group) where !groups.limits(of: group).isEmpty {
        members[group, default: []].insert(position)
      }
    }
    return members.sorted { $0.key.position < $1.key.position }.map { ($0.key, $0.value) }
  }
}

extension WorkflowReader {
  /// Adds the services that belong to a list of steps to its last steps: it is over when they are.
  ///
  /// - Parameters:
  ///   - ends: The last steps.
  ///   - first: The position of the first step of the list.
  ///   - list: The group of the list.
  /// - Returns: The needs of what follows the list.
  @inline(never)
  package func withServices(_ ends: [Need], from first: Int, of list: GroupIndex) -> [Need] {
    let services = (first..<steps.count).filter {
      steps[$0].action.isService && groups.list(around: steps[$0].group) == list
        && !ends.contains(.step($0))
    }
    return ends + services.map { .step($0) }
  }

  /// Returns why a step cannot use a service, whose id it needs; nil if it can.
  func problem(ofUsing service: Workflow.Step, _ step: Workflow.Step) -> Diagnostic.Cause? {
    let list = groups.list(around: service.group)
    guard service.action.isService, !groups.contains(step.group, in: list) else { return nil }
    return .serviceOutside(service.id, of: groups[list].hasID ? groups[list].name : nil)
  }

  /// Warns of services in a list none of whose other steps can use them.
  mutating func warnOfServices(_ services: ServiceUsers) {
    for (service, users) in services.users where users.isEmpty {
      let step = steps[service.position]
      guard groups.list(around: step.group) != .run else { continue }
      let draft = drafts[service.position]
      readers[draft.file].report(
        .serviceOfNothing(step.id), at: draft.mark, length: draft.length, severity: .warning)
    }
  }

  /// Reports steps that would wait forever because of a service.
  mutating func checkServices(in graph: Graph) {
    guard steps.contains(where: \.action.isService) else { return }
    var workflow = Workflow(
      name: "", description: nil, file: nil, shell: .standard, timeout: nil, grace: nil,
      maxParallel: nil, concurrency: nil, steps: steps, outline: .sequence([]), graph: graph)
    workflow.groups = groups
    let plan = Plan(workflow)
    let services = ServiceUsers(of: plan)
    warnOfServices(services)
    if let cycle = plan.cycleThroughServices(services) {
      report(.serviceCycle(cycle), atStep: cycle.first ?? "")
    }
    if let (step, service, pool) = plan.stepThatWaitsForPool(services) {
      report(.poolOfService(pool: pool, service: service), atStep: step)
    }
  }

  private mutating func report(_ cause: Diagnostic.Cause, atStep id: String) {
    guard let position = steps.firstIndex(where: { $0.id == id }) else { return }
    let draft = drafts[position]
    readers[draft.file].report(cause, at: draft.mark, length: draft.length)
  }
}
