// A first-in, first-out queue.

/// A queue in an array; appending and removing take amortized constant time.
package struct Queue<Element> {
  private var elements: [Element?] = []
  /// The index of the first element; preceding elements have been removed.
  private var head = 0

  /// Creates an empty queue.
  package init() {}

  /// The number of elements.
  package var count: Int { elements.count - head }

  /// Whether there are no elements.
  package var isEmpty: Bool { head == elements.count }

  /// Appends an element.
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
