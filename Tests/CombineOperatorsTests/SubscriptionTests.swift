import CombineOperators
import Dispatch
import Foundation
import TestSupport
import Testing

/// The moment in which a subscriber gets its subscription.
struct SubscriptionTests {
  typealias Operator = OperatorContractTests.Operator

  /// What subscribes to its upstream later, as Combine's does: the first subscriber of a shared
  /// publisher connects it, and inner publishers are made of values.
  private static let subscribesLater = ["share"]

  @Test(
    arguments: OperatorContractTests.operators.filter {
      !subscribesLater.contains($0.testDescription)
    })
  func `a value that is sent while the subscriber gets its subscription arrives`(
    _ tested: Operator
  ) async {
    let upstream = OperatorContractTests.Upstream()
    let values = Protected<[Int]>([])
    let responder = Responder<Int, TestError>(
      started: { subscription in
        subscription.request(.unlimited)
        upstream.send(1)
      },
      answer: { value, _ in
        values.withLock { $0.append(value) }
        return .none
      })
    tested.make(upstream).subscribe(responder)
    upstream.send(2)
    await expectEventually("both values") {
      (tested.keepsOrder ? values.value : values.value.sorted()) == [1, 2]
    }
    responder.cancel()
    responder.forget()
  }

  @Test func `a subject asks its publishers when a subscriber requests, and loses nothing`() {
    let subject = PassthroughSubject<Int, Never>()
    let connection = [1, 2, 3].publisher.subscribe(subject)
    let probe = Probe<Int, Never>()
    subject.subscribe(probe)
    #expect(probe.values == [1, 2, 3] && probe.ended == .finished)
    connection.cancel()

    let connected = (1...3).publisher.multicast(subject: PassthroughSubject<Int, Never>())
    let (second, cancel) = (Probe<Int, Never>(), connected.connect())
    connected.subscribe(second)
    #expect(second.values == [1, 2, 3] && second.ended == .finished)
    cancel.cancel()
  }

  @Test func `a relay gets the current value when it is asked for, and not the end`() {
    let input = CurrentValueSubject<Int, Never>(0)
    let output = PassthroughRelay<Int>()
    let connection = input.subscribe(output)
    let probe = Probe<Int, Never>()
    output.subscribe(probe)
    input.send(1)
    input.send(completion: .finished)
    output.accept(2)
    #expect(probe.values == [0, 1, 2] && probe.ended == nil)
    connection.cancel()
  }

  @Test(arguments: [true, false])
  func `a value that a subscriber sends when it gets its subscription is not lost`(
    _ hasValue: Bool
  ) {
    let passing = PassthroughSubject<Int, Never>()
    let keeping = CurrentValueSubject<Int, Never>(0)
    let values = Protected<[Int]>([])
    let responder = Responder<Int, Never>(
      started: { subscription in
        subscription.request(.unlimited)
        if hasValue { keeping.send(1) } else { passing.send(1) }
      },
      answer: { value, _ in
        values.withLock { $0.append(value) }
        return .none
      })
    if hasValue { keeping.subscribe(responder) } else { passing.subscribe(responder) }
    #expect(values.value == (hasValue ? [0, 1] : [1]))
    responder.forget()
  }

  /// A subscriber is called by one thread at a time, also for its subscription.
  @Test(arguments: ["subject", "buffer", "zip"])
  func `what another thread sends waits until the subscriber has its subscription`(_ kind: String) {
    let subject = PassthroughSubject<Int, Never>()
    let publisher: AnyPublisher<Int, Never> =
      switch kind {
      case "subject": subject.eraseToAnyPublisher()
      case "buffer": subject.buffer(limit: 9, whenFull: .dropNewest).eraseToAnyPublisher()
      default: subject.zip((1...9).publisher).map(\.0).eraseToAnyPublisher()
      }
    let (values, early) = (Protected<[Int]>([]), Protected<[Int]>([]))
    let responder = Responder<Int, Never>(
      started: { subscription in
        subscription.request(.unlimited)
        let hasSent = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          subject.send(1)
          hasSent.signal()
        }
        #expect(hasSent.wait(timeout: .now() + 30) == .success)
        early.withLock { [values] in $0 = values.value }
      },
      answer: { value, _ in
        values.withLock { $0.append(value) }
        return .none
      })
    publisher.subscribe(responder)
    #expect(early.value == [] && values.value == [1])
    responder.forget()
  }

  @Test func `a sequence without an end can be cut short`() {
    let probe = Probe<Int, Never>()
    (1...).publisher.flatMap { Just($0) }.buffer(limit: 1, whenFull: .dropOldest).prefix(3)
      .subscribe(probe)
    #expect(probe.values == [1, 2, 3] && probe.ended == .finished)
  }

  @Test func `a late subscriber of what is over does not subscribe to its source again`() {
    let count = Protected(0)
    let shared = Deferred {
      count.withLock { $0 += 1 }
      return Just(1)
    }.share()
    let probes = (0..<3).map { _ in Probe<Int, Never>() }
    for probe in probes { shared.subscribe(probe) }
    #expect(count.value == 1 && probes.map(\.values) == [[1], [], []])
    #expect(probes.allSatisfy { $0.ended == .finished })
  }

  @Test func `what all subscribers have left is connected again for the next one`() {
    let count = Protected(0)
    let shared = Deferred {
      count.withLock { $0 += 1 }
      return Empty<Int, Never>(completeImmediately: false)
    }.share()
    for _ in 0..<2 { shared.sink { _ in }.cancel() }
    #expect(count.value == 2)
  }

  @Test func `the value of a subject that is over can be set`() {
    let subject = CurrentValueSubject<Int, Never>(0)
    subject.send(completion: .finished)
    subject.send(1)
    #expect(subject.value == 0)
    subject.value = 42
    #expect(subject.value == 42)
  }

  @Test func `the value of a future is awaited`() async throws {
    #expect(await Future<Int, Never> { $0(.success(1)) }.value == 1)
    #expect(try await Future<Int, TestError> { $0(.success(2)) }.value == 2)
    await #expect(throws: TestError.self) {
      try await Future<Int, TestError> { $0(.failure(TestError())) }.value
    }
    let later = Future<Int, Never> { promise in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
        promise(.success(3))
      }
    }
    #expect(await later.value == 3)
  }

  #if !canImport(Combine)
  @Test func `print names demands and subscriptions as Combine does`() {
    let lines = Lines()
    let subject = PassthroughSubject<Int, Never>()
    let responder = Responder<Int, Never>(
      started: { $0.request(.max(1)) }, answer: { value, _ in value == 1 ? .max(2) : .none })
    subject.print("a", to: lines).subscribe(responder)
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    let zipped = Just(1).zip(Just(2)).print(to: lines).sink { _ in }
    zipped.cancel()
    responder.forget()
    #expect(
      lines.text.value == """
        a: receive subscription: (PassthroughSubject)
        a: request max: (1)
        a: receive value: (1)
        a: request max: (2) (synchronous)
        a: receive value: (2)
        a: receive finished
        receive subscription: (Zip)
        request unlimited
        receive value: ((1, 2))
        receive finished

        """)
  }

  private final class Lines: TextOutputStream, Sendable {
    let text = Protected("")
    func write(_ string: String) { text.withLock { $0 += string } }
  }
  #endif
}
