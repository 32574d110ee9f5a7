// A binary heap.

/// A collection whose smallest element can be removed in logarithmic time.
package struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  /// The smallest element; nil if there is none.
  package var smallest: Element? { elements.first }

  /// Creates an empty heap.
  package init() {}

  /// Adds an element.
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the smallest element, if there is one.
  package mutating func removeSmallest() {
    guard let last = elements.popLast(), !elements.isEmpty else { return }
    elements[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < elements.count && elements[child] < elements[least] {
        least = child
      }
      guard least != parent else { return }
      elements.swapAt(least, parent)
      parent = least
    }
  }
}
