// Graphs of different shapes as flat arrays of needs.

/// Steps in topological order; step `n` needs `needs[starts[n]..<starts[n + 1]]`.
struct Shape: Sendable {
  private(set) var starts: [Int] = [0]
  private(set) var needs: [Int] = []

  /// The number of steps.
  var count: Int { starts.count - 1 }
  /// The total number of needs.
  var edgeCount: Int { needs.count }

  /// Adds a step that needs steps added before.
  mutating func add(needs: some Sequence<Int>) {
    self.needs += needs
    starts.append(self.needs.count)
  }

  /// Returns the needs of a step.
  func needs(of step: Int) -> ArraySlice<Int> { needs[starts[step]..<starts[step + 1]] }
}

/// Returns layers of 100 steps, each step with two needs in the previous layer.
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

/// Returns a chain in which each step needs the previous one.
func chain(_ edges: Int) -> Shape {
  var shape = Shape()
  shape.add(needs: [])
  for step in 0..<edges { shape.add(needs: [step]) }
  return shape
}

/// Returns a graph in which all steps need the first one.
func fanOut(_ edges: Int) -> Shape {
  var shape = Shape()
  shape.add(needs: [])
  for _ in 0..<edges { shape.add(needs: [0]) }
  return shape
}

/// Returns a graph in which the last step needs all others.
func fanIn(_ edges: Int) -> Shape {
  var shape = Shape()
  for _ in 0..<edges { shape.add(needs: []) }
  shape.add(needs: 0..<edges)
  return shape
}

/// Returns two layers of the given width; each step of the second needs all of the first.
func dense(_ width: Int) -> Shape {
  var shape = Shape()
  for _ in 0..<width { shape.add(needs: []) }
  for _ in 0..<width { shape.add(needs: 0..<width) }
  return shape
}

/// Runs Kahn's algorithm (Communications of the ACM 5, 1962): the minimum work of any program that
/// runs a graph.
///
/// - Returns: The number of steps that were reached.
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
