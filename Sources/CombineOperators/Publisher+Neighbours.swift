// Values with the ones before them, and values by a condition.

public import ReactiveCore

extension Publisher {
  /// Publishes each value together with the ones before it: lists of `size` values, each of which begins
  /// one value later.
  ///
  /// Publishes nothing before there are so many values. Linear in the size for a value.
  ///
  /// - Parameter size: The number of values in a list; at least 1.
  /// - Returns: The publisher of the lists.
  public func nwise(_ size: Int) -> AnyPublisher<[Output], Failure> {
    precondition(size > 0, "a list of neighbours has at least one value")
    return scan([]) { ($0 + [$1]).suffix(size) }
      .filter { $0.count == size }
      .eraseToAnyPublisher()
  }

  /// Publishes each value from the second one on, together with the one before it.
  ///
  /// - Returns: The publisher of the pairs.
  public func pairwise() -> AnyPublisher<(Output, Output), Failure> {
    nwise(2).map { ($0[0], $0[1]) }.eraseToAnyPublisher()
  }

  /// Divides the values by a condition, which is called once for each.
  ///
  /// Both publishers share one subscription, which begins with the first subscriber; values that arrive
  /// before the second one subscribes do not reach it.
  ///
  /// - Parameter condition: The condition.
  /// - Returns: The publisher of the values for which it is true, and that of the others.
  @preconcurrency public func partition(
    _ condition: @escaping @Sendable (Output) -> Bool
  ) -> (matches: AnyPublisher<Output, Failure>, others: AnyPublisher<Output, Failure>) {
    let shared = map { (value: $0, isMatch: condition($0)) }.share(replay: 0)
    return (
      shared.filter(\.isMatch).map(\.value).eraseToAnyPublisher(),
      shared.filter { !$0.isMatch }.map(\.value).eraseToAnyPublisher()
    )
  }
}

/// How an assignment holds its object.
public enum ObjectOwnership: Sendable {
  /// The assignment keeps the object, as Combine's `assign(to:on:)` does.
  case strong
  /// The assignment ends with the object.
  case weak
  /// The object must outlive the assignment.
  case unowned
}

extension Publisher where Failure == Never {
  /// Assigns each value to a property of an object.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - object: The object.
  ///   - ownership: How the assignment holds the object. Combine's `assign(to:on:)` keeps it, which is a
  ///     cycle if the object keeps the subscription.
  /// - Returns: The subscription; releasing it ends the assignment.
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root,
    ownership: ObjectOwnership
  ) -> AnyCancellable {
    let assign: (Output) -> Void =
      switch ownership {
      case .strong: { object[keyPath: keyPath] = $0 }
      case .weak: { [weak object] in object?[keyPath: keyPath] = $0 }
      case .unowned: { [unowned object] in object[keyPath: keyPath] = $0 }
      }
    // As with Combine's `assign(to:on:)`, the object must allow the assignment on any thread.
    let assigned = UncheckedSendable(assign)
    return sink { assigned.value($0) }
  }
}
