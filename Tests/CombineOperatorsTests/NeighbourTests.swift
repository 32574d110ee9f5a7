import CombineOperators
import RepriseTesting
import TestSupport
import Testing

/// Neighbours, conditions, assignments and relays, based on the tests of CombineExt.
struct NeighbourTests {
  private final class Model {
    var number = 0
  }

  @Test func `lists of neighbours begin one value later each`() {
    let probe = Probe<[Int], Never>()
    (1...5).publisher.nwise(3).subscribe(probe)
    #expect(probe.values == [[1, 2, 3], [2, 3, 4], [3, 4, 5]] && probe.ended == .finished)
    let short = Probe<[Int], Never>()
    (1...2).publisher.nwise(3).subscribe(short)
    #expect(short.values == [] && short.ended == .finished)
  }

  @Test func `a value and the one before it are a pair`() {
    #expect(marbles("a-bc-|") { $1.pairwise().map { $0 + $1 } } == "--[ab][bc]-|")
  }

  @Test func `values are divided by a condition that is called once for each`() {
    let calls = Protected(0)
    let numbers = PassthroughSubject<Int, TestError>()
    let (even, odd) = numbers.partition { number in
      calls.withLock { $0 += 1 }
      return number.isMultiple(of: 2)
    }
    let (first, second) = (Probe<Int, TestError>(), Probe<Int, TestError>())
    even.subscribe(first)
    odd.subscribe(second)
    for number in 1...5 { numbers.send(number) }
    numbers.send(completion: .failure(TestError()))
    #expect(first.values == [2, 4] && second.values == [1, 3, 5] && calls.value == 5)
    #expect(first.ended == .failed && second.ended == .failed)
  }

  @Test func `a weak assignment does not keep its object, a strong one does`() {
    let numbers = PassthroughSubject<Int, Never>()
    for (ownership, isKept) in [(ObjectOwnership.weak, false), (.unowned, false), (.strong, true)] {
      weak var held: Model?
      var assignment: AnyCancellable?
      do {
        let model = Model()
        held = model
        assignment = numbers.assign(to: \.number, on: model, ownership: ownership)
        numbers.send(7)
        #expect(model.number == 7)
      }
      #expect((held != nil) == isKept)
      assignment?.cancel()
      assignment = nil
      #expect(held == nil)
    }
  }

  @Test func `a relay accepts values, and finishes when it is released`() {
    var relay: PassthroughRelay<Int>? = PassthroughRelay()
    let probe = Probe<Int, Never>()
    relay?.subscribe(probe)
    relay?.accept(1)
    let feeding = relay.map { (2...3).publisher.subscribe($0) }
    #expect(probe.values == [1, 2, 3] && probe.ended == nil)
    feeding?.cancel()
    relay = nil
    #expect(probe.ended == .finished && probe.faults == [])
  }

  @Test func `a relay with a value sends it to each new subscriber`() {
    var relay: CurrentValueRelay<Int>? = CurrentValueRelay(1)
    relay?.accept(2)
    #expect(relay?.value == 2)
    let probe = Probe<Int, Never>()
    relay?.subscribe(probe)
    let feeding = relay.map { Just(3).subscribe($0) }
    #expect(probe.values == [2, 3] && relay?.value == 3 && probe.ended == nil)
    feeding?.cancel()
    relay = nil
    #expect(probe.ended == .finished)
  }
}
