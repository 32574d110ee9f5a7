// What a simulation is told, and what it came to.

/// What a simulation came to.
public struct Verdict: Codable, Sendable {
  /// What is wrong, if anything.
  public var failure: Failure?
  /// A hash over everything that happened.
  public var trace: UInt64 = 0
  /// How many events were seen.
  public var events = 0
  /// How many jobs and queue items were run.
  public var items = 0
  /// How much virtual time went by.
  public var seconds = 0.0
  /// How often the process crashed.
  public var crashes = 0
  /// How often a generation started.
  public var generations = 0
}

/// How a scenario is simulated.
public struct SimulationOptions: Sendable {
  /// What is done wrong on purpose.
  public var fault: Fault?
  /// Whether every event is printed.
  public var isVerbose = false

  /// The usual ones.
  public init() {}
}
