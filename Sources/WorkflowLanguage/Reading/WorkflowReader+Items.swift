// Checks that the branches of a group with `max-parallel` do not wait for one another.

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
