// Faults outside of the engine, planted to check that the oracles detect them.

/// A deliberate error of a component around the engine.
///
/// Faults inside of the engine are patches; see `Scripts/simulate-faults`.
public enum Fault: String, Sendable, CaseIterable {
  /// Some batches are acknowledged before they are durable.
  case diskSkipsSync = "disk-skips-sync"
  /// A full disk acknowledges events that it cannot store.
  case diskHidesError = "disk-hides-error"
  /// The executor returns while the attempt is still running.
  case executorReturnsEarly = "executor-returns-early"
  /// The clock sometimes goes back.
  case clockGoesBack = "clock-goes-back"
  /// A queue sometimes loses an item.
  case queueLosesItem = "queue-loses-item"
  /// A sleep sometimes never ends.
  case timerIsLost = "timer-is-lost"
  /// The observer sometimes receives an old event again.
  case eventComesTwice = "event-comes-twice"
}
