// Checks that the branches of a group with `max-parallel` do not wait for one another.

extension WorkflowReader {
  /// Reports groups whose branches could wait for one another forever.
  ///
  /// A branch begins when everything outside of it that it needs has ended, and then keeps its slot.
  /// So in the graph with one more vertex for each branch, its beginning, there must be no cycle.
  mutating func checkItems(in graph: Graph) {
    guard !limitPlaces.isEmpty else { return }
    var members: [GroupItem: [Int]] = [:]
    for (position, step) in steps.enumerated() {
      for item in step.extrasIfAny?.items ?? [] where item.limit != nil && item.countsItems {
        members[item, default: []].append(position)
      }
    }
    let items = members.keys.sorted { ($0.group, $0.item) < ($1.group, $1.item) }
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
    for (number, item) in items.enumerated() {
      let own = Set(members[item] ?? [])
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
    for (number, item) in items.enumerated() where missing[steps.count + number] > 0 {
      guard let place = limitPlaces[item.limitName] else { continue }
      readers[place.file].report(.itemsWaiting, at: place.mark, length: place.length)
      return
    }
  }
}
