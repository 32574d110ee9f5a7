// The zip of two, three or four publishers of different types.

public import CombineShim

extension Publisher {
  /// Combines the values of this publisher and another one, position by position.
  ///
  /// Like `zip(_:)`, with a different name because OpenCombine's `Zip` crashes with `Future`s, on
  /// any thread. This one supports them. For three or four publishers, see the other overloads; for
  /// a transform, use `map`.
  ///
  /// - Values: the n-th output holds the n-th value of each publisher.
  /// - Demand: each request is passed on to every publisher; values that arrive early are buffered.
  /// - Completion: finishes when a publisher has finished and all of its values have been used. A
  ///   failure of any publisher is delivered immediately. In both cases the others are cancelled.
  /// - Cancellation: cancels all publishers; nothing is delivered afterwards.
  /// - Threads: publishers may deliver on different threads at the same time; outputs are delivered
  ///   serially, on one of these threads or on that of a request. No lock is held then.
  /// - Complexity: constant for a value.
  ///
  /// - Parameter other: The other publisher.
  /// - Returns: The publisher of pairs.
  public func zipped<Other: Publisher>(
    with other: Other
  ) -> Publishers.Zipped<Self, Other> where Other.Failure == Failure {
    Publishers.Zipped(a: self, b: other)
  }

  /// Combines the values of this publisher and two others, position by position.
  ///
  /// The contract is that of the overload for two publishers.
  ///
  /// - Parameters:
  ///   - second: The second publisher.
  ///   - third: The third publisher.
  /// - Returns: The publisher of triples.
  public func zipped<Second: Publisher, Third: Publisher>(
    with second: Second, _ third: Third
  ) -> Publishers.Zipped3<Self, Second, Third>
  where Second.Failure == Failure, Third.Failure == Failure {
    Publishers.Zipped3(a: self, b: second, c: third)
  }

  /// Combines the values of this publisher and three others, position by position.
  ///
  /// The contract is that of the overload for two publishers.
  ///
  /// - Parameters:
  ///   - second: The second publisher.
  ///   - third: The third publisher.
  ///   - fourth: The fourth publisher.
  /// - Returns: The publisher of quadruples.
  public func zipped<Second: Publisher, Third: Publisher, Fourth: Publisher>(
    with second: Second, _ third: Third, _ fourth: Fourth
  ) -> Publishers.Zipped4<Self, Second, Third, Fourth>
  where Second.Failure == Failure, Third.Failure == Failure, Fourth.Failure == Failure {
    Publishers.Zipped4(a: self, b: second, c: third, d: fourth)
  }
}

extension Publishers {
  /// A publisher that combines the values of two publishers, position by position.
  ///
  /// See `Publisher.zipped(with:)` for its contract.
  public struct Zipped<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
    /// One value of each publisher.
    public typealias Output = (A.Output, B.Output)
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    let a: A
    let b: B

    /// Subscribes to both publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the outputs.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let (first, second) = (ZipValues<A.Output>(), ZipValues<B.Output>())
      let machine = ZipMachine<Output, Failure>([first, second]) {
        (first.removeFirst(), second.removeFirst())
      }
      let zip = OperatorSubscription(machine, for: subscriber)
      subscriber.receive(subscription: zip)
      a.zip(into: zip, as: first, at: 0)
      b.zip(into: zip, as: second, at: 1)
    }
  }

  /// A publisher that combines the values of three publishers, position by position.
  ///
  /// See `Publisher.zipped(with:)` for its contract.
  public struct Zipped3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure {
    /// One value of each publisher.
    public typealias Output = (A.Output, B.Output, C.Output)
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    let a: A
    let b: B
    let c: C

    /// Subscribes to all publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the outputs.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      a.zipped(with: b).zipped(with: c).map { ($0.0.0, $0.0.1, $0.1) }.subscribe(subscriber)
    }
  }

  /// A publisher that combines the values of four publishers, position by position.
  ///
  /// See `Publisher.zipped(with:)` for its contract.
  public struct Zipped4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
    /// One value of each publisher.
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    let a: A
    let b: B
    let c: C
    let d: D

    /// Subscribes to all publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the outputs.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      a.zipped(with: b).zipped(with: c.zipped(with: d))
        .map { ($0.0.0, $0.0.1, $0.1.0, $0.1.1) }.subscribe(subscriber)
    }
  }
}
