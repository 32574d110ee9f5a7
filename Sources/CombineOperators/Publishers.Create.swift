// A publisher from a closure that sends values, such as the callbacks of another library.

public import ReactiveCore

extension AnyPublisher {
  /// Creates a publisher from a closure that is called for each subscription.
  ///
  /// The contract is that of `Publishers.Create`.
  ///
  ///     let places = AnyPublisher<Place, any Error>.create { feed in
  ///       let watch = manager.watch { feed.send($0) } onError: { feed.send(completion: .failure($0)) }
  ///       return AnyCancellable { watch.stop() }
  ///     }
  ///
  /// - Parameter start: Begins to send values; see `Publishers.Create.init(_:)`.
  /// - Returns: The publisher.
  public static func create(
    _ start: @escaping (Publishers.Create<Output, Failure>.Feed) -> any Cancellable
  ) -> AnyPublisher {
    Publishers.Create(start).eraseToAnyPublisher()
  }
}

extension Publishers {
  /// A publisher from a closure that sends values to each subscriber.
  ///
  /// - Values: those that the closure sends, in order.
  /// - Demand: values wait in a buffer without a limit until they are requested.
  /// - Completion: after the values that wait; later values are dropped.
  /// - Cancellation: cancels what the closure has returned, also at the end; nothing is delivered
  ///   afterwards.
  /// - Threads: values may be sent from any thread, at the same time; they are delivered serially, on one of
  ///   these threads or on that of a request. No lock is held then.
  /// - Complexity: constant for a value.
  public struct Create<Output, Failure: Error>: Publisher {
    /// Sends values to one subscriber.
    ///
    /// Thread-safe.
    public struct Feed: Sendable {
      fileprivate let subscription: OperatorSubscription<FeedMachine<Output, Failure>>

      /// Sends a value.
      ///
      /// - Parameter value: The value.
      public func send(_ value: Output) {
        subscription.update { $0.receive(value) }
      }

      /// Ends the publisher; only the first completion counts.
      ///
      /// - Parameter completion: The completion.
      public func send(completion: Subscribers.Completion<Failure>) {
        subscription.update { $0.receive(completion) }
      }
    }

    private let start: (Feed) -> any Cancellable

    /// Creates a publisher.
    ///
    /// - Parameter start: Begins to send values to a feed, now or later, and returns what ends its work.
    ///   Called for each subscription, on the thread of the subscriber.
    public init(_ start: @escaping (Feed) -> any Cancellable) {
      self.start = start
    }

    /// Calls the closure; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let subscription = OperatorSubscription(FeedMachine<Output, Failure>(), for: subscriber)
      subscription.open()
      guard subscription.isActive else { return }
      let work = start(Feed(subscription: subscription))
      // What has ended in the meantime does not keep it.
      if subscription.change({ $0.work = work }) == nil { work.cancel() }
    }
  }
}

/// The state machine of values that a closure sends.
struct FeedMachine<Output, Failure: Error>: OperatorMachine {
  /// What the closure has returned.
  var work: (any Cancellable)?
  private var values = Queue<Output>()
  private var completion: Subscribers.Completion<Failure>?

  fileprivate mutating func receive(_ value: Output) -> Effect {
    if completion == nil { values.append(value) }
    return .none
  }

  fileprivate mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    self.completion = self.completion ?? completion
    return .none
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect { .none }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, let value = values.popFirst() { return .value(value) }
    guard let completion, values.isEmpty else { return .nothing }
    return .completion(completion)
  }

  func cancel() { work?.cancel() }
}
