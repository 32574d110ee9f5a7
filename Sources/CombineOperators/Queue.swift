// A first-in, first-out queue. Plain value.

/// A queue in an array: adding and taking are constant in time on average, and a queue of at most one
/// element costs no memory of its own.
@usableFromInline
package struct Queue<Element> {
  /// The element that has waited longest; nil also while the array holds elements.
  @usableFromInline var first: Element?
  @usableFromInline var rest: [Element?] = []
  @usableFromInline var head = 0

  /// Makes an empty queue.
  @inlinable
  package init() {}

  /// How many elements wait.
  @inlinable
  package var count: Int { rest.count - head + (first == nil ? 0 : 1) }

  /// Whether none waits.
  @inlinable
  package var isEmpty: Bool { first == nil && head == rest.count }

  /// Adds an element at the end.
  @inlinable
  package mutating func append(_ element: Element) {
    if isEmpty { first = element } else { rest.append(element) }
  }

  /// Takes the element that has waited longest, or returns nil where none waits.
  @inlinable
  package mutating func popFirst() -> Element? {
    if let element = first {
      first = nil
      return element
    }
    guard head < rest.count else { return nil }
    let element = rest[head]
    rest[head] = nil
    head += 1
    if head == rest.count {
      rest.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64 && head * 2 > rest.count {
      rest.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Forgets all elements.
  @inlinable
  package mutating func removeAll() {
    self = Queue()
  }
}
