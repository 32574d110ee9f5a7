// The status of a watch, for displays and for other processes that query it.

/// Counts of the events of a watch since the watch was first started.
///
/// Each accepted event is either folded, dropped, handled by a run or a restart, or still waiting.
package struct WatchCounts: Sendable, Equatable, Codable {
  /// The number of accepted events.
  package var accepted = 0
  /// The number of events that were folded into another one.
  package var folded = 0
  /// The number of dropped events.
  package var dropped = 0
  /// The number of runs that were started.
  package var runs = 0
  /// The number of events that restarted a run; events during a restart share one generation.
  package var restarts = 0

  /// Creates counts of zero.
  package init() {}
}

/// The status of a watch.
package struct WatchStatus: Sendable, Equatable, Codable {
  /// The name of the workflow.
  package var workflow: String
  /// Descriptions of the triggers.
  package var triggers: [String]
  /// Whether the watch is paused: no run starts until it is resumed.
  package var isPaused = false
  /// The number of waiting events.
  package var waiting = 0
  /// Descriptions of the first waiting events.
  package var waitingFor: [String] = []
  /// A description of the last event that was handled.
  package var last: String?
  /// The time when the next schedule is due.
  package var next: Timestamp?
  /// The runs in progress.
  package var runs: [RunID] = []
  /// The counts of all events.
  package var counts = WatchCounts()

  /// Creates the status of a new watch.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - triggers: Descriptions of the triggers.
  package init(workflow: String, triggers: [String]) {
    self.workflow = workflow
    self.triggers = triggers
  }
}
