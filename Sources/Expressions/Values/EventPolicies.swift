// The policies for trigger events that arrive during a run.

/// A policy for events that arrive during a run.
package enum BusyPolicy: String, Sendable, CaseIterable {
  /// The event is queued.
  case queue
  /// The run restarts with the event.
  case restart
  /// The event is dropped.
  case ignore
  /// The event starts another run in parallel.
  case parallel
}

/// A queue of pending events with a limit and an overflow policy.
public struct EventBuffer: Sendable, Equatable {
  /// A policy for events that arrive when the buffer is full.
  public enum FullPolicy: String, Sendable, CaseIterable {
    /// The oldest event in the buffer is dropped.
    case dropOldest = "drop-oldest"
    /// The new event is dropped.
    case dropNewest = "drop-newest"
    /// The watch ends with an error.
    ///
    /// If a client waits for a reply, its event is rejected instead.
    case fail
  }

  /// The maximum number of pending events, at least 1.
  package var size: Int
  /// The policy for events that arrive when the buffer is full.
  package var whenFull: FullPolicy
  /// Whether the file names the policy; if not, events that can wait or be refused are not dropped.
  package var isPolicyChosen = false

  /// Creates a buffer.
  package init(size: Int = 10, whenFull: FullPolicy = .dropOldest) {
    self.size = size
    self.whenFull = whenFull
  }
}
