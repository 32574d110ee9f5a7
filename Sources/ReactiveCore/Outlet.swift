// A subscriber as an object.

/// A subscriber of any type.
///
/// This is a class, which unspecialized generic code handles without type metadata, unlike
/// `any Subscriber`.
package class Outlet<Input, Failure: Error> {
  fileprivate init() {}

  /// Hands the subscription out.
  package func receive(subscription: any Subscription) {
    preconditionFailure("BUG: an outlet without a subscriber")
  }

  /// Delivers a value.
  package func receive(_ input: Input) -> Subscribers.Demand {
    preconditionFailure("BUG: an outlet without a subscriber")
  }

  /// Delivers the completion.
  package func receive(completion: Subscribers.Completion<Failure>) {
    preconditionFailure("BUG: an outlet without a subscriber")
  }
}

extension Subscriber {
  /// Returns this subscriber as an object.
  package func makeOutlet() -> Outlet<Input, Failure> { OutletOf(self) }
}

private final class OutletOf<S: Subscriber>: Outlet<S.Input, S.Failure> {
  private let subscriber: S

  init(_ subscriber: S) { self.subscriber = subscriber }

  override func receive(subscription: any Subscription) {
    subscriber.receive(subscription: subscription)
  }

  override func receive(_ input: S.Input) -> Subscribers.Demand { subscriber.receive(input) }

  override func receive(completion: Subscribers.Completion<S.Failure>) {
    subscriber.receive(completion: completion)
  }
}
