// Who gets what an operator gives, whatever its type. Knows nothing of what is given.

public import CombineShim

/// A subscriber without its type.
///
/// What works for any type of subscriber cannot be compiled for the one that comes; what works for a
/// receiver of its values can.
@usableFromInline
class Receiver<Input, Failure: Error> {
  @inlinable
  init() {}

  // Each is overridden: a class, because calls through its table are direct where its type is known, and
  // those through a protocol are not.
  @usableFromInline
  func receive(_ subscription: any Subscription) { preconditionFailure("BUG: overridden") }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand { preconditionFailure("BUG: overridden") }

  @usableFromInline
  func receive(_ completion: Subscribers.Completion<Failure>) {
    preconditionFailure("BUG: overridden")
  }
}

/// A subscriber as a receiver.
@usableFromInline
final class SubscriberReceiver<Downstream: Subscriber>: Receiver<
  Downstream.Input, Downstream.Failure
>
{
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) {
    self.downstream = downstream
  }

  @inlinable
  override func receive(_ subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }

  @inlinable
  override func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    downstream.receive(input)
  }

  @inlinable
  override func receive(_ completion: Subscribers.Completion<Downstream.Failure>) {
    downstream.receive(completion: completion)
  }
}
