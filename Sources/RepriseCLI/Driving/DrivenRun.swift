// Drives one run from the command's side: hears signals, shows it, and says how the command ends. How a
// workflow is found and what is asked of it is the commands' business.

import ChildProcesses
import Platform
import Reprise
import RepriseJournal
import RepriseTerminal
import Synchronization

/// One run that this process drives.
struct DrivenRun {
  let settings: RunSettings
  let passesThrough: Bool
  private let steering = Steering()
  /// What happened before it happened in a run that is resumed.
  private let beganAt = SystemClock().now

  init(_ settings: RunSettings, passesThrough: Bool) {
    self.settings = settings
    self.passesThrough = passesThrough
  }

  /// Runs to the end without a record.
  ///
  /// - Parameter workflow: What to run.
  /// - Returns: The exit status of the command.
  func exitStatus(of workflow: Workflow) async -> ExitStatus {
    hearSignals(steering)
    let run = Engine().start(workflow, secrets: settings.secrets)
    steering.begin(run)
    return await show(run)
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
    hearSignals(steering)
    let links = ProcessLinks.current.withLock { $0 }
    // Whoever gave up waiting for a run in the background does not want it.
    guard links.foreground?.isWaiting != false else {
      throw ExitStatus.stopped(by: SignalNumber.hangUp)
    }
    let held = try explaining(hold)
    let id = held.recorded.id.description
    if let lock = held.recorded.lockDescriptor { links.guardian?.keep(lock, run: id) }
    let hosted = try await HostedRun.begin(
      held, in: journal, settings, steering: steering,
      onReachable: { links.foreground?.announce(id) })
    guard let hosted else {
      return .of(.cancelled, signal: steering.stopSignal, passesThrough: passesThrough)
    }
    var status = await show(hosted.run)
    if let problem = await hosted.finish(), status != .cannotGoOn {
      // The steps were done before their last output was to be written.
      printError("error: \(problem)")
      status = .cannotGoOn
    }
    let needsHint = status != .succeeded && status != .outputClosed
    if needsHint && settings.progress.isForPeople {
      printError(resumeHint(for: held.recorded.id))
    }
    return status
  }

  private func show(_ run: Run) async -> ExitStatus {
    let display = ProgressDisplay(
      style: settings.progress, environment: inheritedEnvironment(), joinedAt: beganAt,
      controls: DisplayControls(
        restart: { run.restart() }, cancel: { run.cancel() }, kill: { run.kill() },
        approve: { step, isApproved in _ = try? run.answer(step, isApproved: isApproved) },
        outputClosed: { [steering] in steering.outputClosed() }))
    // What shows only a report needs no event before the end: its recap says what the report says, and no
    // thread is woken for each step.
    let isReport = settings.progress == .none
    if !isReport { display.attach(to: run.events) }
    let outcome = await run.ended()
    if isReport { display.attach(to: run.events) }
    await display.finish()
    return .of(outcome, signal: steering.stopSignal, passesThrough: passesThrough)
  }

  private func explaining(_ hold: () throws -> HeldRun) throws(Problem) -> HeldRun {
    do {
      return try hold()
    } catch let busy as GroupIsBusy {
      throw Problem(busy)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
  }
}

/// How to resume a run that did not succeed.
func resumeHint(for run: RunID) -> TerminalSafe { "take it up again with: reprise resume \(run)" }

extension Problem {
  /// Another run of the group is under way.
  init(_ busy: GroupIsBusy) {
    self.init(
      "error: run \(busy.run) of the group \"\(busy.group)\" is under way; wait for it, or end it with: "
        + "reprise cancel \(busy.run)", status: .cannotGoOn)
  }
}
