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

  /// Makes a subscriber for an object whose type is known here.
  @inlinable
  init<Owner: InputOwner>(_ owner: Owner, number: Int = 0)
  where Owner.Input == Input, Owner.Failure == Failure {
    self.owner = owner
    self.number = number
    // They capture nothing, so they cost no memory.
    onSubscription = { owner, number, subscription in
      unsafeDowncast(owner, to: Owner.self).receive(subscription: subscription, from: number)
    }
    onValue = { owner, number, value in
      unsafeDowncast(owner, to: Owner.self).receive(value, from: number)
    }
    onCompletion = { owner, number, completion in
      unsafeDowncast(owner, to: Owner.self).receive(completion: completion, from: number)
    }
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

/// What subscribes to publishers by means of a ``DirectInput``.
@usableFromInline
protocol InputOwner: AnyObject, SendableMetatype {
  associatedtype Input
  associatedtype Failure: Error

  /// Takes the subscription to one of its upstreams, or of one of its connections.
  func receive(subscription: any Subscription, from number: Int)
  /// Takes a value.
  func receive(_ value: Input, from number: Int)
  /// Takes the end.
  func receive(completion: Subscribers.Completion<Failure>, from number: Int)
}
