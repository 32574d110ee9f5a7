// merge of two publishers, or of a list.

#if !canImport(Combine)

extension Publisher {
  /// Merges the values of this publisher and another one of its type as they arrive, as `MergeMany` does.
  public func merge(with other: Self) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany([self, other])
  }

  /// Merges the values of this publisher and another one as they arrive, as `MergeMany` does.
  public func merge<P: Publisher>(
    with other: P
  ) -> Publishers.Merge<Self, P> where P.Output == Output, P.Failure == Failure {
    Publishers.Merge(self, other)
  }
}

extension Publishers {
  /// A publisher that merges the values of two publishers as they arrive.
  ///
  /// See ``Publishers/MergeMany`` for its contract.
  public struct Merge<A: Publisher, B: Publisher>: Publisher
  where A.Output == B.Output, A.Failure == B.Failure {
    /// A value of either publisher.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B

    /// Merges two publishers.
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let merge = OperatorSubscription(MergeMachine<Output, Failure>(count: 2), for: subscriber)
      a.merge(into: merge, at: 0)
      b.merge(into: merge, at: 1)
      merge.open()
    }
  }

  /// A publisher that merges the values of any number of publishers as they arrive.
  ///
  /// - Values: those of each publisher in its order; an empty collection finishes immediately.
  /// - Demand: while the demand is limited, each publisher gets a request for one value more than
  ///   it has contributed, so at most one value of each waits. Unlimited demand is passed on.
  /// - Completion: finishes when all publishers have finished. A failure of any publisher is
  ///   delivered immediately and cancels the others.
  /// - Cancellation: cancels all publishers; nothing is delivered afterwards.
  /// - Threads: publishers may deliver on different threads at the same time; values are delivered
  ///   serially, on one of these threads or on that of a request. No lock is held then, so a slow
  ///   subscriber does not block other publishers.
  /// - Complexity: constant for a value.
  public struct MergeMany<Upstream: Publisher>: Publisher {
    /// A value of one of the publishers.
    public typealias Output = Upstream.Output
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    /// The merged publishers.
    public let publishers: [Upstream]

    /// Merges the given publishers.
    public init(_ upstream: Upstream...) {
      publishers = upstream
    }

    /// Merges the publishers of a sequence.
    public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream {
      publishers = Array(upstream)
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let merge = OperatorSubscription(
        MergeMachine<Output, Failure>(count: publishers.count), for: subscriber)
      for (position, publisher) in publishers.enumerated() {
        publisher.merge(into: merge, at: position)
      }
      merge.open()
    }
  }
}

extension Publishers.Merge: Sendable where A: Sendable, B: Sendable {}
extension Publishers.MergeMany: Sendable where Upstream: Sendable {}

#endif
