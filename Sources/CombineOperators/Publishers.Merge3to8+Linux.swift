// merge of three to eight publishers, which OpenCombine lacks; names and overloads are those of Combine.

#if !canImport(Combine)

public import CombineShim

extension Publisher {
  /// Merges the values of this publisher and two others as they arrive.
  ///
  /// The contract is that of ``Publishers/MergeMany``.
  ///
  /// - Returns: The publisher of all values.
  public func merge<B: Publisher, C: Publisher>(
    with b: B, _ c: C
  ) -> Publishers.Merge3<Self, B, C>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure
  {
    Publishers.Merge3(self, b, c)
  }

  /// Merges the values of this publisher and three others as they arrive.
  ///
  /// The contract is that of ``Publishers/MergeMany``.
  ///
  /// - Returns: The publisher of all values.
  public func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B, _ c: C, _ d: D
  ) -> Publishers.Merge4<Self, B, C, D>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure
  {
    Publishers.Merge4(self, b, c, d)
  }

  /// Merges the values of this publisher and four others as they arrive.
  ///
  /// The contract is that of ``Publishers/MergeMany``.
  ///
  /// - Returns: The publisher of all values.
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E
  ) -> Publishers.Merge5<Self, B, C, D, E>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure, E.Output == Output, E.Failure == Failure
  {
    Publishers.Merge5(self, b, c, d, e)
  }

  /// Merges the values of this publisher and five others as they arrive.
  ///
  /// The contract is that of ``Publishers/MergeMany``.
  ///
  /// - Returns: The publisher of all values.
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Publishers.Merge6<Self, B, C, D, E, F>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure, E.Output == Output, E.Failure == Failure,
    F.Output == Output, F.Failure == Failure
  {
    Publishers.Merge6(self, b, c, d, e, f)
  }

  /// Merges the values of this publisher and six others as they arrive.
  ///
  /// The contract is that of ``Publishers/MergeMany``.
  ///
  /// - Returns: The publisher of all values.
  public func merge<
    B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
  >(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure, E.Output == Output, E.Failure == Failure,
    F.Output == Output, F.Failure == Failure, G.Output == Output, G.Failure == Failure
  {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }

  /// Merges the values of this publisher and seven others as they arrive.
  ///
  /// The contract is that of ``Publishers/MergeMany``.
  ///
  /// - Returns: The publisher of all values.
  public func merge<
    B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher
  >(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure, E.Output == Output, E.Failure == Failure,
    F.Output == Output, F.Failure == Failure, G.Output == Output, G.Failure == Failure,
    H.Output == Output, H.Failure == Failure
  {
    Publishers.Merge8(self, b, c, d, e, f, g, h)
  }
}

extension Publishers {
  /// A publisher that merges the values of three publishers as they arrive.
  ///
  /// See ``Publishers/MergeMany`` for its contract.
  public struct Merge3<
    A: Publisher, B: Publisher, C: Publisher
  >: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure
  {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B
    /// The third publisher.
    public let c: C

    /// Merges three publishers.
    public init(_ a: A, _ b: B, _ c: C) {
      (self.a, self.b, self.c) = (a, b, c)
    }

    /// Subscribes to all publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let merge = OperatorSubscription(MergeMachine<Output, Failure>(count: 3), for: subscriber)
      subscriber.receive(subscription: merge)
      a.merge(into: merge, at: 0)
      b.merge(into: merge, at: 1)
      c.merge(into: merge, at: 2)
    }
  }

  /// A publisher that merges the values of four publishers as they arrive.
  ///
  /// See ``Publishers/MergeMany`` for its contract.
  public struct Merge4<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher
  >: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
    A.Output == D.Output, A.Failure == D.Failure
  {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B
    /// The third publisher.
    public let c: C
    /// The fourth publisher.
    public let d: D

    /// Merges four publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      (self.a, self.b, self.c, self.d) = (a, b, c, d)
    }

    /// Subscribes to all publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let merge = OperatorSubscription(MergeMachine<Output, Failure>(count: 4), for: subscriber)
      subscriber.receive(subscription: merge)
      a.merge(into: merge, at: 0)
      b.merge(into: merge, at: 1)
      c.merge(into: merge, at: 2)
      d.merge(into: merge, at: 3)
    }
  }

  /// A publisher that merges the values of five publishers as they arrive.
  ///
  /// See ``Publishers/MergeMany`` for its contract.
  public struct Merge5<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher
  >: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
    A.Output == D.Output, A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure
  {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B
    /// The third publisher.
    public let c: C
    /// The fourth publisher.
    public let d: D
    /// The fifth publisher.
    public let e: E

    /// Merges five publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
      (self.a, self.b, self.c, self.d, self.e) = (a, b, c, d, e)
    }

    /// Subscribes to all publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let merge = OperatorSubscription(MergeMachine<Output, Failure>(count: 5), for: subscriber)
      subscriber.receive(subscription: merge)
      a.merge(into: merge, at: 0)
      b.merge(into: merge, at: 1)
      c.merge(into: merge, at: 2)
      d.merge(into: merge, at: 3)
      e.merge(into: merge, at: 4)
    }
  }

  /// A publisher that merges the values of six publishers as they arrive.
  ///
  /// See ``Publishers/MergeMany`` for its contract.
  public struct Merge6<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher
  >: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
    A.Output == D.Output, A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure,
    A.Output == F.Output, A.Failure == F.Failure
  {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B
    /// The third publisher.
    public let c: C
    /// The fourth publisher.
    public let d: D
    /// The fifth publisher.
    public let e: E
    /// The sixth publisher.
    public let f: F

    /// Merges six publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
      (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
    }

    /// Subscribes to all publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let merge = OperatorSubscription(MergeMachine<Output, Failure>(count: 6), for: subscriber)
      subscriber.receive(subscription: merge)
      a.merge(into: merge, at: 0)
      b.merge(into: merge, at: 1)
      c.merge(into: merge, at: 2)
      d.merge(into: merge, at: 3)
      e.merge(into: merge, at: 4)
      f.merge(into: merge, at: 5)
    }
  }

  /// A publisher that merges the values of seven publishers as they arrive.
  ///
  /// See ``Publishers/MergeMany`` for its contract.
  public struct Merge7<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher,
    G: Publisher
  >: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
    A.Output == D.Output, A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure,
    A.Output == F.Output, A.Failure == F.Failure, A.Output == G.Output, A.Failure == G.Failure
  {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B
    /// The third publisher.
    public let c: C
    /// The fourth publisher.
    public let d: D
    /// The fifth publisher.
    public let e: E
    /// The sixth publisher.
    public let f: F
    /// The seventh publisher.
    public let g: G

    /// Merges seven publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
      (self.a, self.b, self.c, self.d, self.e, self.f, self.g) = (a, b, c, d, e, f, g)
    }

    /// Subscribes to all publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let merge = OperatorSubscription(MergeMachine<Output, Failure>(count: 7), for: subscriber)
      subscriber.receive(subscription: merge)
      a.merge(into: merge, at: 0)
      b.merge(into: merge, at: 1)
      c.merge(into: merge, at: 2)
      d.merge(into: merge, at: 3)
      e.merge(into: merge, at: 4)
      f.merge(into: merge, at: 5)
      g.merge(into: merge, at: 6)
    }
  }

  /// A publisher that merges the values of eight publishers as they arrive.
  ///
  /// See ``Publishers/MergeMany`` for its contract.
  public struct Merge8<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher,
    G: Publisher, H: Publisher
  >: Publisher
  where
    A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
    A.Output == D.Output, A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure,
    A.Output == F.Output, A.Failure == F.Failure, A.Output == G.Output, A.Failure == G.Failure,
    A.Output == H.Output, A.Failure == H.Failure
  {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B
    /// The third publisher.
    public let c: C
    /// The fourth publisher.
    public let d: D
    /// The fifth publisher.
    public let e: E
    /// The sixth publisher.
    public let f: F
    /// The seventh publisher.
    public let g: G
    /// The eighth publisher.
    public let h: H

    /// Merges eight publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) {
      (self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h) = (a, b, c, d, e, f, g, h)
    }

    /// Subscribes to all publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let merge = OperatorSubscription(MergeMachine<Output, Failure>(count: 8), for: subscriber)
      subscriber.receive(subscription: merge)
      a.merge(into: merge, at: 0)
      b.merge(into: merge, at: 1)
      c.merge(into: merge, at: 2)
      d.merge(into: merge, at: 3)
      e.merge(into: merge, at: 4)
      f.merge(into: merge, at: 5)
      g.merge(into: merge, at: 6)
      h.merge(into: merge, at: 7)
    }
  }
}

#endif
