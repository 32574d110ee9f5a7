// A subject that replays its last values to late subscribers.

public import ReactiveCore

/// A subject that remembers its last values and sends them to each new subscriber first.
///
/// Combine has `PassthroughSubject`, which remembers nothing, and `CurrentValueSubject`, which
/// remembers one value and needs an initial one.
///
/// - Values: the last `count` values before the subscription, then each value that is sent.
/// - Demand: each subscriber receives what it requests; the rest waits in a buffer of its own.
/// - Completion: delivered to each subscriber after its values. Later subscribers receive the last
///   values and the completion.
/// - Cancellation: of a subscriber, concerns only that subscriber.
/// - Threads: thread-safe. Subscribers are called on the thread of `send`, or on which they
///   request; concurrent calls of `send` are delivered in one order to all.
/// - Complexity: linear in the number of subscribers for a value.
public final class ReplaySubject<Output, Failure: Error>: Subject, Sendable {
  // `PassthroughSubject` is thread-safe, although Apple's does not declare it.
  private let subject: UncheckedSendable<PassthroughSubject<Output, Failure>>
  private let shared: SharedPublisher<Output, Failure>
  /// A subscription that keeps `shared` connected without other subscribers.
  private let connection: UncheckedSendable<AnyCancellable>

  /// Creates a subject.
  ///
  /// - Parameter count: The number of last values that are replayed.
  public init(replay count: Int) {
    let subject = PassthroughSubject<Output, Failure>()
    shared = subject.share(replay: count)
    self.subject = UncheckedSendable(subject)
    connection = UncheckedSendable(
      shared.sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
  }

  /// Sends a value to all subscribers.
  public func send(_ value: Output) { subject.value.send(value) }

  /// Ends the subject; later values are ignored.
  public func send(completion: Subscribers.Completion<Failure>) {
    subject.value.send(completion: completion)
  }

  /// Requests unlimited demand of a publisher that sends to the subject.
  public func send(subscription: any Subscription) { subscription.request(.unlimited) }

  /// Adds a subscriber; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the values.
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    shared.receive(subscriber: subscriber)
  }
}
