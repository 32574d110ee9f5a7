// The one escape from Sendable checking in this target.

/// Moves a value that is not `Sendable` across threads.
///
/// Subscribers, subscriptions and the values of publishers are not `Sendable`, although the rules of
/// Combine allow any thread to call them, one call at a time. The operators keep that rule: what
/// several threads share is in a ``Locked``, and a ``DrainLoop`` calls downstream.
// @unchecked: the operator that boxes a value lets one thread use it at a time (see above).
package struct UncheckedSendable<Value>: @unchecked Sendable {
  /// The boxed value.
  package var value: Value

  /// Boxes a value.
  package init(_ value: Value) {
    self.value = value
  }
}
