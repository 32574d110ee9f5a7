// Measures one operator at a time: ours, or the closest one of OpenCombine with the same work.

import AllocationCounter
import CombineOperators
import OpenCombine

/// The two measurements of an operator: values through one subscription, and subscriptions.
struct OperatorWork {
  /// Sends values through one subscription, and waits until all have arrived.
  var send: (_ count: Int) async -> Void
  /// Subscribes and cancels repeatedly, without a value.
  var subscribe: (_ count: Int) -> Void
}

/// Measures one operator.
///
/// - Parameters:
///   - name: A name such as `zip-ours` or `zip-theirs`.
///   - count: The number of values to send; a tenth of it is the number of subscriptions.
/// - Returns: The figures by name.
func measureOperator(_ name: String, _ count: Int) async -> [String: Double] {
  guard let work = operatorWorks[name] else {
    preconditionFailure("there is no operator \(name)")
  }
  checkCounting()
  // Warm up, so that one-time allocations do not count.
  await work.send(100)
  work.subscribe(10)
  var start = seconds()
  await work.send(count)
  let valueTime = seconds() - start
  let subscriptionCount = count / 10
  start = seconds()
  work.subscribe(subscriptionCount)
  let subscriptionTime = seconds() - start
  // In separate passes, so that counting does not affect the times.
  allocation_counter_start()
  await work.send(count)
  let valueAllocations = allocation_counter_stop()
  allocation_counter_start()
  work.subscribe(subscriptionCount)
  let subscriptionAllocations = allocation_counter_stop()
  let perValue = (Double(valueAllocations) / Double(count) * 100).rounded() / 100
  let perSubscription = Double(subscriptionAllocations) / Double(subscriptionCount)
  return [
    "nanoseconds-per-value": valueTime / Double(count) * 1e9,
    "nanoseconds-per-subscription": subscriptionTime / Double(subscriptionCount) * 1e9,
    // The cost of the one subscription is spread over all values and disappears when rounded to
    // hundredths.
    "allocations-per-value": perValue,
    "allocations-per-subscription": perSubscription,
    "allocations-with-ten-values": perSubscription + 10 * perValue,
  ]
}

/// Ends the process if the counter does not see allocations of the Swift runtime, that is, if
/// shared libraries do not use the `malloc` of the executable.
func checkCounting() {
  allocation_counter_start()
  var last = makeBlock(before: nil)
  for _ in 1..<100 { last = makeBlock(before: last) }
  let count = withExtendedLifetime(last) { allocation_counter_stop() }
  guard (100...110).contains(count) else {
    fatalError("BUG: \(count) allocations of 100 objects were counted")
  }
}

private final class Block {
  let before: Block?

  init(before: Block?) { self.before = before }
}

// Not inlined, because the objects might be allocated on the stack otherwise.
@inline(never) private func makeBlock(before: Block?) -> Block { Block(before: before) }

private var operatorWorks: [String: OperatorWork] {
  [
    "zip-ours": zipWork { [$0, $1, $2].zip().map { $0[0] }.eraseToAnyPublisher() },
    "zip-theirs": zipWork { Publishers.Zip3($0, $1, $2).map(\.0).eraseToAnyPublisher() },
    "share-ours": subjectWork(subscribers: 4) {
      let shared = $0.share(replay: 1)
      return { shared.eraseToAnyPublisher() }
    },
    "share-theirs": subjectWork(subscribers: 4) {
      let shared = $0.map(Optional.some).multicast(subject: CurrentValueSubject<Int?, Never>(nil))
        .autoconnect()
      return { shared.compactMap { $0 }.eraseToAnyPublisher() }
    },
    "buffer-ours": subjectWork(subscribers: 1) { subject in
      { subject.buffer(limit: 16, whenFull: .dropOldest).eraseToAnyPublisher() }
    },
    "buffer-theirs": subjectWork(subscribers: 1) { subject in
      {
        subject.buffer(size: 16, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher()
      }
    },
    "task-ours": taskWork { $0.task(maxPublishers: .max(16)) { $0 &+ 1 }.eraseToAnyPublisher() },
    "task-theirs": taskWork {
      $0.flatMap(maxPublishers: .max(16)) { value in
        Deferred {
          Future<Int, Never> { promise in
            // unsafe: a promise locks its future, but has no type that says so.
            nonisolated(unsafe) let promise = promise
            Task { promise(.success(value &+ 1)) }
          }
        }
      }.eraseToAnyPublisher()
    },
  ]
}

private typealias Values = AnyPublisher<Int, Never>
private typealias IntSubject = PassthroughSubject<Int, Never>

/// Returns work with three subjects, each of which sends every value.
private func zipWork(
  _ make: @escaping (IntSubject, IntSubject, IntSubject) -> Values
) -> OperatorWork {
  OperatorWork(
    send: { count in
      let subjects = [IntSubject(), IntSubject(), IntSubject()]
      var received = 0
      let subscription = make(subjects[0], subjects[1], subjects[2]).sink { _ in received += 1 }
      for value in 0..<count { for subject in subjects { subject.send(value) } }
      subscription.cancel()
      precondition(received == count, "\(received) of \(count) values arrived")
    },
    subscribe: { count in
      let subjects = [IntSubject(), IntSubject(), IntSubject()]
      for _ in 0..<count {
        make(subjects[0], subjects[1], subjects[2]).sink { _ in }.cancel()
      }
    })
}

/// Returns work with one subject and a number of subscribers.
///
/// `make` creates the operator for a subject and returns a closure that is called for each
/// subscriber.
private func subjectWork(
  subscribers: Int, _ make: @escaping (IntSubject) -> () -> Values
) -> OperatorWork {
  OperatorWork(
    send: { count in
      let subject = IntSubject()
      let values = make(subject)
      var received = 0
      let subscriptions = (0..<subscribers).map { _ in values().sink { _ in received += 1 } }
      for value in 0..<count { subject.send(value) }
      for subscription in subscriptions { subscription.cancel() }
      precondition(received == count * subscribers, "\(received) of \(count) values arrived")
    },
    subscribe: { count in
      let subject = IntSubject()
      for _ in 0..<count { make(subject)().sink { _ in }.cancel() }
    })
}

/// Returns work with a sequence that is mapped by tasks, at most 16 at a time.
private func taskWork(_ make: @escaping (Values) -> Values) -> OperatorWork {
  OperatorWork(
    send: { count in
      let left = Countdown(count)
      let subscription = make((0..<count).publisher.eraseToAnyPublisher())
        .sink { _ in left.countDown() }
      await left.zero()
      subscription.cancel()
    },
    subscribe: { count in
      let subject = IntSubject().eraseToAnyPublisher()
      for _ in 0..<count { make(subject).sink { _ in }.cancel() }
    })
}
