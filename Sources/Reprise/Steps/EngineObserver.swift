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

/// Observes one run.
///
/// The engine retains it as long as the run is in progress. There is no default implementation: a
/// function that does not match its requirement is an error of the compiler and not ignored.
public protocol RunObserver: Sendable {
  /// Receives an event.
  ///
  /// Called on the run's queue with one event after the other, from the first to the last; of a resumed
  /// run with those since it was resumed. It may block, and delays other subscribers then.
  ///
  /// - Parameter event: What has happened.
  func receive(_ event: Event)

  /// Surrounds one attempt of a step.
  ///
  /// Called in the task of the attempt, so that the task-local values it sets are seen by steps of Swift
  /// code. An observer that only receives events returns `try await attempt(context)`.
  ///
  /// - Parameters:
  ///   - context: The attempt.
  ///   - attempt: Carries it out: call it once, with the context or one made of it, such as with further
  ///     environment variables.
  /// - Returns: The outputs of the attempt.
  /// - Throws: What the attempt throws.
  func observe(_ context: StepContext, _ attempt: StepAttempt) async throws -> StepOutputs
}

/// One attempt of a step, to be carried out by an observer.
///
/// A type and not a closure: the type of an asynchronous closure depends on the settings of the package
/// in which it is written, so a function with a parameter of such a type may not match its requirement.
public struct StepAttempt: Sendable {
  private let body: @Sendable (StepContext) async throws -> StepOutputs

  init(_ body: @escaping @Sendable (StepContext) async throws -> StepOutputs) {
    self.body = body
  }

  /// Carries the attempt out.
  ///
  /// When the surrounding task is cancelled, the attempt ends soon.
  ///
  /// - Parameter context: The context of the attempt, or one made of it.
  /// - Returns: The outputs of the attempt.
  /// - Throws: Why it failed, or `CancellationError`.
  public func callAsFunction(_ context: StepContext) async throws -> StepOutputs {
    try await body(context)
  }
}
