// A binary heap of the positions of steps. Plain value.

/// A binary heap that gives the smallest position first.
///
/// Adding and removing are logarithmic in their number.
package struct PositionHeap: Sendable {
  private var positions: [Int]

  /// Makes a heap.
  ///
  /// - Parameter ascending: Positions in ascending order, which is a heap already.
  package init(_ ascending: [Int] = []) {
    positions = ascending
  }

  /// Adds a position.
  package mutating func insert(_ position: Int) {
    positions.append(position)
    var child = positions.count - 1
    while child > 0, positions[child] < positions[(child - 1) / 2] {
      positions.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the smallest position and returns it; nil when there is none.
  package mutating func popSmallest() -> Int? {
    guard let smallest = positions.first, let last = positions.popLast() else { return nil }
    guard !positions.isEmpty else { return smallest }
    positions[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      if child + 1 < positions.count, positions[child + 1] < positions[child] { child += 1 }
      guard child < positions.count, positions[child] < positions[parent] else { return smallest }
      positions.swapAt(child, parent)
      parent = child
    }
  }
}
