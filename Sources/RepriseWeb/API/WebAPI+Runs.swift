// The list of runs, and which of them are asked for.

import Platform
import Reprise
import RepriseHost
import RepriseJournal

extension WebAPI {
  /// The number of runs at a time that are read, and that are read in all, to find some of them.
  private static let (batchSize, scannedMax) = (500, 20_000)

  /// Which runs are listed.
  private struct Selection {
    let workflow: String?
    let status: RunStatus?
    let since: Timestamp?
    let until: Timestamp?

    init(_ request: APIRequest) throws(Refusal) {
      workflow = request.text("workflow")
      status = try request.text("status").map { word throws(Refusal) in
        guard let status = RunStatus(rawValue: word) else {
          throw Refusal(400, "there is no status \"\(abridged(word))\"")
        }
        return status
      }
      func time(_ name: String) throws(Refusal) -> Timestamp? {
        guard let text = request.text(name) else { return nil }
        guard let time = Timestamp(text) else {
          throw Refusal(400, "\(name) must be a time such as 2026-11-20T22:38:27.000000Z")
        }
        return time
      }
      since = try time("since")
      until = try time("until")
    }

    func matches(_ record: RunRecord) -> Bool {
      (status ?? record.status) == record.status
        && until.map { record.requestedAt < $0 } ?? true
        && since.map { record.requestedAt >= $0 } ?? true
    }
  }

  func runs(_ request: APIRequest) async throws -> RunsDocument {
    let limit = min(try request.number("limit") ?? 50, 500)
    guard limit > 0 else { throw Refusal(400, "limit must be at least 1") }
    let selection = try Selection(request)
    var before: Int64?
    if let id = request.text("before") { before = try await record(id).number }
    let first = before
    return try await blocking { [journal] in
      let (records, more) = try Self.found(selection, before: first, limit, in: journal)
      let now = SystemClock().now
      let lines = records.map { record in
        RunLine(
          record, state: record.status == .running ? try? journal.state(of: record) : nil, now: now)
      }
      return RunsDocument(runs: lines, more: more)
    }
  }

  /// Finds the newest runs of a selection, and whether there may be more.
  private static func found(
    _ selection: Selection, before first: Int64?, _ limit: Int, in journal: Journal
  ) throws -> (records: [RunRecord], more: Bool) {
    var found: [RunRecord] = []
    var before = first
    for _ in 0..<(scannedMax / batchSize) {
      let batch = try journal.runs(workflow: selection.workflow, before: before, limit: batchSize)
      for record in batch where selection.matches(record) {
        if found.count == limit { return (found, true) }
        found.append(record)
      }
      guard batch.count == batchSize, let last = batch.last else { return (found, false) }
      // Runs are numbered in the order of their requests.
      if let since = selection.since, last.requestedAt < since { return (found, false) }
      before = last.number
    }
    return (found, true)
  }
}
