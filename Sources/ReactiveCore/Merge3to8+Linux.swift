// merge of three to eight publishers.

#if !canImport(Combine)

extension Publisher {
  /// Merges the values of this publisher and two others as they arrive, as `MergeMany` does.
  public func merge<B: Publisher<Output, Failure>, C: Publisher<Output, Failure>>(with b: B, _ c: C)
    -> Publishers.Merge3<Self, B, C>
  {
    Publishers.Merge3(self, b, c)
  }

  /// Merges the values of this publisher and three others as they arrive, as `MergeMany` does.
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D) -> Publishers.Merge4<Self, B, C, D> {
    Publishers.Merge4(self, b, c, d)
  }

  /// Merges the values of this publisher and four others as they arrive, as `MergeMany` does.
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
    E: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D, _ e: E) -> Publishers.Merge5<Self, B, C, D, E> {
    Publishers.Merge5(self, b, c, d, e)
  }

  /// Merges the values of this publisher and five others as they arrive, as `MergeMany` does.
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
    E: Publisher<Output, Failure>, F: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Publishers.Merge6<Self, B, C, D, E, F> {
    Publishers.Merge6(self, b, c, d, e, f)
  }

  /// Merges the values of this publisher and six others as they arrive, as `MergeMany` does.
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
    E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Publishers.Merge7<Self, B, C, D, E, F, G>
  {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }

  /// Merges the values of this publisher and seven others as they arrive, as `MergeMany` does.
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
    E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>,
    H: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H)
    -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
  {
    Publishers.Merge8(self, b, c, d, e, f, g, h)
  }
}

extension Publishers {
  /// Merges the values of three publishers as they arrive, as `MergeMany` does.
  public struct Merge3<
    A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>
  >: Publisher, Sendable {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    private let merged: MergeMany<AnyPublisher<Output, Failure>>

    /// Merges three publishers.
    public init(_ a: A, _ b: B, _ c: C) {
      merged = MergeMany(AnyPublisher(a), AnyPublisher(b), AnyPublisher(c))
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      merged.receive(subscriber: subscriber)
    }
  }

  /// Merges the values of four publishers as they arrive, as `MergeMany` does.
  public struct Merge4<
    A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
    D: Publisher<A.Output, A.Failure>
  >: Publisher, Sendable {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    private let merged: MergeMany<AnyPublisher<Output, Failure>>

    /// Merges four publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      merged = MergeMany(AnyPublisher(a), AnyPublisher(b), AnyPublisher(c), AnyPublisher(d))
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      merged.receive(subscriber: subscriber)
    }
  }

  /// Merges the values of five publishers as they arrive, as `MergeMany` does.
  public struct Merge5<
    A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
    D: Publisher<A.Output, A.Failure>, E: Publisher<A.Output, A.Failure>
  >: Publisher, Sendable {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    private let merged: MergeMany<AnyPublisher<Output, Failure>>

    /// Merges five publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
      merged = MergeMany(
        AnyPublisher(a), AnyPublisher(b), AnyPublisher(c), AnyPublisher(d), AnyPublisher(e))
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      merged.receive(subscriber: subscriber)
    }
  }

  /// Merges the values of six publishers as they arrive, as `MergeMany` does.
  public struct Merge6<
    A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
    D: Publisher<A.Output, A.Failure>, E: Publisher<A.Output, A.Failure>,
    F: Publisher<A.Output, A.Failure>
  >: Publisher, Sendable {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    private let merged: MergeMany<AnyPublisher<Output, Failure>>

    /// Merges six publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
      merged = MergeMany(
        AnyPublisher(a), AnyPublisher(b), AnyPublisher(c), AnyPublisher(d), AnyPublisher(e),
        AnyPublisher(f))
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      merged.receive(subscriber: subscriber)
    }
  }

  /// Merges the values of seven publishers as they arrive, as `MergeMany` does.
  public struct Merge7<
    A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
    D: Publisher<A.Output, A.Failure>, E: Publisher<A.Output, A.Failure>,
    F: Publisher<A.Output, A.Failure>, G: Publisher<A.Output, A.Failure>
  >: Publisher, Sendable {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    private let merged: MergeMany<AnyPublisher<Output, Failure>>

    /// Merges seven publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
      merged = MergeMany(
        AnyPublisher(a), AnyPublisher(b), AnyPublisher(c), AnyPublisher(d), AnyPublisher(e),
        AnyPublisher(f), AnyPublisher(g))
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      merged.receive(subscriber: subscriber)
    }
  }

  /// Merges the values of eight publishers as they arrive, as `MergeMany` does.
  public struct Merge8<
    A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
    D: Publisher<A.Output, A.Failure>, E: Publisher<A.Output, A.Failure>,
    F: Publisher<A.Output, A.Failure>, G: Publisher<A.Output, A.Failure>,
    H: Publisher<A.Output, A.Failure>
  >: Publisher, Sendable {
    /// A value of one of the publishers.
    public typealias Output = A.Output
    /// The failure of the publishers.
    public typealias Failure = A.Failure

    private let merged: MergeMany<AnyPublisher<Output, Failure>>

    /// Merges eight publishers.
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) {
      merged = MergeMany(
        AnyPublisher(a), AnyPublisher(b), AnyPublisher(c), AnyPublisher(d), AnyPublisher(e),
        AnyPublisher(f), AnyPublisher(g), AnyPublisher(h))
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      merged.receive(subscriber: subscriber)
    }
  }
}

#endif
