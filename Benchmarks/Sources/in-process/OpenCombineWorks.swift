// OpenCombine's operators, with the work of OurWorks.swift.

import OpenCombine

var openCombineWorks: [String: OperatorWork] {
  [
    "zip-theirs": zipWork { Publishers.Zip3($0, $1, $2).map(\.0).eraseToAnyPublisher() },
    "share-theirs": subjectWork(subscribers: 4) {
      let shared = $0.map(Optional.some).multicast(subject: CurrentValueSubject<Int?, Never>(nil))
        .autoconnect()
      return { shared.compactMap { $0 }.eraseToAnyPublisher() }
    },
    "buffer-theirs": subjectWork(subscribers: 1) { subject in
      {
        subject.buffer(size: 16, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher()
      }
    },
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
      // unsafe: values arrive on this thread.
      nonisolated(unsafe) var received = 0
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
      // unsafe: values arrive on this thread.
      nonisolated(unsafe) var received = 0
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
