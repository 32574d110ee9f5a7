// What happens to events that come while a run is live.

/// What happens to an event that comes while a run is under way.
public enum BusyPolicy: String, Sendable, CaseIterable {
  /// It waits for its turn.
  case queue
  /// The run is taken again, with the event.
  case restart
  /// It is dropped.
  case ignore
  /// It starts a run beside the others.
  case parallel
}

/// How many events may wait, and what happens to more.
public struct EventBuffer: Sendable, Equatable {
  /// What happens to an event that finds the buffer full.
  public enum FullPolicy: String, Sendable, CaseIterable {
    /// The one that has waited longest is dropped.
    case dropOldest = "drop-oldest"
    /// It is dropped.
    case dropNewest = "drop-newest"
    /// The watch ends with an error; whoever waits for an answer is refused instead.
    case fail
  }

  /// How many events may wait, at least 1.
  public var size: Int
  /// What happens to more.
  public var whenFull: FullPolicy

  /// Sets up a buffer.
  public init(size: Int = 10, whenFull: FullPolicy = .dropOldest) {
    self.size = size
    self.whenFull = whenFull
  }
}
