// A binary heap.

/// A collection whose smallest element is found at once and removed in logarithmic time.
///
/// The engine calls its methods several times for each step, with integers. The compiler does not
/// specialize the generic code of another module for them, so each method has a version for integers.
package struct Heap<Element: Comparable> {
  package private(set) var elements: [Element]

  /// Creates a heap.
  ///
  /// - Parameter ascending: Elements in ascending order, which already form a heap.
  package init(_ ascending: [Element] = []) {
    elements = ascending
  }

  /// The number of elements.
  package var count: Int { elements.count }

  /// The smallest element; nil if there is none.
  package var smallest: Element? { elements.first }

  /// Adds an element in logarithmic time.
  @_specialize(where Element == Int)
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes and returns the smallest element in logarithmic time; returns nil if there is none.
  @_specialize(where Element == Int)
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
