import CombineOperators
import Dispatch
import RepriseTesting
import TestSupport
import Testing

/// The operators of Combine with time, and its asynchronous sequences.
struct CoreTimeTests {
  private func output(
    _ diagram: String, subscriber: String = "*",
    _ make: (MarbleTime, AnyPublisher<String, MarbleFailure>) -> some Publisher<
      String, MarbleFailure
    >
  ) -> String {
    let time = MarbleTime()
    return time.output(
      of: make(time, time.hot(diagram).eraseToAnyPublisher()), subscriber: subscriber)
  }

  @Test func `signals are delayed, in their order`() {
    #expect(output("ab-c|") { $1.delay(for: .seconds(2), scheduler: $0) } == "--ab-c|")
    #expect(output("a#") { $1.delay(for: .seconds(2), scheduler: $0) } == "--a#")
    #expect(output("ab|") { $1.receive(on: $0) } == "ab|")
    #expect(output("ab|") { $1.subscribe(on: $0) } == "ab|")
  }

  @Test func `a debounce waits until it is quiet, and publishes what waits at the end`() {
    let debounced = { (diagram: String) in
      self.output(diagram) { $1.debounce(for: .seconds(2), scheduler: $0) }
    }
    #expect(debounced("ab---c---|") == "---b---c-|")
    #expect(debounced("ab|") == "--(b|)")
  }

  @Test func `a throttle publishes the first or the newest value of an interval`() {
    let throttled = { (diagram: String, latest: Bool) in
      self.output(diagram) { $1.throttle(for: .seconds(3), scheduler: $0, latest: latest) }
    }
    #expect(
      throttled("abcdef|", true) == "a--c--(f|)" || throttled("abcdef|", true) == "a--cd-(f|)")
    #expect(throttled("abc|", false) == "a--(b|)")
  }

  @Test func `a timeout ends what is silent for too long`() {
    let limited = { (diagram: String) in
      self.output(diagram) {
        $1.timeout(.seconds(3), scheduler: $0, customError: { MarbleFailure() })
      }
    }
    #expect(limited("a-b-c|") == "a-b-c|")
    #expect(limited("a-b------c|").hasPrefix("a-b") && limited("a-b------c|").hasSuffix("#"))
    #expect(output("a------|") { $1.timeout(.seconds(3), scheduler: $0) }.hasSuffix("|"))
  }

  @Test func `another publisher ends values, or lets them through`() {
    let time = MarbleTime()
    let (first, second) = (time.hot("abcd|"), time.hot("--x"))
    #expect(time.output(of: first.prefix(untilOutputFrom: second)) == "ab(c|)")
    let later = MarbleTime()
    let (values, signal) = (later.hot("abcd|"), later.hot("-x"))
    #expect(later.output(of: values.drop(untilOutputFrom: signal)) == "--cd|")
  }

  @Test func `a queue is a scheduler`() async {
    let values = Protected<[Int]>([])
    let over = Gate()
    let subscription = (1...100).publisher
      .receive(on: DispatchQueue(label: "serial"))
      .sink(
        receiveCompletion: { _ in over.open() },
        receiveValue: { value in values.withLock { $0.append(value) } })
    await over.wait()
    #expect(values.value == Array(1...100))
    subscription.cancel()
  }

  @Test func `leaving a loop over values cancels the subscription`() async throws {
    let source = BareUpstream<Int, Never>()
    let reading = Task {
      for await value in source.values where value == 2 { return value }
      return 0
    }
    await expectEventually("a value is requested") { source.asked == [.max(1)] }
    source.send(1)
    await expectEventually("another one is requested") { source.asked.count == 2 }
    source.send(2)
    #expect(await reading.value == 2)
    await expectEventually("it is cancelled") { source.cancels == 1 }
  }

  @Test func `cancelling a task ends its loop over values, and the subscription`() async {
    let source = BareUpstream<Int, Never>()
    let reading = Task {
      for await _ in source.values {}
    }
    await expectEventually("a value is requested") { source.asked == [.max(1)] }
    reading.cancel()
    await reading.value
    #expect(source.cancels == 1)
  }

  @Test func `a failure is thrown by a loop over values`() async {
    let values = (1...3).publisher.tryMap { (value: Int) throws -> Int in
      if value == 3 { throw TestError() }
      return value
    }.values
    var seen: [Int] = []
    await #expect(throws: TestError.self) {
      for try await value in values { seen.append(value) }
    }
    #expect(seen == [1, 2])
  }

  @Test func `a value is awaited in any task`() async {
    let values = [1, 2, 3].publisher.values
    let sum = await Task { await values.reduce(0, +) }.value
    #expect(sum == 6)
  }
}
