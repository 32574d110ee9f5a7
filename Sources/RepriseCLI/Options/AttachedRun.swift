// Shows a run that another process drives: for `attach`, and when a run goes on elsewhere.

import Platform
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

/// A live run that another process drives, and the connection to it.
struct AttachedRun {
  private let record: RunRecord
  private let journal: Journal
  private let client: ControlClient
  private let progress: ProgressStyle
  /// Whether to wait for the turn of a run that waits for another one of its group.
  private let waitsForTurn: Bool

  init(
    _ record: RunRecord, _ journal: Journal, _ client: ControlClient, _ progress: ProgressStyle,
    waitsForTurn: Bool = false
  ) {
    self.waitsForTurn = waitsForTurn
    self.record = record
    self.journal = journal
    self.client = client
    self.progress = progress
  }

  /// Waits until another process drives a run that has ended.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - journal: Its journal.
  ///   - progress: The style of the display.
  /// - Returns: The run; nil if the task was cancelled, or changes cannot be watched.
  static func next(
    of run: RunID, in journal: Journal, _ progress: ProgressStyle
  ) async -> AttachedRun? {
    try? await FolderChanges.first(ofLiveRunsIn: journal.directory, within: nil) {
      let record = try await blocking { try journal.run(named: run.description) }
      guard record.status.isLive, record.process != Int(processID) else { return nil }
      // It is announced a moment before it listens.
      guard let client = try? journal.client(of: record) else { return nil }
      return AttachedRun(record, journal, client, progress, waitsForTurn: true)
    }
  }

  /// Shows the run until its end, or until its user leaves.
  ///
  /// - Returns: The exit status of the command.
  /// - Throws: ``Problem`` if the connection is lost.
  func exitStatus() async throws -> ExitStatus {
    let joinedAt = SystemClock().now
    try await join()
    let outcome = Mutex(RunOutcome?.none)
    let leaving = Mutex(ExitStatus?.none)
    var controls = DisplayControls(
      of: client, socket: journal.directory.socketPath(of: record.id),
      file: record.request.workflowFile
    ) {
      leaving.withLock { $0 = .outputClosed }
      client.close()
    }
    controls.openFiles(of: journal, workflow: record.request.workflowFile)
    controls.detach = {
      leaving.withLock { $0 = .stopped(by: SignalNumber.interrupt) }
      client.close()
    }
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(), joinedAt: joinedAt,
      controls: controls)
    let signals = SignalListener(SignalListener.stopping) { number in
      leaving.withLock { $0 = .stopped(by: number) }
      client.close()
    }
    defer { signals.cancel() }
    display.attach(
      to: client.events.handleEvents(receiveOutput: { event in
        if case .runEnded(let ended) = event.kind { outcome.withLock { $0 = ended } }
      }))
    _ = await display.finish()
    if let ended = outcome.withLock({ $0 }) {
      if !ended.isSuccess, progress.isHumanReadable { printError(resumeHint(for: record)) }
      return ExitStatus.of(ended, signal: client.stopSignal, passesThrough: false)
    }
    if let left = leaving.withLock({ $0 }) { return left }
    return try await statusAfterLoss()
  }

  /// Asks for the events of the run.
  ///
  /// A run listens before it begins, so that it can be cancelled while it waits for its turn or while
  /// attempts of an earlier engine are stopped. It sends no events before that.
  private func join() async throws {
    while true {
      let (reason, status): (String, RunStatus)
      do {
        guard case .refused(let text) = try await client.ask(.attach, within: .seconds(10)) else {
          return
        }
        reason = text
        status = try await blocking { [journal, record] in
          try journal.run(named: record.id.description).status
        }
      } catch {
        throw Problem(error)
      }
      guard status.isLive, status == .running || waitsForTurn else {
        throw Problem("error: \(reason)")
      }
      try await SystemClock().sleep(for: .milliseconds(50))
    }
  }

  /// Returns the exit status after the connection was lost.
  ///
  /// Waits for the run's status first: the end of a run is recorded a moment after the connection
  /// closes.
  private func statusAfterLoss() async throws -> ExitStatus {
    let status = await journal.statusAfterEnd(of: record.id)
    switch status {
    case .succeeded, .skipped, .failed, .timedOut, .cancelled: return ExitStatus.of(status)
    case .abandoned, .interrupted:
      throw Problem(
        "error: the connection was lost: run \(record.id) is \(status.rawValue)",
        cause: .internalFailure)
    case .queued, .running:
      throw Problem(
        """
        error: the connection was lost; the run continues: reconnect with: \
        reprise attach \(record.id)
        """,
        cause: .internalFailure)
    }
  }
}
