// Who watches over runs from inside of the program: for logs, metrics and traces. Knows none of them.

public import WorkflowLanguage

/// Somebody who is told of each run of an engine when it begins.
///
/// Called from the thread that starts the run, before anything of it is done.
public protocol EngineObserver: Sendable {
  /// A run begins, or is taken up again by ``Engine/resume(_:with:secrets:usualDurations:)``.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - workflow: What is run.
  /// - Returns: Who observes the run; nobody when nil.
  func runBegins(_ run: RunID, of workflow: Workflow) -> (any RunObserver)?
}

/// Somebody who observes one run.
///
/// The engine keeps it as long as the run is under way.
public protocol RunObserver: Sendable {
  /// Something has happened.
  ///
  /// Called on the run's queue with one event after the other, from the first to the last; of a run that is taken up
  /// again those since then. It may block, and holds up others who listen then.
  ///
  /// - Parameter event: What has happened.
  func receive(_ event: Event)

  /// Goes along with one attempt of a step.
  ///
  /// Called in the task of the attempt, so that what it sets for the task is seen by steps of Swift code.
  ///
  /// - Parameters:
  ///   - context: The attempt.
  ///   - attempt: Carries it out: to be called once, with the context or one made of it, such as with further
  ///     environment variables.
  /// - Returns: What the attempt leaves.
  /// - Throws: What the attempt throws.
  func observe(
    _ context: StepContext,
    _ attempt: @Sendable (StepContext) async throws -> StepOutputs
  ) async throws -> StepOutputs
}

extension RunObserver {
  /// Only carries the attempt out.
  public func observe(
    _ context: StepContext,
    _ attempt: @Sendable (StepContext) async throws -> StepOutputs
  ) async throws -> StepOutputs {
    try await attempt(context)
  }
}

/// Hands the events of a ledger to an observer.
final class ObservingListener: EventListener {
  private let observer: any RunObserver

  init(_ observer: any RunObserver) {
    self.observer = observer
  }

  func receive(_ event: Event) { observer.receive(event) }

  func finish() {}
}
