// Tests of the keys that shared publishers keep.

import CombineOperators
import TestSupport
import Testing

/// The keys of shared publishers.
struct SharedPublishersTests {
  @Test func `a publisher without a subscriber is removed when it is released`() {
    let loads = SharedPublishers<Int, Int, Never>()
    for key in 0..<1000 { _ = loads.publisher(for: key) { Just(key) } }
    #expect(loads.count == 0)
  }

  @Test func `a publisher is shared before its first subscriber, as long as it is retained`() {
    let loads = SharedPublishers<Int, Int, Never>()
    let first = loads.publisher(for: 1) { Just(1) }
    let second = loads.publisher(for: 1) { Just(2) }
    #expect(first === second)
    #expect(loads.count == 1)
  }

  @Test func `a publisher that is only retained by its subscriber is shared`() {
    let loads = SharedPublishers<Int, Int, Never>()
    let subject = PassthroughSubject<Int, Never>()
    let received = Protected<[Int]>([])
    let first = loads.publisher(for: 1) { subject }
      .sink { value in received.withLock { $0.append(value) } }
    let second = loads.publisher(for: 1) { Just(7) }
      .sink { value in received.withLock { $0.append(value) } }
    subject.send(1)
    #expect(received.value == [1, 1])
    #expect(loads.count == 1)
    first.cancel()
    #expect(loads.count == 1)
    second.cancel()
    #expect(loads.count == 0)
  }

  @Test func `publishers are created and released on several threads`() async {
    let loads = SharedPublishers<Int, Int, Never>()
    let received = Protected(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for round in 0..<scaled(5000) {
            let publisher = loads.publisher(for: round % 3) { Just(round) }
            guard round.isMultiple(of: 2) else { continue }
            let subscription = publisher.sink { _ in received.withLock { $0 += 1 } }
            subscription.cancel()
          }
        }
      }
    }
    #expect(loads.count == 0)
    #expect(received.value > 0)
  }
}
