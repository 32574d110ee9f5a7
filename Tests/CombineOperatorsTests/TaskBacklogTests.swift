import Synchronization
import TestSupport
import Testing

@testable import CombineOperators

/// Tasks are made no faster than they begin.
struct TaskBacklogTests {
  /// Notes which tasks are made, and can say that one is not wanted any more.
  private final class Owner: Sendable {
    let made = Protected<[Int]>([])
    let unwanted: Set<Int>

    init(unwanted: Set<Int> = []) {
      self.unwanted = unwanted
    }
  }

  private func add(_ numbers: Range<Int>, of owner: Owner, to backlog: TaskBacklog) {
    for number in numbers {
      backlog.add(owner, number) { owner, number in
        guard let owner = owner as? Owner, !owner.unwanted.contains(number) else { return false }
        owner.made.withLock { $0.append(number) }
        return true
      }
    }
  }

  @Test func `of many, a few are made at once, and one for each that begins, in their order`() {
    let owner = Owner()
    let backlog = TaskBacklog()
    add(0..<100_000, of: owner, to: backlog)
    let atOnce = owner.made.value.count
    #expect((2...1000).contains(atOnce))
    for begun in 1...1000 {
      backlog.begun()
      #expect(owner.made.value.count == atOnce + begun)
    }
    for _ in 0..<(100_000 - 1000) { backlog.begun() }
    #expect(owner.made.value == Array(0..<100_000))
    add(0..<1, of: owner, to: backlog)
    #expect(owner.made.value.count == 100_001, "all have begun: there is room again")
  }

  @Test func `what is not wanted any more takes nobody's place`() {
    let owner = Owner(unwanted: Set(0..<50_000))
    let backlog = TaskBacklog()
    add(0..<50_010, of: owner, to: backlog)
    #expect(owner.made.value == Array(50_000..<50_010))
    add(0..<10, of: owner, to: backlog)
    for _ in 0..<10 { backlog.begun() }
    add(50_010..<150_000, of: owner, to: backlog)
    let atOnce = owner.made.value.count - 10
    let fresh = TaskBacklog()
    let other = Owner()
    add(0..<100_000, of: other, to: fresh)
    #expect(atOnce == other.made.value.count)
  }
}
