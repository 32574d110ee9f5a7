// Drives one run from the command's side: hears signals, shows it, and says how the command ends.

import ChildProcesses
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

/// One run that this process drives.
struct DrivenRun {
  /// How it is shown.
  let progress: ProgressStyle
  let secrets: Secrets
  /// How engines are made.
  let settings: EngineSettings
  /// Whether the command ends with the status of the first step that failed.
  let passesThrough: Bool
  private let controls = RunControls()
  /// What happened before it happened in a run that is resumed.
  private let beganAt = SystemClock().now

  init(
    progress: ProgressStyle, _ secrets: Secrets, _ settings: EngineSettings = EngineSettings(),
    passesThrough: Bool
  ) {
    self.progress = progress
    self.secrets = secrets
    self.settings = settings
    self.passesThrough = passesThrough
  }

  /// Runs to the end without a record.
  ///
  /// - Parameter workflow: What to run.
  /// - Returns: The exit status of the command.
  func exitStatus(of workflow: Workflow) async -> ExitStatus {
    hearSignals(controls)
    let run = settings.makeEngine().start(workflow, secrets: secrets)
    controls.begin(run)
    return await show(run)
  }

  /// Runs to the end, recorded.
  ///
  /// - Parameters:
  ///   - loaded: What to run.
  ///   - journal: Where it is recorded.
  ///   - record: Takes the run, before anything of it begins; with its state where it is resumed.
  /// - Returns: The exit status of the command.
  /// - Throws: ``Problem``.
  func exitStatus(
    of loaded: LoadedWorkflow, in journal: Journal,
    recordedBy record: () throws -> (RecordedRun, RunState?)
  ) async throws -> ExitStatus {
    hearSignals(controls)
    let links = ProcessLinks.current.withLock { $0 }
    // A command that gave up waiting for a run in the background does not want it.
    guard links.foreground?.isWaiting != false else {
      throw ExitStatus.stopped(by: SignalNumber.hangUp)
    }
    let (recorded, state): (RecordedRun, RunState?)
    do { (recorded, state) = try record() } catch { throw Problem(error) }
    let id = recorded.id.description
    if let lock = recorded.lockDescriptor { links.guardian?.keep(lock, run: id) }
    let host = RunHost(
      journal, guardian: links.guardian, settings: settings,
      say: { [progress] in if progress != .none { printError($0) } })
    let hosted = try await host.begin(
      recorded, loaded, secrets, state: state, controls: controls,
      onReachable: { links.foreground?.announce(id) })
    guard let hosted else {
      return .of(.cancelled, signal: controls.stopSignal, passesThrough: passesThrough)
    }
    var status = await show(hosted.run)
    if let problem = await hosted.finish(), status != .cannotGoOn {
      // The steps were done before their last output was to be written.
      printError("error: \(problem)")
      status = .cannotGoOn
    }
    let needsHint = status != .succeeded && status != .outputClosed
    if needsHint && progress.isForPeople { printError(resumeHint(for: recorded.id)) }
    return status
  }

  private func show(_ run: Run) async -> ExitStatus {
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(), joinedAt: beganAt,
      controls: controls.keys)
    // What shows only a report needs no event before the end: its recap says what the report says, and no
    // thread is woken for each step.
    let isReport = progress == .none
    if !isReport { display.attach(to: run.events) }
    let outcome = await run.ended()
    if isReport { display.attach(to: run.events) }
    await display.finish()
    return .of(outcome, signal: controls.stopSignal, passesThrough: passesThrough)
  }
}

/// How to resume a run that did not succeed.
func resumeHint(for run: RunID) -> TerminalSafe { "take it up again with: reprise resume \(run)" }
