// A binary heap of step positions.

/// A binary min-heap of positions.
///
/// Insertion and removal take logarithmic time.
package struct PositionHeap: Sendable {
  private var positions: [Int]

  /// Creates a heap.
  ///
  /// - Parameter ascending: The positions in ascending order, which already form a heap.
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

  /// Removes and returns the smallest position, or returns nil if the heap is empty.
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
