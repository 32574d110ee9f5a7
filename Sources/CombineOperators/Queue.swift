// A first-in, first-out queue. Plain value.

/// A queue in an array: adding and taking are constant in time on average, and an empty queue costs
/// no memory of its own.
package struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  /// Makes an empty queue.
  package init() {}

  /// How many elements wait.
  package var count: Int { elements.count - head }

  /// Whether none waits.
  package var isEmpty: Bool { head == elements.count }

  /// Adds an element at the end.
  package mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Takes the element that has waited longest, or returns nil where none waits.
  package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64 && head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Forgets all elements.
  package mutating func removeAll() {
    elements = []
    head = 0
  }
}
