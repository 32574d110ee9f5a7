// A box for what crosses the border of a lock.

/// Carries a value into or out of a `Mutex` that is to own it alone.
///
/// Subscribers, subscriptions and values of publishers are not `Sendable`, though the rules of
/// Combine let them be called from any thread, one call at a time. The operators keep those rules by
/// their state machines, which the compiler cannot follow; this box says so at each such place.
// @unchecked: the operator that carries a value lets one thread use it at a time (see above).
@usableFromInline
package struct Carried<Value>: @unchecked Sendable {
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }
}
