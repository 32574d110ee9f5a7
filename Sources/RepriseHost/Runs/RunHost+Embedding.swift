// Starting and resuming hosted runs in programs that embed the engine.

import Platform
public import Reprise
import RepriseControl
public import RepriseJournal
import RepriseTerminal

extension RunHost {
  /// Records a run, which begins when its turn in its concurrency group has come.
  ///
  /// When this returns, the run is recorded: if the process dies, or the run cannot begin, it is one of
  /// `journal.unfinishedRuns(of:)`. It is listed, and can be cancelled by its id, also before it
  /// begins.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - id: The id of the run; by default a new one. An id of yours makes a repeated request safe: the
  ///     second one is refused, and ``run(_:)`` or `journal.run(_:)` has the first.
  ///   - secrets: The values of its secrets, which are not recorded.
  /// - Returns: The run, which the host retains until its end.
  /// - Throws: ``HostError``.
  @discardableResult
  public func enqueue(
    _ workflow: Workflow, id: RunID = RunID(), secrets: Secrets = Secrets()
  ) async throws(HostError) -> QueuedRun {
    try await enqueue(id, workflow, secrets) { [journal] in
      let recorded = try journal.begin(
        try RunRequest(of: workflow, hiding: secrets, isGrouped: true), id: id,
        isAlone: workflow.concurrency?.policy == .reject)
      return (recorded, nil)
    }
  }

  /// Starts a run, after its turn in its concurrency group has come.
  ///
  /// With the policy `queue` or `restart` of a group, it waits until the other runs of the group have
  /// ended, in this process and in others; the run is listed and can be cancelled by then. If the
  /// current task is cancelled before this returns, the run is interrupted, and can be resumed.
  /// ``enqueue(_:id:secrets:)`` returns before the turn has come.
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
    try await enqueue(workflow, id: id, secrets: secrets).begunOrInterrupted()
  }

  /// Resumes a recorded run that has ended without success, or whose process has died, when its turn
  /// has come.
  ///
  /// Steps that are recorded as succeeded keep their outputs and do not run again. What is left of
  /// processes of a program that has died is killed first. A run that was cancelled is refused, also if
  /// that happened after the program has listed it as unfinished; one that has failed, or exceeded its
  /// timeout, can be resumed.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - workflow: The workflow, given again: steps with Swift code are not recorded. Steps are
  ///     matched by their ids.
  ///   - secrets: The values of its secrets.
  /// - Returns: The run, under its existing id, which the host retains until its end.
  /// - Throws: ``HostError``, such as ``HostError/cancelled(_:)`` or ``HostError/unknownRun(_:)``, or
  ///   with the reason if the workflow does not fit the run.
  @discardableResult
  public func enqueue(
    resuming id: RunID, with workflow: Workflow, secrets: Secrets = Secrets()
  ) async throws(HostError) -> QueuedRun {
    try await enqueue(id, workflow, secrets) { [journal] in
      try journal.reopen(id, for: workflow, hiding: secrets, isGrouped: true)
    }
  }

  /// Resumes a recorded run, and returns when its turn has come.
  ///
  /// If the current task is cancelled before this returns, the run is interrupted again. See
  /// ``enqueue(resuming:with:secrets:)``, which returns before the turn has come.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - workflow: The workflow, given again.
  ///   - secrets: The values of its secrets.
  /// - Returns: The run, under its existing id.
  /// - Throws: ``HostError``, with the reason if the workflow does not fit the run.
  @discardableResult
  public func resume(
    _ id: RunID, with workflow: Workflow, secrets: Secrets = Secrets()
  ) async throws(HostError) -> Run {
    try await enqueue(resuming: id, with: workflow, secrets: secrets).begunOrInterrupted()
  }

  /// The runs of this host that wait for their turns or have not ended, in the order in which they
  /// were recorded or resumed.
  ///
  /// A run whose outcome or error is known to anyone is not among them. The cost grows with their
  /// number, as they are sorted.
  public var runs: [QueuedRun] { group.controls.filter { !$0.isOver } }

  /// Returns a run of this host that waits for its turn or has not ended.
  ///
  /// - Parameter id: The id of the run.
  /// - Returns: The run; nil if it has ended, or this host has no such run. `journal.run(_:)` also
  ///   has the record of such a run.
  public func run(_ id: RunID) -> QueuedRun? { group[id].flatMap { $0.isOver ? nil : $0 } }

  /// Interrupts all runs of this host, because the program stops, and waits until they have ended.
  ///
  /// From now on the host refuses runs, with ``HostError/isShutDown``, and its watches end. The interrupted runs can be
  /// resumed when the program starts again. Cancelling the task does not end the wait, which each run's
  /// grace period limits.
  public func shutDown() async {
    // The last ones first, so that no run that waits begins because another one ends.
    for queued in group.closeToCancel().reversed() { queued.interrupt() }
    await group.finish()
  }

  /// Records or reopens a run, and lets it wait for its turn.
  private func enqueue(
    _ id: RunID, _ workflow: Workflow, _ secrets: Secrets,
    record: @escaping @Sendable () throws -> (RecordedRun, RunState?)
  ) async throws(HostError) -> QueuedRun {
    guard group.begin() else { throw .isShutDown }
    defer { group.reservationEnded() }
    let most = descriptorsMax() ?? .max
    guard hasFreeDescriptors(Self.keptDescriptors(of: most), of: most) else {
      throw .isFull(openFilesMax: Int(clamping: most))
    }
    let controls = RunControls()
    let (recorded, state, server): (RecordedRun, RunState?, ControlServer)
    do {
      (recorded, state, server) = try await blocking {
        let (recorded, state) = try record()
        return (recorded, state, try serve(controls, recorded, isNew: state == nil))
      }
    } catch {
      throw HostError(error, of: id)
    }
    let queued = QueuedRun(id, controls)
    if group.add(id, queued) { queued.interrupt() }
    queued.wait(
      in: Task { await drive(queued, recorded, workflow, secrets, state, controls, server) })
    return queued
  }

  /// Returns the number of descriptors that runs which wait leave to those that go on: a quarter of the
  /// limit, and at most 256.
  private static func keptDescriptors(of most: UInt64) -> UInt64 { min(256, most / 4) }

  /// Waits for the turn of a run, begins it, and finishes it after its end.
  private func drive(
    _ queued: QueuedRun, _ recorded: RecordedRun, _ workflow: Workflow, _ secrets: Secrets,
    _ state: RunState?, _ controls: RunControls, _ server: ControlServer
  ) async {
    defer { group.remove(queued.id) }
    let hosted: HostedRun
    do {
      let begun = try await speaking(of: recorded.id).begin(
        recorded, workflow, file: workflow.name, secrets,
        state: state.map { ResumedState(state: $0) }, controls: controls, server)
      guard let begun else {
        throw controls.endBeforeStart == .interrupted
          ? HostError.interrupted(recorded.id) : .cancelled(recorded.id)
      }
      hosted = begun
    } catch {
      let reason = HostError(error, of: recorded.id)
      let isInterrupted = reason == .interrupted(recorded.id)
      controls.neverBegins(isInterrupted ? .interrupted : .failed)
      // It was accepted, so it stays to be resumed. A resumed run is interrupted again without its lock,
      // and so is another one if its end cannot be recorded.
      _ = try? await blocking { [isNew = state == nil] in
        defer { recorded.releaseLock() }
        if isNew { try recorded.end(as: .interrupted) }
      }
      if !isInterrupted, reason != .cancelled(recorded.id) {
        speaking(of: recorded.id).say("error: it cannot begin: \(reason.description)")
      }
      return queued.begin(.failure(reason))
    }
    queued.begin(.success(hosted.run))
    // What waits for the turn is cancelled with an interruption, but the end is still to be finished.
    await Task {
      let outcome = await hosted.run.ended()
      if case .abandoned(let reason) = outcome {
        hosted.host.say("error: it was abandoned: \(reason)")
      }
      if let problem = await hosted.finish() { hosted.host.say("error: \(problem)") }
      let warning = await controls.performEndCommand(after: outcome, secrets: secrets)
      if let warning { hosted.host.say(warning) }
    }.value
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
  /// The run was cancelled, before its first step or before it was to be resumed. This is final.
  case cancelled(RunID)
  /// The run was interrupted before its first step, because its program stops or the task that started
  /// it was cancelled. It is one of `journal.unfinishedRuns(of:)`, and can be resumed.
  case interrupted(RunID)
  /// The id is that of another run, which may have ended.
  case idIsUsed(RunID)
  /// So many runs wait that the process has too few open files left for those that go on: a quarter of
  /// its limit, at most 256. Nothing was recorded or resumed. Try again when some have ended, or raise the
  /// limit (`ulimit -n`).
  case isFull(openFilesMax: Int)
  /// The journal of the host has no run of this id.
  case unknownRun(RunID)
  /// The run is not to be cancelled or resumed: it has ended with this status.
  case hasEnded(RunID, RunStatus)
  /// The run is not to be resumed: another process drives it, or this one, so it goes on.
  case isRunning(RunID)
  /// The host was shut down, and starts no more runs.
  case isShutDown
  /// The run cannot be recorded, resumed or reached for another reason.
  case failed(String)

  init(_ error: any Error, of id: RunID) {
    switch error {
    case let error as HostError: self = error
    case let busy as GroupIsBusy: self = .groupIsBusy(group: busy.group, run: busy.run)
    case is CancellationError: self = .interrupted(id)
    case let error as JournalError:
      switch error.kind {
      case .usedID: self = .idIsUsed(id)
      case .cancelledRun: self = .cancelled(id)
      case .unknownRun: self = .unknownRun(id)
      case .runningRun: self = .isRunning(id)
      case .endedRun(let status): self = .hasEnded(id, status)
      case nil: self = .failed("\(error)")
      }
    case let problem as Problem: self = .failed(problem.text.string.withoutErrorPrefix)
    default: self = .failed("\(error)")
    }
  }

  /// The reason as a clause for error messages.
  public var description: String {
    switch self {
    case .groupIsBusy(let group, let run): "run \(run) of the group \"\(group)\" is live"
    case .cancelled(let run): "run \(run) was cancelled"
    case .interrupted(let run):
      "run \(run) was interrupted before its start, and can be resumed"
    case .idIsUsed(let run): "the id \(run) is used by another run"
    case .isFull(let most):
      "too many runs wait for the limit of \(most) open files: try again when some have ended, or raise "
        + "the limit (ulimit -n)"
    case .unknownRun(let run): "there is no run \(run)"
    case .hasEnded(let run, let status): "run \(run) has ended: \(status.rawValue)"
    case .isRunning(let run): "run \(run) is running already"
    case .isShutDown: "the host has been shut down"
    case .failed(let reason): reason
    }
  }
}
