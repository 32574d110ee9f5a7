// Attempts that have survived the engine before: what they are, and how they are stopped.

import Workflows

/// An attempt that goes on, or has ended, where it runs, after the death of its engine.
package struct SurvivingAttempt: Sendable, Equatable {
  /// The id of the step.
  package let step: String
  /// The number of the attempt.
  package let number: Int
  /// The runner that it was given to, and its token.
  package let place: RunnerPlace
}

extension RunState {
  /// The attempts that the next engine of the run adopts, if the engine of this state has died.
  package var survivingAttempts: [SurvivingAttempt] {
    steps.compactMap { step in
      guard step.phase.isActive, let place = step.placement?.place, place.survives else {
        return nil
      }
      return SurvivingAttempt(step: step.id, number: step.attempt, place: place)
    }
  }
}

extension Workflow {
  /// The time from the request to stop until a step is killed.
  package func gracePeriod(of step: Step) -> Duration {
    step.grace ?? grace ?? StepContext.defaultGracePeriod
  }
}

extension Engine {
  /// Begins an attempt that belongs to no step, and goes on without this engine.
  ///
  /// - Parameters:
  ///   - spec: What to run.
  ///   - token: The token of the attempt.
  ///   - runner: The runner.
  /// - Returns: The number of its job; nil if it has none.
  /// - Throws: ``RunnerFailure`` if it was not begun and never will be, or ``FailureReason`` if the runner
  ///   cannot be used.
  package func begin(
    _ spec: AttemptSpec, as token: AttemptToken, on runner: RunnerChoice
  ) async throws -> String? {
    guard let lasting = try runners.executor(of: runner, executor) as? any LastingExecutor else {
      throw RunnerFailure.refused("its attempts do not outlive their engine")
    }
    return try await lasting.begin(spec, token: token)
  }

  /// Stops an attempt that an earlier engine has begun, and waits until nothing of it is left.
  ///
  /// Waits while the attempt is out of sight, until the task is cancelled.
  ///
  /// - Parameters:
  ///   - token: The token of the attempt.
  ///   - runner: The runner that it was given to.
  ///   - grace: The time after which what is left of it is killed.
  /// - Throws: `CancellationError`, or ``FailureReason`` if the runner cannot be used.
  package func stop(
    _ token: AttemptToken, on runner: RunnerChoice, grace: Duration
  ) async throws {
    let lasting = try runners.executor(of: runner, executor) as? any LastingExecutor
    try await lasting?.stop(token, grace: grace)
  }

  /// Gives back what runners keep for a run that goes on nowhere.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - choices: The runners that its steps may have used.
  /// - Returns: What could not be given back, in sentences.
  package func release(_ run: RunID, on choices: [RunnerChoice]) async -> [String] {
    // Those that cannot be used now keep nothing that could be given back now.
    for choice in choices { _ = try? runners.executor(of: choice, executor) }
    return await runners.release(run)
  }
}
