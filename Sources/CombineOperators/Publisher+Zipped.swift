// The zip of two, three or four publishers, by another name.

public import ReactiveCore

extension Publisher {
  /// Combines the values of this publisher and another one, position by position.
  ///
  /// Combine's `zip(_:)`. The name is older than this product's own `zip` on Linux.
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
  ) -> Publishers.Zip<Self, Other> where Other.Failure == Failure {
    zip(other)
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
  ) -> Publishers.Zip3<Self, Second, Third>
  where Second.Failure == Failure, Third.Failure == Failure {
    zip(second, third)
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
  ) -> Publishers.Zip4<Self, Second, Third, Fourth>
  where Second.Failure == Failure, Third.Failure == Failure, Fourth.Failure == Failure {
    zip(second, third, fourth)
  }
}
