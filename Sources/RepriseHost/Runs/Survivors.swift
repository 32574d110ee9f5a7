// Steps that go on after the death of their engine, and that the next one does not adopt.

package import Reprise
package import RepriseJournal
import RepriseTerminal

/// The attempts of an interrupted run that may go on where they run.
package struct Survivors: Sendable {
  /// The attempts.
  package let attempts: [SurvivingAttempt]
  /// The workflow by which they run; nil if there are none, or if it cannot be read any more.
  private let workflow: Workflow?
  private let record: RunRecord
  private let state: RunState

  /// Reads by which workflow the attempts of a run were begun.
  ///
  /// - Parameters:
  ///   - record: The record of the run.
  ///   - state: Its state.
  package init(_ record: RunRecord, _ state: RunState) {
    self.record = record
    self.state = state
    attempts = state.survivingAttempts
    workflow = attempts.isEmpty ? nil : Self.workflow(of: record, state)
  }

  private static func workflow(of record: RunRecord, _ state: RunState) -> Workflow? {
    var arguments = (try? Arguments(recorded: record, [:])) ?? Arguments(record.request.parameters)
    // Only the runners matter, so a secret that was not recorded is not missed.
    arguments.allowsMissing = true
    return try? record.recordedWorkflow(with: arguments).expanding(state.expansions)
  }

  /// Returns the attempts that a resumed run must not adopt, because it runs their steps again from
  /// their beginning, does not have them, or runs them elsewhere.
  ///
  /// - Parameters:
  ///   - next: The workflow of the resumed run.
  ///   - repeated: The steps that run again.
  /// - Returns: The ids of their steps.
  package func outdated(by next: Workflow, repeating repeated: Set<String>) -> [String] {
    attempts.map(\.step).filter { id in
      guard !repeated.contains(id), let step = next.graph.index(of: id) else { return true }
      // With other settings, the runner would not find the attempt, and begin another one.
      let (old, new) = (runner(of: id, in: workflow), next.steps[step.position].extrasIfAny?.runner)
      return old == nil || old?.kind != new?.kind || old?.name != new?.name
        || old?.settings != new?.settings || old?.byAttempt != new?.byAttempt
    }
  }

  /// Stops attempts, and waits until nothing of them is left.
  ///
  /// - Parameters:
  ///   - steps: The ids of their steps; nil for all.
  ///   - engine: An engine that knows the runners.
  ///   - isKilled: Whether they get no grace period.
  ///   - cause: The cause for the record.
  ///   - requester: Who asked for it.
  /// - Returns: Their ends, for the record.
  /// - Throws: ``Problem`` if one cannot be stopped.
  package func stop(
    _ steps: [String]? = nil, with engine: Engine, isKilled: Bool = false,
    because cause: CancellationCause, by requester: Requester
  ) async throws -> [Event] {
    let chosen = attempts.filter { steps?.contains($0.step) ?? true }
    try await withThrowingTaskGroup { group in
      for attempt in chosen {
        guard
          let runner = try runner(of: attempt.step, in: workflow)?.settled(for: attempt.number),
          let token = AttemptToken(attempt.place.token)
        else {
          throw Problem(
            "error: step \"\(attempt.step)\" may still run on \(attempt.place.runner), but the "
              + "recorded workflow of the run cannot be read; stop it there")
        }
        let grace = isKilled ? .zero : grace(of: attempt.step)
        group.addTask { try await engine.stop(token, on: runner, grace: grace) }
      }
      try await group.waitForAll()
    }
    let now = SystemClock().now
    return chosen.compactMap { attempt in
      state.run.map { run in
        Event(
          time: now, run: run, generation: state.generation,
          kind: .step(attempt.step, attempt: attempt.number, .cancelled(cause)), by: requester)
      }
    }
  }

  /// The runners by which attempts of the run may have been begun, also such as were given up.
  ///
  /// Reads the recorded workflow unless an attempt goes on.
  package var runners: [RunnerChoice] {
    (workflow ?? Self.workflow(of: record, state))?.runners ?? []
  }

  private func runner(of id: String, in workflow: Workflow?) -> RunnerChoice? {
    guard let workflow, let step = workflow.graph.index(of: id) else { return nil }
    return workflow.steps[step.position].extrasIfAny?.runner
  }

  private func grace(of id: String) -> Duration {
    guard let workflow, let step = workflow.graph.index(of: id) else {
      return StepContext.defaultGracePeriod
    }
    return workflow.gracePeriod(of: workflow.steps[step.position])
  }
}
