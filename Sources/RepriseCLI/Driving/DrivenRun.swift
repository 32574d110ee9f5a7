// Drives one run from the command's side: records it, lets it be steered, waits for its turn, shows it.
// How a workflow is found and what is asked of it is the commands' business.

import ChildProcesses
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// One run that this process drives.
struct DrivenRun {
  var workflow: Workflow
  var progress: ProgressStyle
  var passesThrough: Bool
  /// The run that is taken up again, with its state.
  var resumed: (record: RunRecord, state: RunState)?

  private let steering = Steering()

  init(
    _ workflow: Workflow, progress: ProgressStyle, passesThrough: Bool,
    resumed: (record: RunRecord, state: RunState)? = nil
  ) {
    self.workflow = workflow
    self.progress = progress
    self.passesThrough = passesThrough
    self.resumed = resumed
  }

  /// Runs to the end.
  ///
  /// - Parameters:
  ///   - request: What the run is made from, for the record.
  ///   - journal: Where it is recorded; nil where it is not.
  /// - Returns: The exit status of the command.
  /// - Throws: ``Problem``.
  func exitStatus(request: RunRequest, in journal: Journal?) async throws -> ExitStatus {
    adoptOrphans()
    let links = ProcessLinks.current.withLock { $0 }
    let signals = listen(links.guardian)
    defer { signals?.cancel() }
    guard let journal else {
      links.foreground?.announce("")
      return await show(Engine().start(workflow))
    }
    let recorded = try hold(request, in: journal)
    if let lock = recorded.lockDescriptor {
      links.guardian?.keep(lock, run: recorded.id.description)
    }
    steering.isRecorded(by: recorded)
    let server = try serve(recorded, in: journal)
    links.foreground?.announce(recorded.id.description)
    let turn = Turn(of: recorded, workflow, journal, steering, progress)
    guard try await turn.comes() else {
      try recorded.end(as: .cancelled)
      await server.finish()
      return .of(.cancelled, signal: steering.stopSignal, passesThrough: passesThrough)
    }
    let engine = Engine(recorder: recorded)
    let status = await show(begin(recorded.id, on: engine))
    await server.finish()
    let needsHint = status != .succeeded && status != .outputClosed
    if needsHint && [.auto, .tree, .plain].contains(progress) {
      printError("take it up again with: reprise resume \(recorded.id)")
    }
    return status
  }

  private func begin(_ id: RunID, on engine: Engine) -> Run {
    // A run that never had its turn has no state to go on with.
    guard let state = resumed?.state, state.run != nil else {
      return engine.start(workflow, id: id)
    }
    return engine.resume(state, with: workflow)
  }

  private func show(_ run: Run) async -> ExitStatus {
    steering.begin(run)
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(),
      controls: DisplayControls(
        restart: { run.restart() }, cancel: { run.cancel() }, kill: { run.kill() },
        outputClosed: { [steering] in steering.outputClosed() }))
    display.attach(to: run.events)
    let outcome = await run.outcome
    await display.finish()
    return .of(outcome, signal: steering.stopSignal, passesThrough: passesThrough)
  }

  /// Hears signals: through the guardian where there is one, or else itself.
  private func listen(_ guardian: GuardianLink?) -> SignalListener? {
    guard let guardian else {
      return SignalListener(SignalListener.stopping + [SignalListener.restarting]) {
        [steering] number in
        steering.receive(number)
      }
    }
    guardian.listen(
      onSignal: { [steering] number in steering.receive(number) },
      onDeath: { [steering] in steering.freeze() })
    return nil
  }

  private func hold(_ request: RunRequest, in journal: Journal) throws -> RecordedRun {
    do {
      if let resumed { return try journal.reopen(resumed.record, as: request) }
      return try journal.begin(
        request, isAlone: workflow.concurrency?.policy == .reject)
    } catch let busy as GroupIsBusy {
      throw Problem(
        "error: run \(busy.run) of the group \"\(busy.group)\" is under way; wait for it, or end it with: "
          + "reprise cancel \(busy.run)", status: .cannotGoOn)
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
  }

  private func serve(_ recorded: RecordedRun, in journal: Journal) throws(Problem) -> ControlServer
  {
    do {
      return try ControlServer(
        at: journal.directory.socketPath(of: recorded.id), serving: steering)
    } catch {
      try? recorded.end(as: .abandoned)
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
  }
}
