// Reads `needs`, and resolves names to steps after all steps have been read.

import YAML

extension WorkflowReader {
  /// Reads `needs`, whose names are resolved after all steps have been read.
  mutating func readNeeds(_ node: Node, _ context: Context) -> [Need] {
    if case .mapping(let pairs) = node.content { return readNeeds(byResult: pairs, context) }
    let file = context.file
    let nodes: [Node]
    if case .scalar = node.content {
      nodes = [node]
    } else {
      nodes = readers[file].list(node, of: "an id or a list of ids") ?? []
    }
    var seen: Set<String> = []
    var needs: [Need] = []
    needs.reserveCapacity(nodes.count)
    for (position, need) in nodes.enumerated() {
      guard let id = readers[file].nonEmptyText(need, "needs") else { continue }
      // For a few needs, comparing is faster than hashing.
      let isKnown =
        nodes.count > 8
        ? !seen.insert(id).inserted : nodes[..<position].contains { $0.says(id) }
      if isKnown {
        readers[file].report(.neededTwice(id), at: need)
        continue
      }
      needs.append(addNeed(id, need, .success, context))
    }
    return needs
  }

  private mutating func addNeed(
    _ id: String, _ node: Node, _ result: ExpectedResult?, _ context: Context
  ) -> Need {
    needNames.append(
      NeedName(
        text: id, mark: node.mark, length: node.length, scope: context.scope, file: context.file,
        result: result))
    return .name(needNames.count - 1)
  }

  /// Reads `needs` with what is expected of each: `{ build: success, lint: over, any: [b, c] }`.
  private mutating func readNeeds(byResult pairs: [Node.Pair], _ context: Context) -> [Need] {
    let file = context.file
    var seen: Set<String> = []
    var needs: [Need] = []
    for (key, value) in pairs.map({ ($0.key, $0.value) }) {
      guard let id = readers[file].nonEmptyText(key, "needs") else { continue }
      if id == "any", case .sequence(let nodes) = value.content {
        if nodes.isEmpty { readers[file].report(.emptyList(of: "step", .unsearched), at: value) }
        for node in nodes {
          guard let id = readers[file].nonEmptyText(node, "any") else { continue }
          if seen.insert(id).inserted {
            needs.append(addNeed(id, node, nil, context))
          } else {
            readers[file].report(.neededTwice(id), at: node)
          }
        }
        continue
      }
      let names = ExpectedResult.allCases.map(\.rawValue)
      if id == "any", !names.contains(value.text ?? "") {
        readers[file].report(.notAList("a list of steps", found: value.kindName), at: value)
        continue
      }
      guard let name = readers[file].choice(value, "result", of: names),
        let result = ExpectedResult(rawValue: name)
      else { continue }
      if seen.insert(id).inserted {
        needs.append(addNeed(id, key, result, context))
      } else {
        readers[file].report(.neededTwice(id), at: key)
      }
    }
    return needs
  }

  /// Reads `if-skipped`: whether the steps that need a skipped step are skipped, too.
  mutating func readIfSkipped(_ node: Node, _ context: Context) -> Bool? {
    settled(node, "if-skipped", context)
      .flatMap { readers[context.file].choice($0, "if-skipped", of: ["run", "skip"]) }
      .map { $0 == "skip" }
  }

  // MARK: Resolution

  /// Returns the ids of the steps that a name in a file refers to; nil if there is no such step.
  func ids(of name: String, scope: Int) -> [String]? {
    let scope = self.scope(declaring: name, seenFrom: scope)
    if let group = scopes[scope].groups[name] { return group.ends }
    return places[scope][name] == nil ? nil : [fullID(name, scope: scope)]
  }

  /// Returns the scope that declares the name of a step: the given one, or one around it.
  func scope(declaring name: String, seenFrom scope: Int) -> Int {
    var position = scope
    while scopes[position].groups[name] == nil, places[position][name] == nil,
      !stepIDs[position].positional.contains(name)
    {
      guard let outer = scopes[position].enclosing else { return scope }
      position = outer
    }
    return position
  }

  /// The maximum number of needs of all steps of a workflow together.
  ///
  /// A step that follows a group needs each step of the group, so two consecutive groups have as
  /// many needs as the product of their sizes.
  static let needsMax = 1_000_000

  /// Resolves the needs of all steps.
  mutating func resolveNeeds(_ builder: inout GraphBuilder) {
    var count = 0
    for position in drafts.indices {
      resolveNeeds(of: position, &builder)
      count += steps[position].needs.count
      guard count > Self.needsMax else { continue }
      let draft = drafts[position]
      readers[draft.file].report(.tooManyNeeds, at: draft.mark, length: draft.length)
      return
    }
  }

  /// Resolves the needs of a step to ids for the step and to edges of the graph.
  private mutating func resolveNeeds(of position: Int, _ builder: inout GraphBuilder) {
    if let needs = plainNeeds(of: position, &builder) {
      steps[position].needs = needs
    } else {
      builder.forgetNeeds()
      var rules = NeedRules()
      steps[position].needs = resolved(drafts[position].needs, of: steps[position], &rules)
      if rules != NeedRules() { steps[position].extras.needRules = rules }
      for id in steps[position].needs { builder.need(id) }
    }
    builder.endStep()
  }

  /// Returns the ids of the needs if each name refers to a single other step; nil otherwise.
  ///
  /// This is the fast path for almost all steps.
  private func plainNeeds(of position: Int, _ builder: inout GraphBuilder) -> [String]? {
    var ids: [String] = []
    ids.reserveCapacity(drafts[position].needs.count)
    for need in drafts[position].needs {
      let other: Int
      switch need {
      case .step(let step): other = step
      case .name(let number):
        guard needNames[number].result == .success, let step = plainStep(named: number),
          step != position
        else { return nil }
        other = step
      }
      builder.need(other)
      ids.append(steps[other].id)
    }
    return ids
  }

  /// Returns the position of the single step that a name refers to.
  ///
  /// Returns nil if there is no such step, if it is a group, or if the need may be an error.
  private func plainStep(named number: Int) -> Int? {
    let name = needNames[number].text
    let scope = scope(declaring: name, seenFrom: needNames[number].scope)
    guard scopes[scope].groups.isEmpty || scopes[scope].groups[name] == nil,
      let step = places[scope][name]?.step, step < steps.count,
      // The position of an invalid step belongs to another step.
      isNamed(steps[step].id, name, scope),
      finallyIDs.isEmpty || !finallyIDs.contains(steps[step].id),
      steps[step].group == .run || !steps[step].action.isService
    else { return nil }
    return step
  }

  private mutating func resolved(
    _ needs: [Need], of step: Workflow.Step, _ rules: inout NeedRules
  ) -> [String] {
    var result: [String] = []
    result.reserveCapacity(needs.count)
    for need in needs {
      switch need {
      case .step(let position): result.append(steps[position].id)
      case .name(let number): result += resolved(needNames[number], of: step, &rules)
      }
    }
    // Names are unique, so only groups can cause duplicates.
    guard result.count > needs.count else { return result }
    var seen: Set<String> = []
    return result.filter { seen.insert($0).inserted }
  }

  private mutating func resolved(
    _ need: NeedName, of step: Workflow.Step, _ rules: inout NeedRules
  ) -> [String] {
    let scope = scope(declaring: need.text, seenFrom: need.scope)
    let ids = ids(of: need.text, scope: scope)
    if let problem = problem(of: need, ids, of: step, scope) {
      readers[need.file].report(problem, at: need.mark, length: need.length)
      return []
    }
    // An invalid step is missing; its errors have been reported.
    guard let ids else { return [] }
    switch need.result {
    case nil: rules.anyOf.formUnion(ids)
    case .success: break
    case let expected?: for id in ids { rules.results[id] = expected }
    }
    return ids.isEmpty ? idsPassed(byEmptyGroup: fullID(need.text, scope: scope)) : ids
  }

  private func problem(
    of need: NeedName, _ ids: [String]?, of step: Workflow.Step, _ scope: Int
  ) -> Diagnostic.Cause? {
    let name = need.text
    let id = scopes[scope].prefix + name
    if stepIDs[scope].positional.contains(name) { return .positionalID(name) }
    if finallyIDs.contains(id), step.extrasIfAny?.finally == nil {
      return .finallyStep(name, isNeed: true)
    }
    if ids == [step.id] || groups.path(from: step.group).contains(where: { groups[$0].name == id })
    {
      return .needsItself(name)
    }
    if ids?.count == 1, ids?.first == id, need.result != .over,
      let service = places[scope][name].flatMap({ $0.step < steps.count ? steps[$0.step] : nil }),
      service.id == id
    {
      return self.problem(ofUsing: service, step)
    }
    guard ids == nil else { return nil }
    if name.contains(",") { return .needsAsText(name) }
    let isSearched = readers[need.file].searchesSuggestions
    let near = isSearched ? nearest(to: name, among: places[scope].keys) : nil
    return .unknownNeed(name, of: step.id, nearest: near)
  }

  /// Returns the ids of the steps that an expanded step without items needs.
  ///
  /// What needs it must still run after them.
  private func idsPassed(byEmptyGroup id: String) -> [String] {
    var result: [String] = []
    var open = [id]
    var seen: Set<String> = []
    while let group = open.popLast() {
      guard seen.insert(group).inserted else { continue }
      for need in emptyGroups[group] ?? [] {
        switch need {
        case .step(let position): result.append(steps[position].id)
        case .name(let number):
          let name = needNames[number].text
          let scope = scope(declaring: name, seenFrom: needNames[number].scope)
          guard let ids = ids(of: name, scope: scope) else { continue }
          result += ids
          if ids.isEmpty { open.append(fullID(name, scope: scope)) }
        }
      }
    }
    return result
  }

  /// Returns whether an id is the full id of a name in a scope.
  func isNamed(_ id: String, _ name: String, _ scope: Int) -> Bool {
    let prefix = scopes[scope].prefix
    return prefix.isEmpty ? id == name : id == prefix + name
  }
}
