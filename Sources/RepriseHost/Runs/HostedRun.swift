// A recorded run of this process while it can be reached from others: its socket, its turn, its engine.

package import ChildProcesses
package import Reprise
import RepriseControl
package import RepriseJournal
package import RepriseTerminal

/// How engines are made in this process: the one place that makes them.
package struct EngineSettings: Sendable {
  /// Whether steps run even when they are up to date.
  package var rerunsUpToDateSteps: Bool

  /// Chooses settings.
  package init(rerunsUpToDateSteps: Bool = false) {
    self.rerunsUpToDateSteps = rerunsUpToDateSteps
  }

  /// Makes an engine.
  ///
  /// - Parameters:
  ///   - recorder: What records a run; nil for none.
  ///   - memory: What remembers steps that are up to date; nil for nothing.
  /// - Returns: The engine.
  package func makeEngine(
    recorder: (any Recorder)? = nil, memory: (any StepMemory)? = nil
  ) -> Engine {
    Engine(recorder: recorder, memory: memory, rerunsUpToDateSteps: rerunsUpToDateSteps)
  }
}

/// What carries out runs in this process.
package struct RunHost: Sendable {
  /// Where runs are recorded.
  package let journal: Journal
  /// The guardian of this process; nil where there is none.
  package let guardian: GuardianLink?
  /// How engines are made.
  package let settings: EngineSettings
  /// Reports what a run waits for, for people.
  package var say: @Sendable (TerminalSafe) -> Void

  /// Makes a host.
  ///
  /// - Parameters:
  ///   - journal: Where runs are recorded.
  ///   - guardian: The guardian of this process; nil where there is none.
  ///   - settings: How engines are made.
  ///   - say: Reports what a run waits for, for people.
  package init(
    _ journal: Journal, guardian: GuardianLink?, settings: EngineSettings = EngineSettings(),
    say: @escaping @Sendable (TerminalSafe) -> Void = { _ in }
  ) {
    self.journal = journal
    self.guardian = guardian
    self.settings = settings
    self.say = say
  }

  /// Begins a run that is recorded, when its turn has come.
  ///
  /// - Parameters:
  ///   - recorded: The run, which this process holds.
  ///   - loaded: What it is to do.
  ///   - secrets: The values of its secrets.
  ///   - state: Its state, if it is resumed.
  ///   - controls: What controls it.
  ///   - onReachable: Called once, when it can be controlled: when it has begun, or has to wait for its turn.
  /// - Returns: The run; nil when it was cancelled before its turn.
  /// - Throws: ``Problem`` or ``JournalError``; `CancellationError` when the task is cancelled.
  package func begin(
    _ recorded: RecordedRun, _ loaded: LoadedWorkflow, _ secrets: Secrets,
    state: RunState? = nil, controls: RunControls, onReachable: () -> Void = {}
  ) async throws -> HostedRun? {
    if let group = guardian?.controlGroup { recorded.noteForClearingUp(group.path) }
    controls.isRecorded(by: recorded)
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
    let run = await start(recorded, loaded, secrets, state)
    controls.begin(run)
    reportReachable()
    return HostedRun(run: run, recorded: recorded, server: server)
  }

  private func start(
    _ recorded: RecordedRun, _ loaded: LoadedWorkflow, _ secrets: Secrets, _ state: RunState?
  ) async -> Run {
    let engine = settings.makeEngine(
      recorder: recorded, memory: JournalMemory(journal, file: loaded.path))
    // Only for the display: a run is not held up by records that cannot be read.
    let usual =
      (try? await blocking { [journal] in try journal.usualDurations(like: recorded.id) }) ?? [:]
    // A run that never had its turn has no state to resume.
    guard
      let resumed = try? state.map({
        try engine.resume($0, with: loaded.workflow, secrets: secrets, usualDurations: usual)
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

/// A run that has begun and can be reached.
package struct HostedRun: Sendable {
  /// The run.
  package let run: Run
  let recorded: RecordedRun
  private let server: ControlServer

  fileprivate init(run: Run, recorded: RecordedRun, server: ControlServer) {
    self.run = run
    self.recorded = recorded
    self.server = server
  }

  /// Waits until those that are attached have got the last event, and ends the serving.
  ///
  /// Called once, when the run is over.
  ///
  /// - Returns: What was wrong with the last output, which came too late to be the run's own end.
  package func finish() async -> JournalError? {
    await server.finish()
    return recorded.outputProblem
  }
}
