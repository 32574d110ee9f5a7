import CombineOperators
import TestSupport
import Testing

/// Random scripts in virtual time, run through a debounce and through a model of it.
struct FoldingDebounceModelTests {
  enum Operation: Sendable {
    case send
    case request(Int)
    case advance(Int)
    case cancel
    case finish
  }

  /// The expected behavior of a debounce, in whole seconds.
  struct Model {
    let quiet: Int
    let longest: Int?
    var now = 0
    var received = 0
    var demand = 0
    var folded: [Int] = []
    var opened = 0
    var latest = 0
    var isDue = false
    var delivered: [[Int]] = []
    var released = 0
    var hasEnded = false
    var isFinished = false
    var isCancelled = false

    /// Whether a timer must be sleeping.
    var isWaiting: Bool { !folded.isEmpty && !isDue }
    /// Whether each value was delivered, is waiting, or was released by a cancel.
    var isConserving: Bool { delivered.joined().count + folded.count + released == received }

    mutating func perform(_ operation: Operation) {
      if case .advance(let seconds) = operation { now += seconds }
      guard !isCancelled, !isFinished else { return }
      switch operation {
      case .send where !hasEnded:
        if folded.isEmpty { opened = now }
        latest = now
        folded.append(received)
        received += 1
      case .send, .advance: break
      case .request(let count): demand += count
      case .cancel:
        isCancelled = true
        released = folded.count
        folded = []
      case .finish: hasEnded = true
      }
      isDue = isDue || hasEnded || now >= latest + quiet || now >= opened + (longest ?? 1_000_000)
      if isDue, demand > 0, !folded.isEmpty {
        demand -= 1
        delivered.append(folded)
        folded = []
      }
      if folded.isEmpty { isDue = false }
      isFinished = hasEnded && folded.isEmpty && !isCancelled
    }
  }

  private func operation(using generator: inout SeededGenerator) -> Operation {
    switch Int.random(in: 0..<200, using: &generator) {
    case 0..<90: .send
    case 90..<130: .request(Int.random(in: 1...2, using: &generator))
    case 130..<194: .advance(Int.random(in: 1...6, using: &generator))
    case 194..<196: .cancel
    default: .finish
    }
  }

  @Test func `a debounce behaves like the model and loses nothing in any script`() async {
    var generator = SeededGenerator.announced()
    for script in 0..<rounds(1000, soak: 50_000) {
      var model = Model(
        quiet: Int.random(in: 0...4, using: &generator),
        longest: Bool.random(using: &generator) ? Int.random(in: 0...9, using: &generator) : nil)
      let clock = ManualClock()
      let upstream = BareUpstream<[Int], Never>()
      let probe = Probe<[Int], Never>(demand: .none)
      upstream.debounce(
        for: .seconds(model.quiet), atMost: model.longest.map { .seconds($0) },
        now: { clock.now }, sleep: clock.sleep(for:), fold: +=
      ).subscribe(probe)
      var performed: [Operation] = []
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        let operation = operation(using: &generator)
        performed.append(operation)
        let number = model.received
        model.perform(operation)
        switch operation {
        case .send: upstream.send([number])
        case .request(let count): probe.request(count)
        case .advance(let seconds): clock.advance(by: .seconds(seconds))
        case .cancel: probe.cancel()
        case .finish: upstream.send(completion: .finished)
        }
        let expected = model
        func isRight() -> Bool {
          probe.values == expected.delivered && clock.sleepers == (expected.isWaiting ? 1 : 0)
            && probe.ended == (expected.isFinished ? .finished : nil) && clock.sleepersMax <= 1
            && expected.isConserving
        }
        await expectEventually("script \(script)", isRight)
        guard isRight() else {
          Issue.record(
            """
            \(performed): delivered \(probe.values), ended \(String(describing: probe.ended)), \
            \(clock.sleepers) sleep, instead of \(model)
            """)
          return
        }
      }
      probe.cancel()
    }
  }
}
