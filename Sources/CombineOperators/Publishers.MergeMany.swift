// Values of many publishers as they come, and publishers one after the other. Knows nothing of the
// values.

public import CombineShim

extension Collection where Element: Publisher {
  /// The values of all publishers of the collection, as they come.
  ///
  /// - Values: those of one publisher in its order; of an empty collection, none.
  /// - Demand: honoured: each publisher is asked for one value more than has been passed on.
  /// - Completion: when all have finished. A failure of any comes through at once and cancels the rest.
  /// - Cancellation: cancels all.
  /// - Threads: publishers may deliver on different threads; values are passed on one after the other.
  ///
  /// - Returns: The publisher of all values.
  public func merge()
    -> Publishers.FlatMap<
      Element,
      Publishers.SetFailureType<
        Publishers.Sequence<[Element], Never>, Element.Failure
      >
    >
  {
    Publishers.Sequence<[Element], Never>(sequence: Array(self))
      .setFailureType(to: Element.Failure.self)
      .flatMap { $0 }
  }
}

extension Publisher {
  /// Makes a publisher of each value and publishes the values of these, one after the other.
  ///
  /// Like `flatMap` with at most one publisher at a time.
  ///
  /// - Demand: honoured. Upstream is asked for the next value when a publisher has finished.
  /// - Completion: when upstream and the last publisher have finished. A failure comes through at once.
  /// - Cancellation: cancels upstream and the publisher under way.
  /// - Threads: those of the publishers.
  ///
  /// - Parameter transform: Makes a publisher of a value.
  /// - Returns: The publisher of their values.
  public func concatMap<Inner: Publisher>(
    _ transform: @escaping (Output) -> Inner
  ) -> Publishers.FlatMap<Inner, Self> where Inner.Failure == Failure {
    flatMap(maxPublishers: .max(1), transform)
  }
}
