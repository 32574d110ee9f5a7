// Resolves names to steps after all steps have been read, and lets what follows a group wait for
// all of its steps.

import Workflows
import YAML

extension WorkflowReader {
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

  /// Resolves the needs of all steps.
  mutating func resolveNeeds(_ builder: inout GraphBuilder) {
    var count = 0
    for position in drafts.indices {
      resolveNeeds(of: position, &builder)
      count += steps[position].needs.count
      guard count > Workflow.needsMax else { continue }
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

  /// Returns the id of a step in the graph.
  package func fullID(_ id: String, scope: Int) -> String {
    let prefix = scopes[scope].prefix
    return prefix.isEmpty ? id : prefix + id
  }

  /// Returns whether an id is the full id of a name in a scope.
  func isNamed(_ id: String, _ name: String, _ scope: Int) -> Bool {
    let prefix = scopes[scope].prefix
    return prefix.isEmpty ? id == name : id == prefix + name
  }
}

extension WorkflowReader {
  /// Makes what follows a group wait for each of its steps that no other step of the group needs.
  ///
  /// The order of the list already does so, except for groups in which steps have needs of their own.
  mutating func addEnds() {
    guard !groupsWithOwnNeeds.isEmpty, errorCount == 0 else { return }
    let positions = Dictionary(
      steps.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first }
    )
    var members: [GroupIndex: [Int]] = [:]
    var followers: [Int: [Int]] = [:]
    for position in drafts.indices {
      for group in groups.path(from: steps[position].group)
      where groupsWithOwnNeeds.contains(group) {
        members[group, default: []].append(position)
      }
      for case .step(let end) in drafts[position].needs {
        followers[end, default: []].append(position)
      }
    }
    // Inner groups first: they have higher numbers than those around them.
    for group in groupsWithOwnNeeds.sorted(by: { $0.position > $1.position }) {
      let members = members[group] ?? []
      let ends = openEnds(among: members, positions)
      for member in members {
        for follower in followers[member] ?? []
        where group == outermostGroup(around: member, without: follower) {
          for end in ends where !drafts[follower].needs.contains(.step(end)) {
            drafts[follower].needs.append(.step(end))
          }
        }
      }
      if groups[group].hasID { add(ends, toGroup: groups[group].name) }
    }
  }

  /// Returns the outermost group around a step that does not contain another one.
  private func outermostGroup(around step: Int, without other: Int) -> GroupIndex? {
    groups.path(from: steps[step].group).last { !groups.contains(steps[other].group, in: $0) }
  }

  /// Adds ends to what the name of a group refers to.
  private mutating func add(_ ends: [Int], toGroup id: String) {
    let ids = ends.map { steps[$0].id }
    func adding(_ known: [String]) -> [String] { known + ids.filter { !known.contains($0) } }
    for scope in scopes.indices where id.hasPrefix(scopes[scope].prefix) {
      let name = String(id.dropFirst(scopes[scope].prefix.count))
      guard let group = scopes[scope].groups[name] else { continue }
      scopes[scope].groups[name]?.ends = adding(group.ends)
    }
    for position in fans.indices where steps[fans[position].draft].id == id {
      fans[position].ends = adding(fans[position].ends)
    }
  }

  /// Returns the steps of a group that no other step of the group needs with its end.
  ///
  /// Not services, which end by themselves when no step uses them.
  private func openEnds(among members: [Int], _ positions: [String: Int]) -> [Int] {
    var needed: Set<Int> = []
    for member in members {
      for need in drafts[member].needs { needed.formUnion(positionsNeeded(need, positions)) }
    }
    return members.filter { !needed.contains($0) && !steps[$0].action.isService }
  }

  /// Returns the positions of the steps for whose end a need waits.
  private func positionsNeeded(_ need: Need, _ positions: [String: Int]) -> [Int] {
    switch need {
    case .step(let position): return [position]
    case .name(let number):
      let name = needNames[number]
      guard name.result != .ready else { return [] }
      return (ids(of: name.text, scope: name.scope) ?? []).compactMap { positions[$0] }
    }
  }
}
