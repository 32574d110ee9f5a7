// Ends a run whose engine has died, without resuming it.

package import Reprise
package import RepriseJournal
import RepriseRunners
package import RepriseTerminal

/// A run whose engine has died, and of which steps may go on where they run.
package struct InterruptedRun: Sendable {
  private let record: RunRecord
  private let journal: Journal
  private let settings: EngineSettings

  /// Creates the value.
  ///
  /// The working directory must be that of the run.
  ///
  /// - Parameters:
  ///   - record: The record of the run.
  ///   - journal: Its journal.
  ///   - settings: The settings of engines.
  package init(
    _ record: RunRecord, in journal: Journal, settings: EngineSettings = EngineSettings()
  ) {
    self.record = record
    self.journal = journal
    self.settings = settings
  }

  /// Stops the steps that go on, waits until nothing of them is left, and records the end.
  ///
  /// The run can be resumed later, as after any cancel.
  ///
  /// - Parameters:
  ///   - isKilled: Whether steps get no grace period.
  ///   - requester: Who asked for it.
  ///   - say: Called with what is waited for.
  /// - Returns: The steps that were stopped.
  /// - Throws: ``Problem`` if another process resumes the run or has finished it, or a step cannot be
  ///   stopped; the run stays interrupted then.
  package func cancel(
    isKilled: Bool, by requester: Requester, say: (TerminalSafe) -> Void
  ) async throws -> [String] {
    let (recorded, state) = try await blocking { [journal, record] in
      try journal.reopen(record.id) { record, _ in
        // Another process may have resumed and finished it since its record was read.
        guard record.endedAt == nil || record.status == .interrupted else {
          throw Problem("error: run \(record.id) has ended: \(record.status.rawValue)")
        }
        return record.request
      }
    }
    let survivors = Survivors(record, state)
    let names = survivors.attempts.map { "\($0.step) on \($0.place.runner)" }
    if !names.isEmpty { say("stopping \(names.joined(separator: ", "))") }
    let engine = settings.makeEngine(attempts: journal.directory.attemptsPath)
    // It had not begun, or it had ended and was to begin again.
    guard state.phase.isActive else {
      try await blocking { try recorded.end(as: .cancelled) }
      return []
    }
    var ends: [Event]
    do {
      ends = try await survivors.stop(
        with: engine, isKilled: isKilled, because: .request, by: requester)
    } catch {
      // Its lock is released with the process, and the run is found interrupted again.
      throw (error as? Problem) ?? Problem("error: \(error)", cause: .internalFailure)
    }
    for notice in await engine.release(record.id, on: survivors.runners) {
      say("\(notice)")
      ends.append(
        Event(
          time: SystemClock().now, run: record.id, generation: state.generation,
          kind: .runNotice(notice)))
    }
    let events = state.endAsCancelled(
      after: ends, of: record.id, at: SystemClock().now, by: requester)
    try await blocking { try recorded.record(events) }
    _ = try? await blocking { [journal, id = record.id] in
      AttemptFolder.removeAll(of: id, in: journal.directory.attemptsPath)
      journal.removeHostsLock(of: id)
    }
    return survivors.attempts.map(\.step)
  }
}
