// The work that is ready to run, in the order in which it runs.

/// Work of an engine.
enum Work: Sendable {
  case job(UnownedJob)
  case closure(@Sendable () -> Void)
}

/// Ready work: in the order of its arrival, or in an order that a seed determines.
struct WorkList: Sendable {
  private var items: [Work] = []
  /// The position of the oldest item; those before it are taken.
  private var head = 0
  private var generator: SplitMix64?

  /// Creates an empty list; without a seed, it keeps the order of arrival.
  init(seed: UInt64?) {
    generator = seed.map { SplitMix64(seed: $0, purpose: 1) }
  }

  var isEmpty: Bool { head == items.count }

  mutating func append(_ work: Work) { items.append(work) }

  mutating func append(contentsOf works: [Work]) { items.append(contentsOf: works) }

  /// Removes and returns the next item; nil if the list is empty.
  mutating func next() -> Work? {
    guard !isEmpty else { return nil }
    if let random = generator?.below(items.count - head) { items.swapAt(head, head + random) }
    let work = items[head]
    head += 1
    if head > 64, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
    return work
  }
}
