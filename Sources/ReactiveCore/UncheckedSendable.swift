// The one escape from Sendable checking in this target.

/// Moves a value that is not `Sendable` across threads.
///
/// Subscribers, subscriptions and the values of publishers are not `Sendable`, although Combine
/// allows calls on any thread, one at a time. The operators follow that rule: shared state is in a
/// ``Locked``, and a ``DrainLoop`` calls downstream.
// @unchecked: the operator that boxes a value lets one thread use it at a time (see above).
package struct UncheckedSendable<Value>: @unchecked Sendable {
  /// The boxed value.
  package var value: Value

  /// Creates a box.
  package init(_ value: Value) {
    self.value = value
  }
}
