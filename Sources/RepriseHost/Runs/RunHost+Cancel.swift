// Cancels a run by its id, whether this host, another process or none drives it.

public import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal

extension RunHost {
  /// Cancels a run by its id, and returns when this is recorded.
  ///
  /// A run of this host is cancelled as by `queued.perform(.cancel())`, and one of another process is asked
  /// for it. A run that none drives, because its program has stopped or died, is recorded as cancelled
  /// without being started; what is left of its steps is stopped first. The cancel is final: a program that
  /// starts does not resume the run. A run that was cancelled already stays so.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - requester: Who makes the request, for the record.
  /// - Returns: What the run does now; it may not have happened yet.
  /// - Throws: ``HostError/unknownRun(_:)`` if there is no such run, ``HostError/hasEnded(_:_:)`` if it
  ///   has ended in another way, and ``HostError/failed(_:)`` if the process that drives it cannot be
  ///   reached.
  @discardableResult
  public func cancel(
    _ id: RunID, by requester: Requester = .api
  ) async throws(HostError) -> InterventionAnswer {
    do {
      return try await cancelAsRecorded(id, by: requester)
    } catch let error as HostError {
      throw error
    } catch let error as JournalError where error.isOfUnknownRun {
      throw HostError(error, of: id)
    } catch {
      // It may have ended in the meantime, or another process may have taken it.
      _ = await journal.statusAfterEnd(of: id)
    }
    do { return try await cancelAsRecorded(id, by: requester) } catch {
      throw HostError(error, of: id)
    }
  }

  private func cancelAsRecorded(
    _ id: RunID, by requester: Requester
  ) async throws -> InterventionAnswer {
    if let queued = run(id) { return try await queued.perform(.cancel(), by: requester) }
    let record = try await blocking { [journal] in
      if try journal.run(with: id).endedAt == nil { try journal.recoverRuns() }
      return try journal.run(with: id)
    }
    switch record.status {
    case .queued, .running:
      return try await LiveRequest(.run(.cancel(), by: requester), of: record, in: journal).answer()
    case .interrupted:
      let moved = record.moved(to: journal.directory)
      let stopped = try await InterruptedRun(moved, in: journal, settings: settings)
        .cancel(isKilled: false, by: requester, say: say)
      return InterventionAnswer("the run is cancelled", steps: stopped.isEmpty ? nil : stopped)
    case .cancelled: return InterventionAnswer("the run was cancelled")
    case let status: throw HostError.hasEnded(id, status)
    }
  }
}
