// The loop in which operators call out: on one thread at a time, without recursion.

import Synchronization

/// Performs steps serially; if several threads call it at once, one of them performs all steps.
///
/// This is the queue-drain loop of reactive libraries: a call from within a step, or from another
/// thread during a step, returns immediately, and the running loop performs what that call has made
/// possible. So steps are serialized, hold no lock, and do not recurse when one step causes the
/// next.
package final class DrainLoop: Sendable {
  /// The number of calls that the running loop has not yet considered; 0 while no loop is running.
  private let calls = Atomic(0)

  /// Creates a loop that is not running.
  package init() {}

  /// Performs steps until there is nothing left to do.
  ///
  /// - Parameter step: Takes the next action under the lock of its owner and performs it outside of
  ///   the lock. Returns false if there was nothing to do.
  package func run(_ step: () -> Bool) {
    guard calls.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    var seen = 1
    while seen > 0 {
      while step() {}
      // Calls since the last check may have followed the step that found nothing.
      let left = calls.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
      seen = left
    }
  }
}
