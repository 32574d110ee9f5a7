// A first-in, first-out queue.

/// A queue in an array; appending and removing take amortized constant time.
package struct Queue<Element> {
  private var elements: [Element?] = []
  /// The index of the first element; preceding elements have been removed.
  private var head = 0
  /// The number of elements.
  package private(set) var count = 0

  /// Creates an empty queue.
  package init() {}

  /// Whether there are no elements.
  package var isEmpty: Bool { count == 0 }

  /// Appends an element.
  package mutating func append(_ element: Element) {
    elements.append(element)
    count += 1
  }

  /// Removes the first element; returns nil if the queue is empty.
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = elements[head].take()
    head += 1
    count -= 1
    if count == 0 {
      elements.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64 && head > count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Removes all elements.
  package mutating func removeAll() {
    self = Queue()
  }
}
