// What the operators subscribe with: a way from a protocol to code that was compiled for concrete types.
// Knows nothing of what they do.

public import CombineShim

/// A subscriber that passes what upstream says to functions that were made along with it.
///
/// The counterpart of ``DirectSubscription``, for the same reason: the publishers of a compiled library
/// call their subscribers as those of any type.
@usableFromInline
struct DirectInput<Input, Failure: Error>: Subscriber {
  /// Whom it subscribes for.
  @usableFromInline let owner: AnyObject
  /// Which of the owner's upstreams this is, or which connection to it.
  @usableFromInline let number: Int
  @usableFromInline let onSubscription: @Sendable (AnyObject, Int, any Subscription) -> Void
  @usableFromInline let onValue: @Sendable (AnyObject, Int, Input) -> Void
  @usableFromInline let onCompletion:
    @Sendable (AnyObject, Int, Subscribers.Completion<Failure>) -> Void

  /// Makes a subscriber; the functions must capture nothing, so that they cost no memory.
  @inlinable
  init(
    _ owner: AnyObject, number: Int = 0,
    onSubscription: @escaping @Sendable (AnyObject, Int, any Subscription) -> Void,
    onValue: @escaping @Sendable (AnyObject, Int, Input) -> Void,
    onCompletion:
      @escaping @Sendable (AnyObject, Int, Subscribers.Completion<Failure>)
      -> Void
  ) {
    self.owner = owner
    self.number = number
    self.onSubscription = onSubscription
    self.onValue = onValue
    self.onCompletion = onCompletion
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { CombineIdentifier(owner) }

  @inlinable
  func receive(subscription: any Subscription) { onSubscription(owner, number, subscription) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    onValue(owner, number, input)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    onCompletion(owner, number, completion)
  }
}
