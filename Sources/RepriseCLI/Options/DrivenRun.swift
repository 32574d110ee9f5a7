// Drives one run for a command: handles signals, shows progress, and determines the exit status.

import ChildProcesses
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

/// One run that this process drives.
struct DrivenRun {
  /// The style of the progress display.
  let progress: ProgressStyle
  let secrets: Secrets
  /// The settings of the engine.
  let settings: EngineSettings
  /// Whether the command exits with the status of the first failed step.
  let passesThrough: Bool
  private let controls = RunControls()
  /// The start time; earlier events were recorded before the run was resumed.
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

  /// Runs a workflow to its end without recording it.
  ///
  /// - Parameter loaded: The workflow.
  /// - Returns: The exit status of the command.
  func exitStatus(of loaded: LoadedWorkflow) async -> ExitStatus {
    forwardSignals(controls)
    let run = settings.makeEngine().start(loaded.workflow, secrets: secrets)
    controls.setWorkflow(loaded)
    controls.begin(run)
    return await show(run)
  }

  /// Runs a workflow to its end and records the run.
  ///
  /// - Parameters:
  ///   - loaded: The workflow.
  ///   - journal: The journal that records the run.
  ///   - record: Called before any step starts; creates the record of the run, or reopens it and
  ///     returns the recorded state when the run is resumed.
  /// - Returns: The exit status of the command.
  /// - Throws: ``Problem``.
  func exitStatus(
    of loaded: LoadedWorkflow, in journal: Journal,
    recordedBy record: () throws -> (RecordedRun, RunState?)
  ) async throws -> ExitStatus {
    forwardSignals(controls)
    let links = ProcessLinks.current.withLock { $0 }
    // If the foreground process has stopped waiting, its user has cancelled the background run.
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
    if let problem = await hosted.finish(), status != .internalFailure {
      // The steps had finished, but writing their last output failed.
      printError("error: \(problem)")
      status = .internalFailure
    }
    let needsHint = status != .succeeded && status != .outputClosed
    if needsHint && progress.isHumanReadable { printError(resumeHint(for: recorded.id)) }
    return status
  }

  private func show(_ run: Run) async -> ExitStatus {
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(), joinedAt: beganAt,
      controls: controls.keys)
    // The report needs no events until the run has ended: the recap contains everything it shows.
    // Attaching late avoids waking a thread for each step.
    let isReport = progress == .none
    if !isReport { display.attach(to: run.events) }
    let outcome = await run.ended()
    if isReport { display.attach(to: run.events) }
    await display.finish()
    return .of(outcome, signal: controls.stopSignal, passesThrough: passesThrough)
  }
}

/// Returns a hint on how to resume a run that did not succeed.
func resumeHint(for run: RunID) -> TerminalSafe { "resume it with: reprise resume \(run)" }
