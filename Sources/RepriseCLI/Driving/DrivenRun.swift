// Drives one run from the command's side: records it, lets it be steered, waits for its turn, shows it.
// How a workflow is found and what is asked of it is the commands' business.

import ChildProcesses
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// A run that this process holds, with what it is to do.
struct HeldRun {
  let recorded: RecordedRun
  let workflow: Workflow
  /// The absolute path of its file.
  let file: String
  /// Where it stood, if it is taken up again.
  let state: RunState?
}

/// One run that this process drives.
struct DrivenRun {
  let progress: ProgressStyle
  let passesThrough: Bool
  let secrets: Secrets
  /// Whether steps run even when they are up to date.
  let runsUpToDate: Bool
  private let steering = Steering()

  init(
    progress: ProgressStyle, passesThrough: Bool, secrets: Secrets, runsUpToDate: Bool = false
  ) {
    self.runsUpToDate = runsUpToDate
    self.progress = progress
    self.passesThrough = passesThrough
    self.secrets = secrets
  }

  /// Runs to the end without a record.
  ///
  /// - Parameter workflow: What to run.
  /// - Returns: The exit status of the command.
  func exitStatus(of workflow: Workflow) async -> ExitStatus {
    let signals = prepare()
    defer { signals?.cancel() }
    return await show(Engine().start(workflow, secrets: secrets))
  }

  /// Runs to the end, recorded.
  ///
  /// - Parameters:
  ///   - journal: Where it is recorded.
  ///   - hold: Takes the run, before anything of it begins.
  /// - Returns: The exit status of the command.
  /// - Throws: ``Problem``.
  func exitStatus(
    in journal: Journal, holding hold: () throws -> HeldRun
  ) async throws -> ExitStatus {
    let signals = prepare()
    defer { signals?.cancel() }
    let held = try explaining(hold)
    let recorded = held.recorded
    let links = ProcessLinks.current.withLock { $0 }
    if let lock = recorded.lockDescriptor {
      links.guardian?.keep(lock, run: recorded.id.description)
    }
    if let group = links.guardian?.controlGroup { recorded.noteForClearingUp(group.path) }
    steering.isRecorded(by: recorded)
    let server = try serve(recorded, in: journal)
    links.foreground?.announce(recorded.id.description)
    let turn = Turn(of: recorded, held.workflow, journal, steering, progress)
    guard try await turn.comes() else {
      try recorded.end(as: .cancelled)
      await server.finish()
      return .of(.cancelled, signal: steering.stopSignal, passesThrough: passesThrough)
    }
    var status = await show(begin(held, in: journal))
    await server.finish()
    if let problem = recorded.outputProblem, status != .cannotGoOn {
      // The steps were done before their last output was to be written.
      printError("error: \(problem)")
      status = .cannotGoOn
    }
    let needsHint = status != .succeeded && status != .outputClosed
    if needsHint && [.auto, .tree, .plain].contains(progress) {
      printError("take it up again with: reprise resume \(recorded.id)")
    }
    return status
  }

  private func begin(_ held: HeldRun, in journal: Journal) -> Run {
    let engine = Engine(
      recorder: held.recorded, memory: JournalMemory(journal, file: held.file),
      runsUpToDate: runsUpToDate)
    // Only for the display: a run is not held up by records that cannot be read.
    let usual = (try? journal.usualDurations(like: held.recorded.id)) ?? [:]
    // A run that never had its turn has no state to go on with.
    guard let state = held.state, state.run != nil else {
      return engine.start(
        held.workflow, id: held.recorded.id, secrets: secrets, usual: usual)
    }
    return engine.resume(state, with: held.workflow, secrets: secrets, usual: usual)
  }

  private func show(_ run: Run) async -> ExitStatus {
    steering.begin(run)
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(),
      controls: DisplayControls(
        restart: { run.restart() }, cancel: { run.cancel() }, kill: { run.kill() },
        approve: { step, isApproved in _ = try? run.approve(step, isApproved) },
        outputClosed: { [steering] in steering.outputClosed() }))
    display.attach(to: run.events)
    let outcome = await run.outcome
    await display.finish()
    return .of(outcome, signal: steering.stopSignal, passesThrough: passesThrough)
  }

  /// Readies the process for steps, and hears signals: through the guardian where there is one, or else
  /// itself.
  private func prepare() -> SignalListener? {
    adoptOrphans()
    guard let guardian = ProcessLinks.current.withLock({ $0.guardian }) else {
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

  private func explaining(_ hold: () throws -> HeldRun) throws(Problem) -> HeldRun {
    do {
      return try hold()
    } catch let busy as GroupIsBusy {
      throw Problem(
        "error: run \(busy.run) of the group \"\(busy.group)\" is under way; wait for it, or end it with: "
          + "reprise cancel \(busy.run)", status: .cannotGoOn)
    } catch let problem as Problem {
      throw problem
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
