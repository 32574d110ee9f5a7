// Graphs of different shapes as flat arrays: what each step needs. Knows nothing of publishers.

/// Steps in topological order; step `n` needs `needs[starts[n]..<starts[n + 1]]`.
struct Shape: Sendable {
  private(set) var starts: [Int] = [0]
  private(set) var needs: [Int] = []

  /// How many steps there are.
  var count: Int { starts.count - 1 }
  /// How many needs there are in all.
  var edgeCount: Int { needs.count }

  /// Adds a step that needs steps added before.
  mutating func add(needs: some Sequence<Int>) {
    self.needs += needs
    starts.append(self.needs.count)
  }

  /// What a step needs.
  func needs(of step: Int) -> ArraySlice<Int> { needs[starts[step]..<starts[step + 1]] }
}

/// Layers of 100, each step with two needs in the layer before.
func layers(_ count: Int) -> Shape {
  let width = 100
  var shape = Shape()
  for step in 0..<count {
    let start = (step / width - 1) * width
    let column = step % width
    // 7 × column + 3 is never column modulo 100: 6 × column + 3 is odd.
    shape.add(needs: start < 0 ? [] : [start + column, start + (column * 7 + 3) % width])
  }
  return shape
}

/// Each step needs the one before.
func chain(_ edges: Int) -> Shape {
  var shape = Shape()
  shape.add(needs: [])
  for step in 0..<edges { shape.add(needs: [step]) }
  return shape
}

/// All steps but the first need the first.
func fanOut(_ edges: Int) -> Shape {
  var shape = Shape()
  shape.add(needs: [])
  for _ in 0..<edges { shape.add(needs: [0]) }
  return shape
}

/// The last step needs all others.
func fanIn(_ edges: Int) -> Shape {
  var shape = Shape()
  for _ in 0..<edges { shape.add(needs: []) }
  shape.add(needs: 0..<edges)
  return shape
}

/// Two layers of a width; each step of the second needs all of the first.
func dense(_ width: Int) -> Shape {
  var shape = Shape()
  for _ in 0..<width { shape.add(needs: []) }
  for _ in 0..<width { shape.add(needs: 0..<width) }
  return shape
}

/// Counts the needs of each step down and goes on with those that have none left, as Kahn's algorithm
/// does (Communications of the ACM 5, 1962): the least that anybody does who runs a graph.
///
/// - Returns: How many steps were reached.
func kahnLoop(_ shape: Shape) -> Int {
  var missing = [Int32](repeating: 0, count: shape.count)
  var starts = [Int](repeating: 0, count: shape.count + 1)
  for step in 0..<shape.count {
    missing[step] = Int32(shape.needs(of: step).count)
    for need in shape.needs(of: step) { starts[need + 1] += 1 }
  }
  for step in 0..<shape.count { starts[step + 1] += starts[step] }
  var places = starts
  var dependents = [Int](repeating: 0, count: shape.edgeCount)
  for step in 0..<shape.count {
    for need in shape.needs(of: step) {
      dependents[places[need]] = step
      places[need] += 1
    }
  }
  var ready = (0..<shape.count).filter { missing[$0] == 0 }
  ready.reserveCapacity(shape.count)
  var next = 0
  while next < ready.count {
    let step = ready[next]
    next += 1
    for dependent in dependents[starts[step]..<starts[step + 1]] {
      missing[dependent] -= 1
      if missing[dependent] == 0 { ready.append(dependent) }
    }
  }
  return ready.count
}
