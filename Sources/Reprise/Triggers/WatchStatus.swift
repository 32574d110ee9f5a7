// Where a watch stands, for displays and for those who ask from other terminals. Plain values.

/// What has become of the events of a watch, since its workflow was first watched.
///
/// Events that were accepted are folded, dropped, handled by a run or a restart, or still wait.
public struct WatchCounts: Sendable, Equatable, Codable {
  /// How many events were accepted.
  public var accepted = 0
  /// How many of them have become part of another one.
  public var folded = 0
  /// How many were dropped.
  public var dropped = 0
  /// How many runs were started.
  public var runs = 0
  /// How many took a run again; those that come while it stops share one generation.
  public var restarts = 0

  /// No event.
  public init() {}
}

/// Where a watch stands.
public struct WatchStatus: Sendable, Equatable, Codable {
  /// The name of the workflow.
  public var workflow: String
  /// What starts runs, in words.
  public var triggers: [String]
  /// Whether no run starts until somebody says so.
  public var isPaused = false
  /// How many events wait.
  public var waiting = 0
  /// What the first of them are, in words.
  public var waitingFor: [String] = []
  /// What happened last, in words.
  public var last: String?
  /// When the next schedule is due.
  public var next: Timestamp?
  /// The runs under way.
  public var runs: [RunID] = []
  /// What has become of all events.
  public var counts = WatchCounts()

  /// The beginning of a watch.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - triggers: What starts runs, in words.
  public init(workflow: String, triggers: [String]) {
    self.workflow = workflow
    self.triggers = triggers
  }
}
