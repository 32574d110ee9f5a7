// A first-in, first-out queue as a plain value.

/// A queue in an array; adding and removing take constant time on average.
package struct Queue<Element> {
  private var elements: [Element?] = []
  /// Where the first element is; what precedes it has been removed.
  private var head = 0

  /// Makes an empty queue.
  package init() {}

  /// The number of elements.
  package var count: Int { elements.count - head }

  /// Whether there are no elements.
  package var isEmpty: Bool { head == elements.count }

  /// Adds an element at the end.
  package mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes the first element; returns nil if the queue is empty.
  package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
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

  /// Removes all elements.
  package mutating func removeAll() {
    self = Queue()
  }
}
