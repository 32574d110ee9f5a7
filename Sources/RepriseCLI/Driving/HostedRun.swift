// A recorded run of this process while it can be reached from others: its socket, its turn, its engine.
// How it is shown is not known here.

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

/// How the runs of this process are carried out.
struct RunSettings: Sendable {
  var progress: ProgressStyle
  var secrets: Secrets
  /// Whether steps run even when they are up to date.
  var rerunsUpToDateSteps = false
}

/// A run that has begun and can be reached.
struct HostedRun: Sendable {
  let run: Run
  let recorded: RecordedRun
  private let server: ControlServer

  /// Begins a run that is held, when its turn has come.
  ///
  /// - Parameters:
  ///   - held: The run.
  ///   - journal: Where it is recorded.
  ///   - settings: How it is carried out.
  ///   - steering: What steers it.
  ///   - onReachable: Called once, when it can be steered: when it has begun, or has to wait for its turn.
  /// - Returns: The run; nil when it was cancelled before its turn.
  /// - Throws: ``Problem`` or ``JournalError``.
  static func begin(
    _ held: HeldRun, in journal: Journal, _ settings: RunSettings, steering: Steering,
    onReachable: () -> Void = {}
  ) async throws -> HostedRun? {
    let recorded = held.recorded
    let group = ProcessLinks.current.withLock { $0.guardian?.controlGroup }
    if let group { recorded.noteForClearingUp(group.path) }
    steering.isRecorded(by: recorded)
    let server = try serve(steering, recorded, in: journal)
    let turn = Turn(of: recorded, held.workflow, journal, steering, settings.progress)
    var hasTold = false
    func tell() {
      if !hasTold { onReachable() }
      hasTold = true
    }
    let mayBegin: Bool
    do {
      mayBegin = try await turn.comes(onWait: tell)
    } catch {
      await server.finish()
      throw error
    }
    guard mayBegin else {
      tell()
      await server.finish()
      try recorded.end(as: .cancelled)
      return nil
    }
    let run = start(held, in: journal, settings)
    steering.begin(run)
    tell()
    return HostedRun(run: run, recorded: recorded, server: server)
  }

  /// Waits until whoever is attached has got the last event, and is not reachable any more.
  ///
  /// Called once, when the run is over.
  ///
  /// - Returns: What was wrong with the last output, which came too late to be the run's own end.
  func finish() async -> JournalError? {
    await server.finish()
    return recorded.outputProblem
  }

  private static func start(_ held: HeldRun, in journal: Journal, _ settings: RunSettings) -> Run {
    let engine = Engine(
      recorder: held.recorded, memory: JournalMemory(journal, file: held.file),
      rerunsUpToDateSteps: settings.rerunsUpToDateSteps)
    // Only for the display: a run is not held up by records that cannot be read.
    let usual = (try? journal.usualDurations(like: held.recorded.id)) ?? [:]
    // A run that never had its turn has no state to resume.
    guard
      let resumed = try? held.state.map({
        try engine.resume(
          $0, with: held.workflow, secrets: settings.secrets, usualDurations: usual)
      })
    else {
      return engine.start(
        held.workflow, id: held.recorded.id, secrets: settings.secrets, usualDurations: usual)
    }
    return resumed
  }

  private static func serve(
    _ steering: Steering, _ recorded: RecordedRun, in journal: Journal
  ) throws(Problem) -> ControlServer {
    do {
      return try ControlServer(
        at: journal.directory.socketPath(of: recorded.id), serving: steering)
    } catch {
      try? recorded.end(as: .abandoned)
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
  }
}
