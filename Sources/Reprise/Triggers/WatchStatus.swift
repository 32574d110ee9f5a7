// The status of a watch, for displays and for other processes that query it.

/// Counts of the events of a watch since the watch was first started.
///
/// Each accepted event is either folded, dropped, handled by a run or a restart, or still waiting.
public struct WatchCounts: Sendable, Equatable, Codable {
  /// The number of accepted events.
  public var accepted = 0
  /// The number of events that were folded into another one.
  public var folded = 0
  /// The number of dropped events.
  public var dropped = 0
  /// The number of runs that were started.
  public var runs = 0
  /// The number of events that restarted a run; events during a restart share one generation.
  public var restarts = 0

  /// Creates counts of zero.
  public init() {}
}

/// The status of a watch.
public struct WatchStatus: Sendable, Equatable, Codable {
  /// The name of the workflow.
  public var workflow: String
  /// Descriptions of the triggers.
  public var triggers: [String]
  /// Whether the watch is paused: no run starts until it is resumed.
  public var isPaused = false
  /// The number of waiting events.
  public var waiting = 0
  /// Descriptions of the first waiting events.
  public var waitingFor: [String] = []
  /// A description of the last event that was handled.
  public var last: String?
  /// The time when the next schedule is due.
  public var next: Timestamp?
  /// The runs in progress.
  public var runs: [RunID] = []
  /// The counts of all events.
  public var counts = WatchCounts()

  /// Creates the status of a new watch.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - triggers: Descriptions of the triggers.
  public init(workflow: String, triggers: [String]) {
    self.workflow = workflow
    self.triggers = triggers
  }
}
