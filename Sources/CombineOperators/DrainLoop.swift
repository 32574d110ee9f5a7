// The loop in which every operator calls out: one thread at a time, without recursion.

import Synchronization

/// Performs steps one after another; of several threads that call it at once, one performs for all.
///
/// The queue-drain loop of reactive libraries: a call from within a step, or from another thread
/// during a step, returns at once, and the running loop performs what that call has made possible.
/// So steps are serialized, hold no lock, and a step that causes the next one needs no stack.
final class DrainLoop: Sendable {
  /// How many calls the running loop has not yet taken into account; 0 while no loop is running.
  private let calls = Atomic(0)

  /// Performs steps until there is nothing left to do.
  ///
  /// - Parameter step: Takes the next action under the lock of its owner and performs it outside.
  ///   Returns false when there was nothing to do.
  func run(_ step: () -> Bool) {
    guard calls.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    var seen = 1
    while seen > 0 {
      while step() {}
      // Calls since the last look may have come after the step that found nothing.
      let left = calls.wrappingSubtract(seen, ordering: .acquiringAndReleasing).newValue
      seen = left
    }
  }
}
