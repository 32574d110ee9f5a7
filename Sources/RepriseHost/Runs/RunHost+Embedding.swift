// Starting and resuming hosted runs in programs that embed the engine.

public import Reprise
import RepriseJournal
import RepriseTerminal

extension RunHost {
  /// Starts a run, after its turn in its concurrency group has come.
  ///
  /// With the policy `queue` or `restart` of a group, it waits until the other runs of the group have
  /// ended, in this process and in others; the run is listed and can be cancelled by then. If the
  /// current task is cancelled before its turn has come, the run is interrupted, and can be resumed.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - id: The id of the run; by default a new one.
  ///   - secrets: The values of its secrets, which are not recorded.
  /// - Returns: The run, which the host retains until its end.
  /// - Throws: ``HostError``.
  @discardableResult
  public func start(
    _ workflow: Workflow, id: RunID = RunID(), secrets: Secrets = Secrets()
  ) async throws(HostError) -> Run {
    do {
      let recorded = try await blocking { [journal] in
        try journal.begin(
          try RunRequest(of: workflow, hiding: secrets, isGrouped: true), id: id,
          isAlone: workflow.concurrency?.policy == .reject)
      }
      do {
        return try await begin(recorded, workflow, secrets, nil)
      } catch {
        // Who ends this task, such as a program that stops, has not cancelled the run itself.
        let status = error is CancellationError ? RunStatus.interrupted : .abandoned
        _ = try? await blocking { try recorded.end(as: status) }
        throw error
      }
    } catch {
      throw HostError(error, of: id)
    }
  }

  /// Resumes a recorded run that has ended without success, or whose process has died.
  ///
  /// Steps that are recorded as succeeded keep their outputs and do not run again. What is left of
  /// processes of a program that has died is killed first.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - workflow: The workflow, given again: steps with Swift code are not recorded. Steps are
  ///     matched by their ids.
  ///   - secrets: The values of its secrets.
  /// - Returns: The run, under its existing id.
  /// - Throws: ``HostError``, with the reason if the workflow does not fit the run.
  @discardableResult
  public func resume(
    _ id: RunID, with workflow: Workflow, secrets: Secrets = Secrets()
  ) async throws(HostError) -> Run {
    do {
      let (recorded, state) = try await blocking { [journal] in
        let (recorded, state, _) = try journal.reopen(
          id, for: workflow, hiding: secrets, isGrouped: true)
        return (recorded, state)
      }
      // If this fails, the lock is released with the record, and the run is interrupted again.
      return try await begin(recorded, workflow, secrets, state)
    } catch {
      throw HostError(error, of: id)
    }
  }

  /// Starts or resumes a recorded run, and finishes it after its end.
  private func begin(
    _ recorded: RecordedRun, _ workflow: Workflow, _ secrets: Secrets, _ state: RunState?
  ) async throws -> Run {
    let controls = RunControls()
    let resumed = state.map { ResumedState(state: $0) }
    let hosted = try await speaking(of: recorded.id).begin(
      recorded, workflow, file: workflow.name, secrets, state: resumed, controls: controls)
    guard let hosted else { throw HostError.cancelled(recorded.id) }
    Task {
      let outcome = await hosted.run.ended()
      if let problem = await hosted.finish() { hosted.host.say("error: \(problem)") }
      let warning = await controls.performEndCommand(after: outcome, secrets: secrets)
      if let warning { hosted.host.say(warning) }
    }
    return hosted.run
  }

  /// Returns a host whose messages begin with the id of a run, since a program has many.
  private func speaking(of id: RunID) -> RunHost {
    var host = self
    host.say = { [say] in say("run \(id): " + $0) }
    return host
  }
}

/// The reason that a run cannot be hosted.
public enum HostError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Another run of its concurrency group is live, whose policy is `reject`.
  case groupIsBusy(group: String, run: RunID)
  /// The run was cancelled before its first step.
  case cancelled(RunID)
  /// The id is that of another run, which may have ended.
  case idIsUsed(RunID)
  /// The run cannot be recorded, resumed or reached.
  case failed(String)

  fileprivate init(_ error: any Error, of id: RunID) {
    switch error {
    case let error as HostError: self = error
    case let busy as GroupIsBusy: self = .groupIsBusy(group: busy.group, run: busy.run)
    case is CancellationError: self = .cancelled(id)
    case let error as JournalError where error.isOfUsedID: self = .idIsUsed(id)
    case let problem as Problem: self = .failed(problem.text.string.withoutErrorPrefix)
    default: self = .failed("\(error)")
    }
  }

  /// The reason as a clause for error messages.
  public var description: String {
    switch self {
    case .groupIsBusy(let group, let run): "run \(run) of the group \"\(group)\" is live"
    case .cancelled(let run): "run \(run) was cancelled before its start"
    case .idIsUsed(let run): "the id \(run) is used by another run"
    case .failed(let reason): reason
    }
  }
}
