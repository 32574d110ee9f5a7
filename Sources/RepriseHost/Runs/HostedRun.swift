// Hosts recorded runs in this process: their control socket, their turn, and their engine.

package import ChildProcesses
import Platform
package import Reprise
import RepriseControl
import RepriseExecutors
package import RepriseJournal
package import RepriseTerminal

/// The settings of engines in this process, and the only place that creates engines.
package struct EngineSettings: Sendable {
  /// Whether steps run even if they are up to date.
  package var rerunsUpToDateSteps: Bool

  /// Creates settings.
  package init(rerunsUpToDateSteps: Bool = false) {
    self.rerunsUpToDateSteps = rerunsUpToDateSteps
  }

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - recorder: The recorder of the run, if any.
  ///   - memory: The memory of steps that are up to date, if any.
  ///   - attempts: The folder for the records of attempts that run elsewhere, if any.
  ///   - folders: The folder for the folders of runs, if any.
  /// - Returns: The engine.
  package func makeEngine(
    recorder: (any Recorder)? = nil, memory: (any StepMemory)? = nil, attempts: String? = nil,
    folders: String? = nil
  ) -> Engine {
    var engine = Engine(
      recorder: recorder, memory: memory, rerunsUpToDateSteps: rerunsUpToDateSteps)
    engine.runFolders = folders
    StandardRunners.register(with: &engine)
    engine.terminal = LentTerminal.shared
    engine.surroundings = RunnerSurroundings(
      attempts: attempts, hostProgram: StandardRunners.ownProgram)
    return engine
  }
}

/// The host of recorded runs in this process.
package struct RunHost: Sendable {
  /// The journal that records the runs.
  package let journal: Journal
  /// The guardian of this process, if any.
  package let guardian: GuardianLink?
  /// The settings of engines.
  package let settings: EngineSettings
  /// Prints a message, such as which run a queued run is waiting for.
  package var say: @Sendable (TerminalSafe) -> Void

  /// Creates a host.
  ///
  /// - Parameters:
  ///   - journal: The journal that records the runs.
  ///   - guardian: The guardian of this process, if any.
  ///   - settings: The settings of engines.
  ///   - say: Prints a message, such as which run a queued run is waiting for.
  package init(
    _ journal: Journal, guardian: GuardianLink?, settings: EngineSettings = EngineSettings(),
    say: @escaping @Sendable (TerminalSafe) -> Void = { _ in }
  ) {
    self.journal = journal
    self.guardian = guardian
    self.settings = settings
    self.say = say
  }

  /// Waits for the turn of a recorded run, and starts it.
  ///
  /// - Parameters:
  ///   - recorded: The record of the run, whose lock this process holds.
  ///   - loaded: The workflow.
  ///   - secrets: The values of the secrets.
  ///   - state: The recorded state, if the run is resumed.
  ///   - controls: The controls of the run.
  ///   - onReachable: Called once, when the run can be controlled: when it starts, or must wait for
  ///     its turn.
  /// - Returns: The run; nil if it was cancelled before its turn.
  /// - Throws: ``Problem`` or ``JournalError``; `CancellationError` if the task is cancelled.
  package func begin(
    _ recorded: RecordedRun, _ loaded: LoadedWorkflow, _ secrets: Secrets,
    state: ResumedState? = nil, controls: RunControls, onReachable: () -> Void = {}
  ) async throws -> HostedRun? {
    if let group = guardian?.controlGroup { recorded.setCleanupNote(group.path) }
    controls.setRecorder(recorded)
    controls.setWorkflow(loaded, recorded: recorded)
    let server = try serve(controls, recorded)
    let turn = Turn(
      run: recorded, concurrency: loaded.workflow.concurrency, journal: journal,
      controls: controls, say: say)
    var isReachable = false
    func reportReachable() {
      if !isReachable { onReachable() }
      isReachable = true
    }
    let mayBegin: Bool
    do {
      mayBegin = try await turn.comes(onWait: reportReachable)
    } catch {
      await server.finish()
      throw error
    }
    guard mayBegin else {
      reportReachable()
      await server.finish()
      try await blocking { try recorded.end(as: .cancelled) }
      return nil
    }
    // Attempts of the engine before may have to be stopped first, which can take long.
    let starting = Task { try await start(recorded, loaded, secrets, state) }
    controls.onCancel { starting.cancel() }
    let run: Run
    do {
      run = try await starting.value
    } catch {
      reportReachable()
      await server.finish()
      // Nothing has changed: the run is interrupted, as before.
      if error is CancellationError { return nil }
      throw error
    }
    controls.begin(run)
    reportReachable()
    return HostedRun(
      run: run, recorded: recorded, server: server, host: self, workflow: loaded.workflow)
  }

  /// Deletes runs that exceed the limits of a workflow whose run has ended, or of the project.
  fileprivate func deleteOldRuns(of workflow: Workflow) async {
    do {
      try await blocking { [journal] in
        if let keep = workflow.keep {
          try journal.deleteRuns(exceeding: keep, of: workflow.name)
        }
        try journal.deleteRuns(exceeding: try journal.directory.retention())
      }
    } catch {
      say("warning: old runs are not deleted: \(error)")
    }
  }

  private func start(
    _ recorded: RecordedRun, _ loaded: LoadedWorkflow, _ secrets: Secrets, _ state: ResumedState?
  ) async throws -> Run {
    let engine = settings.makeEngine(
      recorder: recorded, memory: JournalMemory(journal, file: loaded.path),
      attempts: journal.directory.attemptsPath, folders: journal.directory.filesPath)
    // Only for the display, so ignore records that cannot be read.
    let usual =
      (try? await blocking { [journal] in try journal.usualDurations(like: recorded.id) }) ?? [:]
    let state = try await state?.withoutOutdated(engine, recorded, say)
    // A run that was interrupted before its turn has no state to resume.
    guard
      let resumed = try? state.map({
        try engine.resume(
          $0.state, with: loaded.workflow, secrets: secrets, usualDurations: usual,
          setting: $0.results, by: $0.requester)
      })
    else {
      return engine.start(
        loaded.workflow, id: recorded.id, secrets: secrets, usualDurations: usual)
    }
    return resumed
  }

  private func serve(
    _ controls: RunControls, _ recorded: RecordedRun
  ) throws(Problem) -> ControlServer {
    do {
      let server = try ControlServer(
        at: journal.directory.socketPath(of: recorded.id), serving: controls)
      recorded.announce()
      return server
    } catch {
      try? recorded.end(as: .abandoned)
      throw Problem(error)
    }
  }
}

/// A run that has started and can be controlled from other processes.
package struct HostedRun: Sendable {
  /// The run.
  package let run: Run
  let recorded: RecordedRun
  private let server: ControlServer
  private let host: RunHost
  private let workflow: Workflow

  fileprivate init(
    run: Run, recorded: RecordedRun, server: ControlServer, host: RunHost, workflow: Workflow
  ) {
    self.run = run
    self.recorded = recorded
    self.server = server
    self.host = host
    self.workflow = workflow
  }

  /// Waits until attached clients have received the last event, closes the control socket, and
  /// deletes runs that need not be kept.
  ///
  /// Must be called once, after the end of the run.
  ///
  /// - Returns: The error of writing the last output, which came too late to fail the run.
  package func finish() async -> JournalError? {
    await server.finish()
    await host.deleteOldRuns(of: workflow)
    // All results are in the journal by now.
    try? await blocking { [host, id = recorded.id] in
      AttemptFolder.removeAll(of: id, in: host.journal.directory.attemptsPath)
      // Most runs leave nothing there; a resumed run creates it again.
      removeFolder(host.journal.directory.filesFolder(of: id))
    }
    return recorded.outputProblem
  }
}
