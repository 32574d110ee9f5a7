// Faults outside of the engine, planted to see whether the oracles find them.

/// Something that a component around the engine does wrong on purpose.
///
/// Faults inside of the engine are patches; see `Scripts/simulate-faults`.
public enum Fault: String, Sendable, CaseIterable {
  /// Every fourth batch is acknowledged when it is not durable yet.
  case diskSkipsSync = "disk-skips-sync"
  /// A full disk acknowledges what it has no room for.
  case diskHidesError = "disk-hides-error"
  /// The executor returns while the attempt is still running.
  case executorReturnsEarly = "executor-returns-early"
  /// The clock goes back now and then.
  case clockGoesBack = "clock-goes-back"
  /// A queue loses an item now and then.
  case queueLosesItem = "queue-loses-item"
  /// A sleep never ends now and then.
  case timerIsLost = "timer-is-lost"
  /// The observer is given an old event once more, late.
  case eventComesTwice = "event-comes-twice"
}
