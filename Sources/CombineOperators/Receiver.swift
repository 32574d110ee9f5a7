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

  @usableFromInline
  func receive(_ subscription: any Subscription) {}

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand { .none }

  @usableFromInline
  func receive(_ completion: Subscribers.Completion<Failure>) {}
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
