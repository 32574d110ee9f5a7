// Observers of runs inside the program: for logs, metrics and traces.

public import Workflows

/// An observer that is notified when a run of the engine begins.
///
/// Called on the thread that starts the run, before the run does anything.
public protocol EngineObserver: Sendable {
  /// Called when a run begins or is resumed by ``Engine/resume(_:with:secrets:usualDurations:setting:by:)``.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - workflow: The workflow.
  /// - Returns: The observer of the run; nil for none.
  func runStarted(_ run: RunID, of workflow: Workflow) -> (any RunObserver)?
}

/// An observer of one run.
///
/// The engine retains it while the run is in progress. There is no default implementation, so that
/// a method whose signature does not match a requirement is a compiler error instead of being
/// ignored.
public protocol RunObserver: Sendable {
  /// Receives an event.
  ///
  /// Called on the run's queue with one event at a time, from the first to the last; for a resumed
  /// run, starting with the events since it was resumed. It may block, which delays the other
  /// subscribers.
  ///
  /// - Parameter event: The event.
  func receive(_ event: Event)

  /// Wraps one attempt of a step.
  ///
  /// Called in the task of the attempt, so steps in Swift code see the task-local values that it
  /// sets. An observer that only receives events returns `try await attempt(context)`.
  ///
  /// - Parameters:
  ///   - context: The context of the attempt.
  ///   - attempt: Runs the attempt. Call it exactly once, with `context` or a modified copy, for
  ///     example one with additional environment variables.
  /// - Returns: The outputs of the attempt.
  /// - Throws: The error of the attempt.
  func observe(_ context: StepContext, _ attempt: StepAttempt) async throws -> StepOutputs
}

/// One attempt of a step, for an observer to run.
///
/// This is a type instead of a closure because the type of an asynchronous closure depends on the
/// compiler settings of the package that declares it, so a method with such a parameter may not
/// match the requirement.
public struct StepAttempt: Sendable {
  private let body: @Sendable (StepContext) async throws -> StepOutputs

  init(_ body: @escaping @Sendable (StepContext) async throws -> StepOutputs) {
    self.body = body
  }

  /// Runs the attempt.
  ///
  /// When the surrounding task is cancelled, the attempt finishes soon.
  ///
  /// - Parameter context: The context of the attempt, or a modified copy of it.
  /// - Returns: The outputs of the attempt.
  /// - Throws: The error with which the attempt failed, or `CancellationError`.
  public func callAsFunction(_ context: StepContext) async throws -> StepOutputs {
    try await body(context)
  }
}
