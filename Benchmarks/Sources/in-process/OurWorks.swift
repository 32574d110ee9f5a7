// Our operators, measured by Operators.swift. OpenCombineWorks.swift does the same with OpenCombine, whose
// types have the same names, so that one file cannot use both.

import CombineOperators

var ourWorks: [String: OperatorWork] {
  [
    "zip-ours": zipWork { [$0, $1, $2].zip().map { $0[0] }.eraseToAnyPublisher() },
    "share-ours": subjectWork(subscribers: 4) {
      let shared = $0.share(replay: 1)
      return { shared.eraseToAnyPublisher() }
    },
    "buffer-ours": subjectWork(subscribers: 1) { subject in
      { subject.buffer(limit: 16, whenFull: .dropOldest).eraseToAnyPublisher() }
    },
    "task-ours": taskWork { $0.task(maxPublishers: .max(16)) { $0 &+ 1 }.eraseToAnyPublisher() },
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
