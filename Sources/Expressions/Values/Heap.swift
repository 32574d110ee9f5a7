// A binary heap.

/// A collection whose smallest element is found at once and removed in logarithmic time.
///
/// Its methods are always inlined, since the engine calls them several times for each step, and the
/// compiler does not specialize them otherwise.
package struct Heap<Element: Comparable> {
  @usableFromInline package var elements: [Element]

  /// Creates a heap.
  ///
  /// - Parameter ascending: Elements in ascending order, which already form a heap.
  @inlinable
  package init(_ ascending: [Element] = []) {
    elements = ascending
  }

  /// The number of elements.
  @inlinable package var count: Int { elements.count }

  /// The smallest element; nil if there is none.
  @inlinable package var smallest: Element? { elements.first }

  /// Adds an element in logarithmic time.
  @inlinable
  @inline(__always)
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes and returns the smallest element in logarithmic time; returns nil if there is none.
  @inlinable
  @inline(__always)
  @discardableResult
  package mutating func popSmallest() -> Element? {
    guard let smallest = elements.first, let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return smallest }
    elements[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard child < elements.count, elements[child] < elements[parent] else { return smallest }
      elements.swapAt(child, parent)
      parent = child
    }
  }
}

extension Heap: Sendable where Element: Sendable {}
