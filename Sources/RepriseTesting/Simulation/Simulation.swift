// `Simulation`: one run of a workflow under the faults of one seed.

public import Reprise

/// Runs of a workflow under the faults that one seed determines.
public struct Simulation: Sendable {
  /// The seed.
  public let seed: UInt64
  let faults: Faults

  /// A run that is over.
  public struct Ended: Sendable {
    /// The outcome of the run.
    public let outcome: RunOutcome
    /// The last state of the run, with the outputs of its steps.
    public let state: RunState
    /// The events of the run, as far as they were recorded.
    public let events: RecordedEvents
    /// The number of crashes.
    public let crashes: Int
    /// The number of failures that were injected into attempts.
    public let faults: Int
    /// The virtual time that has passed.
    public let duration: Duration
  }

  /// Runs a workflow to its end, under faults.
  ///
  /// Steps fail, the run is restarted and cancelled, and the engine dies and resumes the run with a
  /// new one. At each of these, work is in progress. Approvals are answered when nothing else can
  /// happen.
  ///
  /// - Parameters:
  ///   - workflow: The workflow; its commands must be replaced.
  ///   - engine: The engine whose actions, runners and observer are used.
  ///   - secrets: The secrets of the run.
  /// - Returns: The run.
  /// - Throws: ``ReplacementError`` if the workflow has commands; ``SimulationFailure`` if the run
  ///   does not end, if two attempts of a step run at the same time, or if a step runs again although
  ///   its success is recorded; `CancellationError` if the current task is cancelled.
  public func run(
    _ workflow: Workflow, engine: Engine = Engine(), secrets: Secrets = Secrets()
  ) async throws -> Ended {
    let injected = SimulatedFaults(faults, seed: seed)
    let test = try WorkflowTest(
      workflow, engine: engine, secrets: secrets, seed: seed, disturbance: injected)
    var course = SimulatedCourse(faults, seed: seed, stepCount: workflow.steps.count)
    do {
      let outcome = try await course.outcome(of: test, injected)
      return Ended(
        outcome: outcome, state: test.state, events: test.events, crashes: course.crashes,
        faults: injected.faultCount, duration: test.elapsed)
    } catch let problem as CourseProblem {
      throw SimulationFailure(seed: seed, reason: problem.text, events: test.events)
    }
  }

  /// Fails the simulation if a condition does not hold.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - text: What is wrong otherwise, as a clause.
  ///   - ended: The run whose events the message shows.
  /// - Throws: ``SimulationFailure`` if the condition is false.
  public func check(
    _ condition: Bool, _ text: String, in ended: Ended? = nil
  ) throws(SimulationFailure) {
    if !condition { throw SimulationFailure(seed: seed, reason: text, events: ended?.events) }
  }
}

/// A seed whose run is not as it must be.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
  /// The seed.
  public let seed: UInt64
  /// What is wrong, as a clause.
  public let reason: String
  /// The events of the run, if they are known.
  public let events: RecordedEvents?

  /// The seed, what is wrong, how to run the seed again, and the events.
  public var description: String {
    "seed \(seed): \(reason); simulate it alone with REPRISE_SEED=\(seed)"
      + (events.map { "\n\($0)" } ?? "")
  }
}
