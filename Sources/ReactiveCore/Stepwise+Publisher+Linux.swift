// The operators that decide about each value, by their names in Combine.

#if !canImport(Combine)

extension Publisher {
  /// Transforms each value, and fails when the closure throws.
  @preconcurrency public func tryMap<T>(
    _ transform: @escaping @Sendable (Output) throws -> T
  ) -> Publishers.TryMap<Self, T> {
    trySteps { { .publish(try transform($0)) } }
  }

  /// Like `compactMap(_:)`, and fails when the closure throws.
  @preconcurrency public func tryCompactMap<T>(
    _ transform: @escaping @Sendable (Output) throws -> T?
  ) -> Publishers.TryCompactMap<Self, T> {
    trySteps { { try transform($0).map { .publish($0) } ?? .skip } }
  }

  /// Like `filter(_:)`, and fails when the closure throws.
  @preconcurrency public func tryFilter(
    _ isIncluded: @escaping @Sendable (Output) throws -> Bool
  ) -> Publishers.TryFilter<Self> {
    trySteps { { try isIncluded($0) ? .publish($0) : .skip } }
  }

  /// Publishes each intermediate result of a fold.
  @preconcurrency public func scan<T>(
    _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    let initialResult = UncheckedSendable(initialResult)
    return steps {
      var result = initialResult.value
      return { input in
        result = nextPartialResult(result, input)
        return .publish(result)
      }
    }
  }

  /// Like `scan(_:_:)`, and fails when the closure throws.
  @preconcurrency public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
  ) -> Publishers.TryScan<Self, T> {
    let initialResult = UncheckedSendable(initialResult)
    return trySteps {
      var result = initialResult.value
      return { input in
        result = try nextPartialResult(result, input)
        return .publish(result)
      }
    }
  }

  /// Publishes only values that differ from the one before, by a comparison.
  @preconcurrency public func removeDuplicates(
    by predicate: @escaping @Sendable (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    steps {
      var last: Output?
      return { input in
        if let last, predicate(last, input) { return .skip }
        last = input
        return .publish(input)
      }
    }
  }

  /// Like `removeDuplicates(by:)`, and fails when the closure throws.
  @preconcurrency public func tryRemoveDuplicates(
    by predicate: @escaping @Sendable (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    trySteps {
      var last: Output?
      return { input in
        if let last, try predicate(last, input) { return .skip }
        last = input
        return .publish(input)
      }
    }
  }

  /// Publishes the values of a range of positions, and finishes with the last of them.
  public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self>
  where R.Bound == Int {
    let range = range.relative(to: 0..<Int.max)
    return steps(isEmpty: range.isEmpty) {
      var position = -1
      return { input in
        position += 1
        if position < range.lowerBound { return .skip }
        return position < range.upperBound - 1 ? .publish(input) : .publishLast(input)
      }
    }
  }

  /// Publishes the value at a position, and finishes.
  public func output(at index: Int) -> Publishers.Output<Self> { output(in: index...index) }

  /// Publishes the first values, and finishes with the last of them.
  public func prefix(_ maxLength: Int) -> Publishers.Output<Self> { output(in: 0..<maxLength) }

  /// Publishes values until a condition is false, and finishes.
  @preconcurrency public func prefix(
    while predicate: @escaping @Sendable (Output) -> Bool
  ) -> Publishers.PrefixWhile<Self> {
    steps { { predicate($0) ? .publish($0) : .finish } }
  }

  /// Like `prefix(while:)`, and fails when the closure throws.
  @preconcurrency public func tryPrefix(
    while predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> Publishers.TryPrefixWhile<Self> {
    trySteps { { try predicate($0) ? .publish($0) : .finish } }
  }

  /// Skips the first values.
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    steps {
      var left = count
      return { input in
        guard left > 0 else { return .publish(input) }
        left -= 1
        return .skip
      }
    }
  }

  /// Skips values until a condition is false.
  @preconcurrency public func drop(
    while predicate: @escaping @Sendable (Output) -> Bool
  ) -> Publishers.DropWhile<Self> {
    steps {
      var isDropping = true
      return { input in
        isDropping = isDropping && predicate(input)
        return isDropping ? .skip : .publish(input)
      }
    }
  }

  /// Like `drop(while:)`, and fails when the closure throws.
  @preconcurrency public func tryDrop(
    while predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> Publishers.TryDropWhile<Self> {
    trySteps {
      var isDropping = true
      return { input in
        if isDropping { isDropping = try predicate(input) }
        return isDropping ? .skip : .publish(input)
      }
    }
  }
}

extension Publisher where Output: Equatable {
  /// Publishes only values that differ from the one before.
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
    let isEqual = UncheckedSendable { (left: Output, right: Output) in left == right }
    return removeDuplicates { isEqual.value($0, $1) }
  }
}

#endif
