// Hosts recorded runs in this process: their control socket, their turn, and their engine.

package import ChildProcesses
import Platform
public import Reprise
import RepriseControl
public import RepriseJournal
import RepriseRunners
import RepriseStore
package import RepriseTerminal

/// The settings of engines in this process, and the only place that creates engines.
package struct EngineSettings: Sendable {
  /// Whether steps run even if they are up to date.
  package var rerunsUpToDateSteps: Bool
  /// What watches the files that steps use; nil for nothing.
  package var watch: FileWatch?
  /// The seed of a random order in which waiting steps begin; nil for the order of the file.
  package var orderSeed: UInt64?
  /// Whether steps are asked for colours.
  package var asksForColours = false

  /// Creates settings.
  package init(
    rerunsUpToDateSteps: Bool = false, watch: FileWatch? = nil, orderSeed: UInt64? = nil
  ) {
    self.rerunsUpToDateSteps = rerunsUpToDateSteps
    self.watch = watch
    self.orderSeed = orderSeed
  }

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - recorder: The recorder of the run, if any.
  ///   - memory: The memory of steps that are up to date, if any.
  ///   - attempts: The folder for the records of attempts that run elsewhere, if any.
  ///   - folders: The folder for the folders of runs, if any.
  ///   - store: Keeps the results of steps, from which files are restored, if any.
  /// - Returns: The engine.
  package func makeEngine(
    recorder: (any Recorder)? = nil, memory: (any StepMemory)? = nil, attempts: String? = nil,
    folders: String? = nil, store: (any ResultStore)? = nil
  ) -> Engine {
    var executor = LocalExecutor()
    executor.asksForColours = asksForColours
    var engine = Engine(
      executor: executor, recorder: recorder, memory: memory,
      rerunsUpToDateSteps: rerunsUpToDateSteps)
    engine.runFolders = folders
    engine.watch = watch
    engine.orderSeed = orderSeed
    engine.store = store
    StandardRunners.register(with: &engine)
    engine.terminal = LentTerminal.shared
    engine.surroundings = RunnerSurroundings(
      attempts: attempts, hostProgram: StandardRunners.ownProgram)
    return engine
  }
}

/// Runs workflows of a program as the command `reprise` does: recorded, controllable, and in turn.
///
///     let host = RunHost(Engine(), recordingIn: try Journal())
///     let queued = try await host.enqueue(workflow)      // recorded
///     let outcome = try await queued.begun().outcome
///
/// Each run is recorded in the journal, obeys its concurrency group together with the runs of other
/// processes, and has a control socket, so `reprise attach`, `restart`, `cancel`, `approve` and the
/// live page act on it. The host retains its runs until they have ended; copies share them.
public struct RunHost: Sendable {
  /// The journal that records the runs.
  public let journal: Journal
  /// The guardian of this process, if any.
  package let guardian: GuardianLink?
  /// The settings of engines.
  package let settings: EngineSettings
  /// How steps with `cache: auto` are watched; nil without a guardian.
  let watch: FileWatch?
  /// Prints a message, such as which run a queued run is waiting for.
  package var say: @Sendable (TerminalSafe) -> Void
  /// The engine of the program that embeds the host; nil for engines with the settings.
  private let engine: Engine?
  /// The runs of the program that embeds the host, until their ends.
  let group = RunGroup<QueuedRun>()
  /// The lines in which runs of this host wait for their turns.
  private let lines = GroupLines()

  /// Creates the host of a program that embeds the engine.
  ///
  /// - Parameters:
  ///   - engine: The engine, with its executor, actions and observer. The journal replaces its
  ///     recorder.
  ///   - journal: The journal that records the runs.
  ///   - onMessage: Called with messages for people; one about a run says so first, such as
  ///     `run b: waiting for run a of the group "deploy"`.
  public init(
    _ engine: Engine, recordingIn journal: Journal,
    onMessage: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.engine = engine
    self.journal = journal
    guardian = nil
    watch = nil
    settings = EngineSettings()
    say = { onMessage($0.string) }
  }

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
    watch = settings.watch ?? Self.watch(heldBy: guardian)
    self.say = say
    engine = nil
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
    controls.setWorkflow(loaded, recorded: recorded)
    let server = try serve(controls, recorded, isNew: state == nil)
    return try await begin(
      recorded, loaded.workflow, file: loaded.path, secrets, state: state, controls: controls,
      server, onReachable: onReachable)
  }

  /// Waits for the turn of a recorded run of any workflow, and starts it.
  ///
  /// The file is the name under which up-to-date steps are remembered, and the server is that of
  /// ``serve(_:_:isNew:)``; see the other overload.
  func begin(
    _ recorded: RecordedRun, _ workflow: Workflow, file: String, _ secrets: Secrets,
    state: ResumedState? = nil, controls: RunControls, _ server: ControlServer,
    onReachable: () -> Void = {}
  ) async throws -> HostedRun? {
    var isReachable = false
    func reportReachable() {
      if !isReachable { onReachable() }
      isReachable = true
    }
    guard
      try await waitForTurn(
        recorded, workflow, controls, server, isNew: state == nil, onWait: reportReachable)
    else {
      reportReachable()
      try await cancelBeforeStart(recorded, controls, server)
      return nil
    }
    // Attempts of the engine before may have to be stopped first, which can take long.
    let starting = Task { try await start(recorded, workflow, file, secrets, state) }
    controls.onCancel { starting.cancel() }
    let run: Run
    do {
      run = try await starting.value
    } catch {
      reportReachable()
      controls.neverBegins(error is CancellationError ? .interrupted : .failed)
      await server.finish()
      // Nothing has changed: the run is interrupted, as before.
      if error is CancellationError { return nil }
      throw error
    }
    controls.begin(run)
    reportReachable()
    return HostedRun(
      run: run, recorded: recorded, server: server, host: self, workflow: workflow)
  }

  /// Records a run that never begins as cancelled, and then answers those who have cancelled it.
  private func cancelBeforeStart(
    _ recorded: RecordedRun, _ controls: RunControls, _ server: ControlServer
  ) async throws {
    do {
      try await blocking { try recorded.end(as: .cancelled) }
    } catch {
      controls.neverBegins(.failed)
      await server.finish()
      throw error
    }
    controls.neverBegins(.cancelled)
    await server.finish(removesFile: false)
  }

  /// Returns whether the turn of a run has come; false if it was cancelled before.
  private func waitForTurn(
    _ recorded: RecordedRun, _ workflow: Workflow, _ controls: RunControls,
    _ server: ControlServer, isNew: Bool, onWait: () -> Void
  ) async throws -> Bool {
    let turn = Turn(
      run: recorded, concurrency: workflow.concurrency, journal: journal, settings: settings,
      controls: controls, lines: lines, say: say)
    do {
      try await turn.expectNotToWaitForCallers()
    } catch {
      controls.neverBegins(.failed)
      await server.finish()
      // It never begins, unlike a run that was interrupted while it waited.
      if isNew { try? await blocking { try recorded.end(as: .abandoned) } }
      throw error
    }
    do {
      return try await turn.comes(onWait: onWait)
    } catch {
      let isInterrupted = error is CancellationError
      // A cancel is final, also of a run that is being interrupted.
      if isInterrupted, controls.isCancelled { return false }
      controls.neverBegins(isInterrupted ? .interrupted : .failed)
      await server.finish()
      throw error
    }
  }

  /// Deletes runs that exceed the limits of a workflow whose run has ended, or of the project.
  fileprivate func deleteOldRuns(of workflow: Workflow) async {
    do {
      try await blocking { [journal] in
        if let keep = workflow.keep {
          try journal.deleteRuns(exceeding: keep, of: workflow.name)
        }
        try journal.deleteRuns(exceeding: try journal.directory.retention())
        deleteOldResults(of: workflow)
      }
    } catch {
      say("warning: old runs are not deleted: \(error)")
    }
  }

  private func start(
    _ recorded: RecordedRun, _ workflow: Workflow, _ file: String, _ secrets: Secrets,
    _ state: ResumedState?
  ) async throws -> Run {
    let engine = engine(of: recorded, workflow, file: file)
    // Only for the display, so ignore records that cannot be read.
    let usual =
      (try? await blocking { [journal] in try journal.usualDurations(like: recorded.id) }) ?? [:]
    let state = try await state?.withoutOutdated(engine, recorded, say)
    // A run that was interrupted before its turn has no state to resume.
    guard
      let resumed = try? state.map({
        try engine.resume(
          $0.state, with: workflow, secrets: secrets, usualDurations: usual,
          setting: $0.results, by: $0.requester)
      })
    else {
      return engine.start(workflow, id: recorded.id, secrets: secrets, usualDurations: usual)
    }
    return resumed
  }

  private func engine(of recorded: RecordedRun, _ workflow: Workflow, file: String) -> Engine {
    let directory = journal.directory
    guard let engine else {
      var engine = settings.makeEngine(
        recorder: recorded, memory: JournalMemory(journal, file: file),
        attempts: directory.attemptsPath, folders: directory.filesPath,
        store: store(of: workflow))
      engine.poolFolder = directory.poolsPath
      engine.surroundings.locks = directory.livePath
      engine.watch = engine.watch ?? watch
      return engine
    }
    return engine.recording(by: recorded, in: journal)
  }

  /// Returns how steps with `cache: auto` are watched.
  ///
  /// Only with a guardian, which holds what keeps their calls from failing when this process is killed.
  private static func watch(heldBy guardian: GuardianLink?) -> FileWatch? {
    guard let folder = realPath("."), let guardian else { return nil }
    return FileWatch(of: folder, guardian: LaterKeptDescriptors(guardian))
  }

  /// Makes a recorded run reachable for other processes.
  ///
  /// - Throws: ``Problem`` if its socket cannot be created. A new run is abandoned then; one that is resumed
  ///   stays interrupted.
  func serve(
    _ controls: RunControls, _ recorded: RecordedRun, isNew: Bool
  ) throws(Problem) -> ControlServer {
    if let group = guardian?.controlGroup { recorded.setCleanupNote(group.path) }
    controls.setRecorder(recorded)
    do {
      let server = try ControlServer(
        at: journal.directory.socketPath(of: recorded.id), serving: controls)
      recorded.announce()
      return server
    } catch {
      if isNew { try? recorded.end(as: .abandoned) }
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
  let host: RunHost
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
    // The socket's file was removed while the lock of the run was held: by now, another process may have
    // resumed the run, with a socket of its own at this path.
    await server.finish(removesFile: false)
    await host.deleteOldRuns(of: workflow)
    // All results are in the journal by now.
    _ = try? await blocking { [host, id = recorded.id] in
      AttemptFolder.removeAll(of: id, in: host.journal.directory.attemptsPath)
      host.journal.removeHostsLock(of: id)
    }
    return recorded.outputProblem
  }
}
