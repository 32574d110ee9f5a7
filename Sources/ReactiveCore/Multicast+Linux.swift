// One subscription for many subscribers.

#if !canImport(Combine)

extension Publishers {
  /// Sends the values of a publisher to all subscribers, through a subject, once it is connected.
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
  where Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are sent.
    public let upstream: Upstream
    /// Creates the subject, when it is first needed.
    public let createSubject: () -> SubjectType
    private let created = Locked<SubjectType?>(nil)

    /// Creates a publisher that sends through the subject that a closure creates.
    public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    private var subject: SubjectType {
      if let subject = created.withLock({ $0 }) { return subject }
      let new = createSubject()
      return created.withLock { subject in
        defer { subject = subject ?? new }
        return subject ?? new
      }
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      subject.subscribe(subscriber)
    }

    /// Subscribes to upstream.
    public func connect() -> any Cancellable { upstream.subscribe(subject) as AnyCancellable }
  }

  /// Connects a publisher for the first subscriber, until the last one has cancelled.
  public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    private struct State {
      var count = 0
      /// The number of connections; a connection that is made too late is cancelled.
      var number = 0
      var connection: (any Cancellable)?
      /// Whether the publisher has completed: a late subscriber gets its end, and does not connect.
      var isOver = false
    }

    /// The publisher that is connected.
    public let upstream: Upstream
    private let state = Locked(State())

    /// Creates a publisher that connects another one.
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let isFirst = state.withLock { state in
        state.count += 1
        return state.count == 1 && !state.isOver
      }
      let membership = Membership { self.leave() }
      upstream.subscribe(
        AnySubscriber<Output, Failure>(
          receiveSubscription: { base in
            subscriber.receive(subscription: Member(base: base, membership: membership))
          },
          receiveValue: { subscriber.receive($0) },
          receiveCompletion: { completion in
            self.state.withLock { $0.isOver = true }
            subscriber.receive(completion: completion)
          }))
      if isFirst { connect() }
    }

    private func connect() {
      let number = state.withLock { $0.number }
      let connection = upstream.connect()
      let isLate = state.withLock { state in
        guard state.number == number else { return true }
        state.connection = connection
        return false
      }
      if isLate { connection.cancel() }
    }

    private func leave() {
      let connection = state.withLock { state -> (any Cancellable)? in
        state.count -= 1
        guard state.count == 0 else { return nil }
        state.number += 1
        return state.connection.take()
      }
      connection?.cancel()
    }

    /// The place of one subscriber, which ends once.
    private final class Membership: Sendable {
      private let onEnd: Locked<(() -> Void)?>

      init(_ onEnd: @escaping () -> Void) { self.onEnd = Locked(onEnd) }

      func end() { onEnd.withLock { $0.take() }?() }
    }

    private struct Member: Subscription, CustomStringConvertible {
      let base: any Subscription
      let membership: Membership
      var combineIdentifier: CombineIdentifier { base.combineIdentifier }
      var description: String { "Multicast" }

      func request(_ demand: Subscribers.Demand) { base.request(demand) }

      func cancel() {
        base.cancel()
        membership.end()
      }
    }
  }

  /// Shares one subscription among all subscribers; late ones miss what was published before.
  public typealias Share<Upstream: Publisher> = Autoconnect<
    Multicast<Upstream, PassthroughSubject<Upstream.Output, Upstream.Failure>>
  >

  /// Publishes the values of a publisher once it is connected.
  public typealias MakeConnectable<Upstream: Publisher> = Multicast<
    Upstream, PassthroughSubject<Upstream.Output, Upstream.Failure>
  >
}

extension Publisher {
  /// Sends the values to all subscribers through a subject, once the result is connected.
  public func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S>
  where S.Output == Output, S.Failure == Failure {
    multicast { subject }
  }

  /// Sends the values to all subscribers through the subject that a closure creates.
  public func multicast<S: Subject>(
    _ createSubject: @escaping () -> S
  ) -> Publishers.Multicast<Self, S> where S.Output == Output, S.Failure == Failure {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Shares one subscription among all subscribers; late ones miss what was published before.
  public func share() -> Publishers.Share<Self> {
    multicast { PassthroughSubject() }.autoconnect()
  }
}

extension Publisher where Failure == Never {
  /// Publishes the values once the result is connected.
  public func makeConnectable() -> Publishers.MakeConnectable<Self> {
    multicast { PassthroughSubject() }
  }
}

extension ConnectablePublisher {
  /// Connects this publisher for the first subscriber, until the last one has cancelled.
  public func autoconnect() -> Publishers.Autoconnect<Self> {
    Publishers.Autoconnect(upstream: self)
  }
}

#endif
