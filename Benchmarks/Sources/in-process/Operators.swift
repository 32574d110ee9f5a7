// Measures one operator at a time: ours, or OpenCombine's nearest relative on the same work.

import AllocationCounter
import CombineOperators
import OpenCombine

/// What is measured of an operator: values through one subscription, and subscriptions.
struct OperatorWork {
  /// Sends so many values through one subscription, and waits until all have come out.
  var send: (_ count: Int) async -> Void
  /// Subscribes so many times and cancels each, without a value.
  var subscribe: (_ count: Int) -> Void
}

/// Measures one operator.
///
/// - Parameters:
///   - name: Such as `zip-ours` or `zip-theirs`.
///   - count: How many values to send; a tenth of that subscribe.
/// - Returns: The figures by their names.
func measureOperator(_ name: String, _ count: Int) async -> [String: Double] {
  guard let work = operatorWorks[name] else {
    preconditionFailure("there is no operator \(name)")
  }
  checkCounting()
  // Once before, so that what is made only once does not count.
  await work.send(100)
  work.subscribe(10)
  var start = seconds()
  await work.send(count)
  let valueTime = seconds() - start
  let subscriptionCount = count / 10
  start = seconds()
  work.subscribe(subscriptionCount)
  let subscriptionTime = seconds() - start
  // Apart, so that counting takes no time of these.
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
    // What one subscription takes is spread over all values: cut to hundredths, it does not show.
    "allocations-per-value": perValue,
    "allocations-per-subscription": perSubscription,
    "allocations-with-ten-values": perSubscription + 10 * perValue,
  ]
}

/// Ends the process when the counter misses what Swift's runtime allocates, as it would where the
/// executable's `malloc` is not the one that shared libraries find.
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

// Not inlined, or the objects might be put on the stack.
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

/// Three subjects, each of which sends every value.
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
      precondition(received == count, "\(received) of \(count) values came")
    },
    subscribe: { count in
      let subjects = [IntSubject(), IntSubject(), IntSubject()]
      for _ in 0..<count {
        make(subjects[0], subjects[1], subjects[2]).sink { _ in }.cancel()
      }
    })
}

/// One subject and a number of subscribers.
///
/// `make` makes the operator for a subject; what it returns is called for each subscriber.
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
      precondition(received == count * subscribers, "\(received) of \(count) values came")
    },
    subscribe: { count in
      let subject = IntSubject()
      for _ in 0..<count { make(subject)().sink { _ in }.cancel() }
    })
}

/// A sequence, mapped by tasks, at most 16 at a time.
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
