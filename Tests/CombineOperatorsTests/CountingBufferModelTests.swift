import CombineOperators
import TestSupport
import Testing

/// Random scripts, run through a buffer and through a simple model.
struct CountingBufferModelTests {
  enum Operation: Sendable {
    case send
    case request(Subscribers.Demand)
    case cancel
    case finish
    case fail
  }

  /// The expected behavior of a buffer, on one thread.
  struct Model {
    let limit: Int
    let strategy: BufferFullStrategy<TestError>
    let more: @Sendable (Int) -> Subscribers.Demand
    var demand = Subscribers.Demand.none
    var received = 0
    var delivered: [Int] = []
    var waiting: [Int] = []
    var dropped: [Int] = []
    var released = 0
    var end: Ended?
    var ended: Ended?
    var isCancelled = false
    var cancelsUpstream = 0

    mutating func perform(_ operation: Operation) {
      guard !isCancelled, ended == nil else { return }
      switch operation {
      case .send: receive()
      case .request(let more): demand += more
      case .cancel:
        isCancelled = true
        if end == nil { cancelsUpstream += 1 }
        released = waiting.count
        waiting = []
        return
      case .finish: end = end ?? .finished
      case .fail: end = end ?? .failed
      }
      while demand > .none, !waiting.isEmpty { deliver(waiting.removeFirst()) }
      if waiting.isEmpty { ended = end }
    }

    private mutating func deliver(_ value: Int) {
      delivered.append(value)
      demand -= 1
      demand += more(value)
    }

    private mutating func receive() {
      guard end == nil else { return }
      let value = received
      received += 1
      guard demand == .none else { return deliver(value) }
      guard waiting.count == limit else { return waiting.append(value) }
      switch strategy {
      case .dropOldest where limit > 0:
        dropped.append(waiting.removeFirst())
        waiting.append(value)
      case .dropOldest, .dropNewest:
        dropped.append(value)
      case .fail:
        dropped.append(value)
        end = .failed
        cancelsUpstream += 1
      }
    }
  }

  private func operation(using generator: inout SeededGenerator) -> Operation {
    switch Int.random(in: 0..<400, using: &generator) {
    case 0..<220: .send
    case 220..<390: .request(.max(Int.random(in: 1...3, using: &generator)))
    case 390: .request(.unlimited)
    case 391..<394: .cancel
    case 394..<398: .finish
    default: .fail
    }
  }

  @Test func `a buffer behaves like the model and conserves values in any script`() {
    var generator = SeededGenerator.announced()
    for script in 0..<rounds(3000, soak: 100_000) {
      let strategies = [BufferFullStrategy.dropOldest, .dropNewest, .fail(TestError())]
      let answers = Bool.random(using: &generator)
      let more: @Sendable (Int) -> Subscribers.Demand = { answers && $0 % 3 == 0 ? .max(1) : .none }
      var model = Model(
        limit: Int.random(in: 0...4, using: &generator),
        strategy: strategies[Int.random(in: 0...2, using: &generator)], more: more)
      let upstream = BareUpstream<Int, TestError>()
      let (dropped, waiting) = (Protected<[Int]>([]), Protected<[Int]>([0]))
      let (values, ends) = (Protected<[Int]>([]), Protected<[Ended]>([]))
      let responder = Responder<Int, TestError>(
        started: { _ in }, ended: { ended in ends.withLock { $0.append(ended) } },
        answer: { value, _ in
          values.withLock { $0.append(value) }
          return more(value)
        })
      upstream.buffer(
        limit: model.limit, whenFull: model.strategy,
        onDrop: { value in dropped.withLock { $0.append(value) } },
        onChange: { count in waiting.withLock { $0.append(count) } }
      ).subscribe(responder)
      var performed: [Operation] = []
      for _ in 0..<Int.random(in: 1...60, using: &generator) {
        let operation = operation(using: &generator)
        performed.append(operation)
        let number = model.received
        model.perform(operation)
        switch operation {
        case .send: upstream.send(number)
        case .request(let demand): responder.request(demand)
        case .cancel: responder.cancel()
        case .finish: upstream.send(completion: .finished)
        case .fail: upstream.send(completion: .failure(TestError()))
        }
        let counts = waiting.value
        let last = counts.last ?? 0
        let isRight =
          values.value == model.delivered && dropped.value == model.dropped
          && last == model.waiting.count && ends.value == (model.ended.map { [$0] } ?? [])
          && upstream.cancels == model.cancelsUpstream
          && values.value.count + dropped.value.count + last + model.released == model.received
          && zip(counts, counts.dropFirst()).allSatisfy { $0 != $1 }
        guard isRight else {
          Issue.record(
            """
            script \(script), limit \(model.limit), \(model.strategy), answers \(answers): \
            \(performed): delivered \(values.value), dropped \(dropped.value), waiting \(counts), \
            ended \(ends.value), upstream cancelled \(upstream.cancels), instead of \(model)
            """)
          return
        }
      }
    }
  }
}
