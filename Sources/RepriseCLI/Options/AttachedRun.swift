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
  /// Events before this time are a replay.
  private let joinedAt = SystemClock().now

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

  /// How the display of an attached run has ended.
  struct Ending {
    /// What the user wants next.
    let wish: DisplayEnding
    /// The end of the run; nil if its user has left before it.
    let outcome: RunOutcome?
    /// Why the user has left, or had to.
    let left: ExitStatus?
  }

  /// Shows the run until its end, or until its user leaves.
  ///
  /// - Returns: The exit status of the command; nil if the run had ended before it could be shown.
  /// - Throws: ``Problem`` if the connection is lost.
  func exitStatus() async throws -> ExitStatus? {
    guard try await join() else { return nil }
    let signal = Mutex(Int32?.none)
    let shown = Task { await show { controls, _ in controls.runs = runsAccess(in: journal) } }
    let signals = SignalListener(SignalListener.stopping) { number in
      signal.withLock { $0 = number }
      shown.cancel()
    }
    defer { signals.cancel() }
    let ending = await shown.value
    if let ended = ending.outcome {
      if !ended.isSuccess, progress.isHumanReadable { printError(resumeHint(for: record)) }
      return ExitStatus.of(ended, signal: client.stopSignal, passesThrough: false)
    }
    if let number = signal.withLock({ $0 }) { return .stopped(by: number) }
    if let left = ending.left { return left }
    return try await statusAfterLoss()
  }

  /// Shows the run, which has been joined, until its end, or until its user leaves or the task is cancelled.
  ///
  /// - Parameter adapt: Changes what the keys do; its second argument leaves the run.
  /// - Returns: How the display has ended.
  func show(
    adapting adapt: (inout DisplayControls, _ leave: @escaping @Sendable () -> Void) -> Void
  ) async -> Ending {
    let outcome = Mutex(RunOutcome?.none)
    let leaving = Mutex(ExitStatus?.none)
    let shown = Mutex(ProgressDisplay?.none)
    let leave: @Sendable () -> Void = {
      leaving.withLock { $0 = .succeeded }
      client.close()
      shown.withLock { $0 }?.leave()
    }
    var controls = DisplayControls(
      of: client, socket: journal.directory.socketPath(of: record.id),
      file: record.request.workflowFile
    ) {
      leaving.withLock { $0 = .outputClosed }
      client.close()
    }
    controls.openFiles(of: journal, workflow: record.request.workflowFile)
    controls.detach = leave
    adapt(&controls, leave)
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(), joinedAt: joinedAt,
      controls: controls)
    shown.withLock { $0 = display }
    defer { shown.withLock { $0 = nil } }
    display.attach(
      to: client.events.handleEvents(receiveOutput: { event in
        if case .runEnded(let ended) = event.kind { outcome.withLock { $0 = ended } }
      }))
    let wish = await withTaskCancellationHandler {
      await display.finish()
    } onCancel: {
      leave()
    }
    return Ending(wish: wish, outcome: outcome.withLock { $0 }, left: leaving.withLock { $0 })
  }

  /// Asks for the events of the run.
  ///
  /// A run listens before it begins, so that it can be cancelled while it waits for its turn or while
  /// attempts of an earlier engine are stopped. It sends no events before that.
  ///
  /// - Returns: Whether they come; false if the run has ended.
  /// - Throws: ``Problem`` if the run cannot be reached, or waits for its turn.
  func join() async throws -> Bool {
    while true {
      let refusal: TerminalSafe
      do throws(ControlError) {
        guard case .refused(let text) = try await client.ask(.attach, within: .seconds(10)) else {
          return true
        }
        refusal = "error: \(text)"
      } catch {
        // A run that ends at this moment closes its connections.
        if await !journal.statusAfterEnd(of: record.id).isLive { return false }
        throw Problem(error)
      }
      let status = try await blocking { [journal, record] in
        try journal.run(named: record.id.description).status
      }
      guard status.isLive else { return false }
      guard status == .running || waitsForTurn else { throw Problem(refusal) }
      try await SystemClock().sleep(for: .milliseconds(50))
    }
  }

  /// Returns the exit status after the connection was lost.
  ///
  /// Waits for the run's status first: the end of a run is recorded a moment after the connection
  /// closes.
  func statusAfterLoss() async throws -> ExitStatus {
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
