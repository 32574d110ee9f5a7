// What the operators' subscriptions have in common: a way from a protocol to code that was compiled for
// concrete types. Knows nothing of what they do.

public import CombineShim

/// A subscription that passes what downstream says to a function that was made along with it.
///
/// A call through `any Subscription` to a method of a generic class lands in code that serves all types
/// and asks for their metadata at each turn: some microseconds. A function that is made where the types
/// are known is compiled for them; since it captures nothing, it costs no memory of its own.
// @unchecked: the function is a constant, and subclasses keep what they add behind a lock.
@usableFromInline
class DirectSubscription: Subscription, @unchecked Sendable {
  /// What downstream can say.
  @usableFromInline
  enum Signal {
    case request(Subscribers.Demand)
    case cancel
  }

  @usableFromInline let perform: @Sendable (DirectSubscription, Signal) -> Void

  /// Makes a subscription.
  ///
  /// - Parameter perform: Does what downstream says; given the subscription itself.
  @inlinable
  init(_ perform: @escaping @Sendable (DirectSubscription, Signal) -> Void) {
    self.perform = perform
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) { perform(self, .request(demand)) }

  @usableFromInline
  final func cancel() { perform(self, .cancel) }
}
