// The beginnings and ends of groups: their steps begin after what the group needs, and what follows a
// group waits for all of its steps.

extension WorkflowReader {
  /// Reads the needs of a step or group of its own, to which those of the group around it are added.
  ///
  /// The last step in the file need not be the last one to end in the groups around it then.
  ///
  /// - Returns: The needs; nil if it has none of its own.
  mutating func readOwnNeeds(_ fields: Fields, _ context: Context) -> [Need]? {
    guard let node = fields["needs"] else { return nil }
    let needs = readNeeds(node, context)
    guard context.group != .run else { return needs }
    groupsWithOwnNeeds.formUnion(groups.path(from: context.group))
    return needs + context.opening.filter { !needs.contains($0) }
  }

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
