// What a simulation does to runs.

/// What a simulation does to the runs of a workflow.
public struct Faults: Sendable {
  /// The probability that an attempt fails before it begins.
  public var failureBefore = 0.1
  /// The probability that an attempt fails after its work is done, as when an answer is lost.
  ///
  /// The next attempt does the work again: steps that must not do something twice need a key.
  public var failureAfter = 0.1
  /// The maximum number of restarts of a run, of all steps or from one of them.
  public var restartsMax = 1
  /// The maximum number of crashes of the engine, each of which is followed by a resume.
  public var crashesMax = 2
  /// The probability that a run is cancelled.
  public var cancellation = 0.05
  /// The probability that an approval is refused.
  public var refusal = 0.1
  /// The maximum virtual time for which an attempt waits before and after its work.
  public var delayMax = Duration.seconds(60)

  /// Creates the default faults, which are some of each kind.
  public init() {}

  /// No faults: only the order of work, and the durations of attempts, depend on the seed.
  public static var none: Faults {
    var faults = Faults()
    (faults.failureBefore, faults.failureAfter) = (0, 0)
    (faults.restartsMax, faults.crashesMax) = (0, 0)
    (faults.cancellation, faults.refusal) = (0, 0)
    return faults
  }
}

/// The failure of an attempt in a simulation.
public struct SimulatedFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// Whether the work of the attempt was done.
  public let isAfterWork: Bool

  /// A clause for the reason of the failure.
  public var description: String {
    isAfterWork ? "simulated fault after the work" : "simulated fault before the work"
  }
}
