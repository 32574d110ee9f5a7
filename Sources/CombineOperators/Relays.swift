// Subjects that cannot end by a mistake: they accept values, and finish when they are released.

public import ReactiveCore

/// A subject that only accepts values: nothing that sends to it can end it.
///
/// It finishes when its last reference is released.
///
/// - Values: those that are accepted after the subscription; a value that is not requested is lost, as of
///   `PassthroughSubject`.
/// - Threads: thread-safe, as the subject.
public final class PassthroughRelay<Output>: Publisher, Sendable {
  /// A relay does not fail.
  public typealias Failure = Never

  // `PassthroughSubject` is thread-safe, although Apple's does not declare it.
  fileprivate let subject = UncheckedSendable(PassthroughSubject<Output, Never>())

  /// Creates a relay.
  public init() {}

  deinit { subject.value.send(completion: .finished) }

  /// Sends a value to all subscribers.
  ///
  /// - Parameter value: The value.
  public func accept(_ value: Output) { subject.value.send(value) }

  /// Adds a subscriber; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the values.
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Never {
    subject.value.subscribe(subscriber)
  }
}

/// A `PassthroughRelay` with a current value, which each new subscriber receives first.
///
/// - Values: the current value, and then each that is accepted; without demand only the newest is kept, as
///   of `CurrentValueSubject`.
/// - Threads: thread-safe, as the subject.
public final class CurrentValueRelay<Output>: Publisher, Sendable {
  /// A relay does not fail.
  public typealias Failure = Never

  // `CurrentValueSubject` is thread-safe, although Apple's does not declare it.
  fileprivate let subject: UncheckedSendable<CurrentValueSubject<Output, Never>>

  /// Creates a relay.
  ///
  /// - Parameter value: The first value.
  public init(_ value: Output) {
    subject = UncheckedSendable(CurrentValueSubject(value))
  }

  deinit { subject.value.send(completion: .finished) }

  /// The current value.
  public var value: Output { subject.value.value }

  /// Sets the current value, and sends it to all subscribers.
  ///
  /// - Parameter value: The value.
  public func accept(_ value: Output) { subject.value.send(value) }

  /// Adds a subscriber; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the values.
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Never {
    subject.value.subscribe(subscriber)
  }
}

extension Publisher where Failure == Never {
  /// Sends the values of this publisher to a relay, which does not end with this publisher.
  ///
  /// - Parameter relay: The relay.
  /// - Returns: The subscription; releasing it ends the sending.
  public func subscribe(_ relay: PassthroughRelay<Output>) -> AnyCancellable {
    withoutEnd.subscribe(relay.subject.value)
  }

  /// Sends the values of this publisher to a relay, which does not end with this publisher.
  ///
  /// - Parameter relay: The relay.
  /// - Returns: The subscription; releasing it ends the sending.
  public func subscribe(_ relay: CurrentValueRelay<Output>) -> AnyCancellable {
    withoutEnd.subscribe(relay.subject.value)
  }

  /// The values of this publisher, without its end.
  private var withoutEnd: some Publisher<Output, Never> {
    append(Empty(completeImmediately: false))
  }
}
