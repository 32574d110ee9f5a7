// The options and the result of a simulation.

/// The result of a simulation.
public struct Verdict: Codable, Sendable {
  /// The failure, if any.
  public var failure: Failure?
  /// A hash of everything that happened.
  public var trace: UInt64 = 0
  /// The number of events.
  public var events = 0
  /// The number of jobs and queue items that ran.
  public var items = 0
  /// The virtual time that has passed, in seconds.
  public var seconds = 0.0
  /// The number of crashes of the process.
  public var crashes = 0
  /// The events of each step, with their times.
  public var history: [String: String] = [:]
  /// The number of generations that were started by restarts.
  public var generations = 0
  /// The number of jobs of a cluster.
  public var jobs = 0
}

/// The options of a simulation.
public struct SimulationOptions: Sendable {
  /// The planted fault, if any.
  public var fault: Fault?
  /// Whether to print every event.
  public var isVerbose = false

  /// Creates the default options.
  public init() {}
}
