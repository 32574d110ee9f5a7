// The operators that publish one result, by their names in Combine.

#if !canImport(Combine)

extension Publisher {
  /// Folds all values, and publishes the result.
  @preconcurrency public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    reduction(initialResult) { (result: inout T, input) -> T? in
      result = nextPartialResult(result, input)
      return nil
    } finish: {
      $0
    }
  }

  /// Like `reduce(_:_:)`, and fails when the closure throws.
  @preconcurrency public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
  ) -> Publishers.TryReduce<Self, T> {
    tryReduction(initialResult) { (result: inout T, input) -> T? in
      result = try nextPartialResult(result, input)
      return nil
    } finish: {
      $0
    }
  }

  /// Publishes all values as an array.
  public func collect() -> Publishers.Collect<Self> {
    reduction([Output]()) { (values: inout [Output], input) -> [Output]? in
      values.append(input)
      return nil
    } finish: {
      $0
    }
  }

  /// Publishes the number of values.
  public func count() -> Publishers.Count<Self> { reduce(0) { count, _ in count + 1 } }

  /// Publishes the end alone.
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    reduction(()) { (_: inout Void, _) -> Never? in
      nil
    } finish: { _ in
      nil
    }
  }

  /// Publishes the smallest value, by an order.
  @preconcurrency public func min(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
  ) -> Publishers.Comparison<Self> {
    selection { areInIncreasingOrder($1, $0) }
  }

  /// Publishes the greatest value, by an order.
  @preconcurrency public func max(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
  ) -> Publishers.Comparison<Self> {
    selection { !areInIncreasingOrder($1, $0) }
  }

  /// Like `min(by:)`, and fails when the closure throws.
  @preconcurrency public func tryMin(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    trySelection { try areInIncreasingOrder($1, $0) }
  }

  /// Like `max(by:)`, and fails when the closure throws.
  @preconcurrency public func tryMax(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    trySelection { try !areInIncreasingOrder($1, $0) }
  }

  /// Publishes one of the values.
  ///
  /// - Parameter replaces: Whether a value, the second parameter, replaces the one selected so far.
  /// - Returns: The publisher of the value that is selected in the end.
  private func selection(
    _ replaces: @escaping @Sendable (Output, Output) -> Bool
  ) -> Publishers.Comparison<Self> {
    reduction(Output?.none) { (selected: inout Output?, input) -> Output? in
      if selected.map({ replaces($0, input) }) ?? true { selected = input }
      return nil
    } finish: {
      $0
    }
  }

  private func trySelection(
    _ replaces: @escaping @Sendable (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    tryReduction(Output?.none) { (selected: inout Output?, input) -> Output? in
      if try selected.map({ try replaces($0, input) }) ?? true { selected = input }
      return nil
    } finish: {
      $0
    }
  }

  /// Publishes whether a condition is true for a value, as soon as it is.
  @preconcurrency public func contains(
    where predicate: @escaping @Sendable (Output) -> Bool
  ) -> Publishers.ContainsWhere<Self> {
    reduction(false) { (_: inout Bool, input) -> Bool? in
      predicate(input) ? true : nil
    } finish: {
      $0
    }
  }

  /// Like `contains(where:)`, and fails when the closure throws.
  @preconcurrency public func tryContains(
    where predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> Publishers.TryContainsWhere<Self> {
    tryReduction(false) { (_: inout Bool, input) -> Bool? in
      try predicate(input) ? true : nil
    } finish: {
      $0
    }
  }

  /// Publishes whether a condition is true for all values, as soon as it is not.
  @preconcurrency public func allSatisfy(
    _ predicate: @escaping @Sendable (Output) -> Bool
  ) -> Publishers.AllSatisfy<Self> {
    reduction(true) { (_: inout Bool, input) -> Bool? in
      predicate(input) ? nil : false
    } finish: {
      $0
    }
  }

  /// Like `allSatisfy(_:)`, and fails when the closure throws.
  @preconcurrency public func tryAllSatisfy(
    _ predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> Publishers.TryAllSatisfy<Self> {
    tryReduction(true) { (_: inout Bool, input) -> Bool? in
      try predicate(input) ? nil : false
    } finish: {
      $0
    }
  }

  /// Publishes the first value.
  public func first() -> Publishers.First<Self> { first { _ in true } }

  /// Publishes the first value for which a condition is true.
  @preconcurrency public func first(
    where predicate: @escaping @Sendable (Output) -> Bool
  ) -> Publishers.FirstWhere<Self> {
    reduction(()) { (_: inout Void, input) -> Output? in
      predicate(input) ? input : nil
    } finish: { _ in
      nil
    }
  }

  /// Like `first(where:)`, and fails when the closure throws.
  @preconcurrency public func tryFirst(
    where predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> Publishers.TryFirstWhere<Self> {
    tryReduction(()) { (_: inout Void, input) -> Output? in
      try predicate(input) ? input : nil
    } finish: { _ in
      nil
    }
  }

  /// Publishes the last value.
  public func last() -> Publishers.Last<Self> { selection { _, _ in true } }

  /// Publishes the last value for which a condition is true.
  @preconcurrency public func last(
    where predicate: @escaping @Sendable (Output) -> Bool
  ) -> Publishers.LastWhere<Self> {
    reduction(Output?.none) { (last: inout Output?, input) -> Output? in
      if predicate(input) { last = input }
      return nil
    } finish: {
      $0
    }
  }

  /// Like `last(where:)`, and fails when the closure throws.
  @preconcurrency public func tryLast(
    where predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> Publishers.TryLastWhere<Self> {
    tryReduction(Output?.none) { (last: inout Output?, input) -> Output? in
      if try predicate(input) { last = input }
      return nil
    } finish: {
      $0
    }
  }
}

extension Publisher where Output: Comparable {
  /// Publishes the smallest value.
  public func min() -> Publishers.Comparison<Self> {
    let isLess = UncheckedSendable { (left: Output, right: Output) in left < right }
    return min { isLess.value($0, $1) }
  }

  /// Publishes the greatest value.
  public func max() -> Publishers.Comparison<Self> {
    let isLess = UncheckedSendable { (left: Output, right: Output) in left < right }
    return max { isLess.value($0, $1) }
  }
}

extension Publisher where Output: Equatable {
  /// Publishes whether a value is among the values, as soon as it is.
  public func contains(_ output: Output) -> Publishers.Contains<Self> {
    let isSame = UncheckedSendable { (value: Output) in value == output }
    return contains { isSame.value($0) }
  }
}

#endif
