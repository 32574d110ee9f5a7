// Drives one run for a command: handles signals, shows progress, and determines the exit status.

import ChildProcesses
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

/// One run that this process drives, until its end or until its user leaves it.
struct DrivenRun {
  /// The style of the progress display.
  let progress: ProgressStyle
  let secrets: Secrets
  /// The settings of the engine.
  let settings: EngineSettings
  /// Whether the command exits with the status of the first failed step.
  let passesThrough: Bool
  /// Whether the display waits for keys after an outcome.
  let stays: @Sendable (RunOutcome) -> Bool
  /// Whether all steps that wait for approval are approved.
  let approvesAll: Bool
  /// Whether the terminal notifies its user of the end.
  let notifies: Bool
  private let controls = RunControls()
  /// The start time; earlier events were recorded before the run was resumed.
  private let beganAt = SystemClock().now

  init(
    progress: ProgressStyle, _ secrets: Secrets, _ settings: EngineSettings = EngineSettings(),
    passesThrough: Bool, stays: @escaping @Sendable (RunOutcome) -> Bool = { _ in false },
    approvesAll: Bool = false, notifies: Bool = false
  ) {
    self.progress = progress
    self.secrets = secrets
    var settings = settings
    settings.asksForColours = progress.asksForColours(environment: inheritedEnvironment())
    self.settings = settings
    self.passesThrough = passesThrough
    self.stays = stays
    self.approvesAll = approvesAll
    self.notifies = notifies
  }

  /// Runs a workflow to its end without recording it.
  ///
  /// - Parameter loaded: The workflow.
  /// - Returns: The exit status of the command.
  func exitStatus(of loaded: LoadedWorkflow) async -> ExitStatus {
    forwardSignals(controls)
    let folders = TemporaryRunFolders()
    defer { folders.remove() }
    controls.setWorkflow(loaded)
    let display = makeDisplay(controls.keys)
    let run = settings.makeEngine(folders: folders.path).start(loaded.workflow, secrets: secrets)
    controls.begin(run)
    let outcome = await show(run, on: display)
    let warning = await controls.performEndCommand(after: outcome, secrets: secrets)
    _ = await display.finish()
    if let warning { printError(warning) }
    return .of(outcome, signal: controls.stopSignal, passesThrough: passesThrough)
  }

  /// Runs a workflow to its end and records the run.
  ///
  /// If the display stays after the end, the user may resume the run, and it goes on.
  ///
  /// - Parameters:
  ///   - loaded: The workflow.
  ///   - journal: The journal that records the run.
  ///   - record: Called before any step starts; creates the record of the run, or reopens it and
  ///     returns the recorded state when the run is resumed.
  ///   - onEnd: Called with the run each time it has ended.
  /// - Returns: The exit status of the command.
  /// - Throws: ``Problem``.
  func exitStatus(
    of loaded: LoadedWorkflow, in journal: Journal,
    recordedBy record: () throws -> (RecordedRun, ResumedState?),
    onEnd: (Run) -> Void = { _ in }
  ) async throws -> ExitStatus {
    forwardSignals(controls)
    let links = ProcessLinks.current.withLock { $0 }
    // If the foreground process has stopped waiting, its user has cancelled the background run.
    guard links.foreground?.isWaiting != false else {
      throw ExitStatus.stopped(by: SignalNumber.hangUp)
    }
    var (recorded, state): (RecordedRun, ResumedState?)
    do { (recorded, state) = try record() } catch { throw Problem(error) }
    let id = recorded.id
    let locks = GuardedLocks(links.guardian, run: id.description)
    let host = RunHost(
      journal, guardian: links.guardian, settings: settings,
      say: { [progress] in if progress != .none { printError($0) } })
    var (workflow, secrets) = (loaded, secrets)
    while true {
      locks.share(recorded)
      let ending = RunEnding(journal, of: workflow, stays: stays)
      // The run may have to wait for its turn, which is written to the terminal as it is.
      let begun = try await LentTerminal.shared.keepFromSteps {
        try await host.begin(
          recorded, workflow, secrets, state: state, controls: controls,
          onReachable: { links.foreground?.announce(id.description) }
        ).map { hosted in
          var keys = ending.keys(adding: controls.keys)
          keys.runs = runsAccess(in: journal)
          if let shell = links.shell { keys.depart = { shell.leave(saying: id.description) } }
          return (hosted, makeDisplay(keys))
        }
      }
      guard let (hosted, display) = begun else {
        return .of(.cancelled, signal: controls.stopSignal, passesThrough: passesThrough)
      }
      let outcome = await show(hosted.run, on: display)
      onEnd(hosted.run)
      // While the display stays, other processes may resume the run or start one of its group.
      let problem = await hosted.finish()
      locks.release(recorded)
      let warning = await controls.performEndCommand(after: outcome, secrets: secrets)
      controls.onCancel { display.leave() }
      let status = ExitStatus.of(
        outcome, signal: controls.stopSignal, passesThrough: passesThrough)
      let (ended, elsewhere) = await finish(display, of: id, in: journal, after: outcome)
      if let warning { printError(warning) }
      if ended != .quit, let resumed = ending.resumed {
        do { (recorded, state) = try resumed.reopen(in: journal) } catch { throw Problem(error) }
        (workflow, secrets) = (resumed.workflow, resumed.secrets)
        continue
      }
      if let next = await elsewhere.value {
        // The page or another terminal has resumed the run: show what it does now.
        if let status = try await next.exitStatus() { return status }
      }
      return report(status, of: id, problem)
    }
  }

  /// Runs a workflow to its end and records the run, as ``exitStatus(of:in:recordedBy:)`` does, for a
  /// command that reports on the run afterwards.
  ///
  /// - Returns: The exit status, and the run; nil if it was cancelled before it began.
  func ended(
    _ loaded: LoadedWorkflow, in journal: Journal,
    recordedBy record: () throws -> (RecordedRun, ResumedState?)
  ) async throws -> (ExitStatus, Run?) {
    let last = Mutex<Run?>(nil)
    let status = try await exitStatus(of: loaded, in: journal, recordedBy: record) { run in
      last.withLock { $0 = run }
    }
    return (status, last.withLock { $0 })
  }

  /// Waits until the display ends; it also ends when another process resumes the run.
  private func finish(
    _ display: ProgressDisplay, of id: RunID, in journal: Journal, after outcome: RunOutcome
  ) async -> (DisplayEnding, elsewhere: Task<AttachedRun?, Never>) {
    let elsewhere = Task {
      guard stays(outcome) else { return AttachedRun?.none }
      let next = await AttachedRun.next(of: id, in: journal, progress)
      if next != nil { display.leave() }
      return next
    }
    let ended = await display.finish()
    elsewhere.cancel()
    return (ended, elsewhere)
  }

  private func report(_ status: ExitStatus, of id: RunID, _ problem: JournalError?) -> ExitStatus {
    var status = status
    if let problem, status != .internalFailure {
      // The steps had finished, but writing their last output failed.
      printError("error: \(problem)")
      status = .internalFailure
    }
    let needsHint = status != .succeeded && status != .outputClosed
    if needsHint && progress.isHumanReadable { printError(resumeHint(for: id)) }
    return status
  }

  private func makeDisplay(_ keys: DisplayControls) -> ProgressDisplay {
    ProgressDisplay(
      style: progress, environment: inheritedEnvironment(), joinedAt: beganAt, controls: keys)
  }

  /// Shows a run, and returns its outcome when it has ended.
  private func show(_ run: Run, on display: ProgressDisplay) async -> RunOutcome {
    let approving = approvesAll ? run.approvingAll() : nil
    defer { approving?.cancel() }
    // The report needs only the last state, so no thread is woken for each step.
    let isReport = progress == .none
    if !isReport { display.attach(to: run.events) }
    let outcome = await run.ended()
    if notifies {
      EndNotification(workflow: run.workflow.name, ending: run.state.text(of: outcome)).send()
    }
    if isReport { display.report(run.state) }
    return outcome
  }
}

/// Returns a hint on how to resume a run of the command that did not succeed.
func resumeHint(for run: RunID) -> TerminalSafe { "resume it with: reprise resume \(run)" }

/// Returns a hint on how to resume a recorded run that did not succeed.
func resumeHint(for record: RunRecord) -> TerminalSafe { "\(record.resumeAdvice)" }
