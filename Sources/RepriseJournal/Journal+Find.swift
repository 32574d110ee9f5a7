// Finds a run by what the user types: an id, a prefix, `@last`, `@failed` or `@WORKFLOW`.

package import Reprise
import SQLite

extension Journal {
  /// Finds a run by name.
  ///
  /// - Parameter name: An id; a unique prefix of an id; `@last` for the last run; `@failed` for the
  ///   last run that failed or timed out; or `@` and the name of a workflow, or of its file, for the
  ///   last run of that workflow. After these, `~N` means the Nth one before it.
  /// - Returns: The run.
  /// - Throws: ``JournalError`` if no run or several runs match.
  package func run(named name: String) throws(JournalError) -> RunRecord {
    guard name.hasPrefix("@") else { return try run(withPrefix: name) }
    let (base, count) = Self.ancestor(name)
    switch base {
    case "@last": return try lastRun(before: count)
    case "@failed": return try lastFailedRun(before: count)
    default: return try lastRun(ofWorkflow: String(base.dropFirst()), before: count)
    }
  }

  /// Returns the run of the same workflow before a run.
  ///
  /// - Parameter run: The run.
  /// - Returns: The run that was requested last before it.
  /// - Throws: ``JournalError`` if there is none.
  package func run(before run: RunRecord) throws(JournalError) -> RunRecord {
    guard let earlier = try runs(workflow: run.workflow, before: run.number, limit: 1).first else {
      throw JournalError("there is no run of \(run.workflow) before \(run.id) to compare it with")
    }
    return earlier
  }

  /// Returns the run that a command means which names none: the newest live one, else the last.
  ///
  /// - Returns: The run, and the other live runs, newest first.
  /// - Throws: ``JournalError`` if there is no run.
  package func obviousRun() throws(JournalError) -> (run: RunRecord, others: [RunRecord]) {
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          "SELECT \(RunRow.columns) FROM run WHERE ended_at IS NULL ORDER BY number DESC")
      }
    }
    var live: [RunRecord] = []
    for row in rows {
      if let run = try? record(row), run.status.isLive { live.append(run) }
    }
    guard let newest = live.first else { return (try lastRun(before: 0), []) }
    return (newest, Array(live.dropFirst()))
  }

  /// Returns a name without `~N` at its end, and N; 0 if it has none.
  private static func ancestor(_ name: String) -> (base: String, count: Int) {
    guard let tilde = name.lastIndex(of: "~"),
      let count = Int(name[name.index(after: tilde)...]), count >= 0
    else { return (name, 0) }
    return (String(name[..<tilde]), count)
  }

  /// Returns the run with an id, which is whole: ids that begin with it are those of other runs.
  ///
  /// - Parameter id: The id.
  /// - Returns: The run.
  /// - Throws: ``JournalError`` if there is no such run.
  package func run(with id: RunID) throws(JournalError) -> RunRecord {
    let row = try explaining {
      try database.read { connection in
        try connection.rows("SELECT \(RunRow.columns) FROM run WHERE id = ?", id.description).first
      }
    }
    guard let row else { throw JournalError.unknown(id) }
    return try record(row)
  }

  /// Returns the newest run that meets an SQL condition; nil if there is none.
  private func lastRun(
    where condition: String, _ argument: String? = nil, before count: Int = 0
  ) throws(JournalError) -> RunRecord? {
    try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(RunRow.columns) FROM run WHERE (\(condition)) AND ?1 IS ?1
          ORDER BY number DESC LIMIT 1 OFFSET ?2
          """, argument, count)
      }
    }.first.map { row throws(JournalError) in try record(row) }
  }

  private func lastRun(before count: Int) throws(JournalError) -> RunRecord {
    guard let run = try lastRun(where: "TRUE", before: count) else {
      if count > 0 { throw Self.tooFar("@last", count, try lastRun(before: 0)) }
      throw JournalError("no run has been recorded in \"\(directory.path)\" yet")
    }
    return run
  }

  private func lastFailedRun(before count: Int) throws(JournalError) -> RunRecord {
    let condition = "outcome IN ('failed', 'timed-out')"
    guard let run = try lastRun(where: condition, before: count) else {
      if count > 0 { throw Self.tooFar("@failed", count, try lastFailedRun(before: 0)) }
      let last = try lastRun(before: 0)
      throw JournalError("no recorded run has failed; the last run is @last, \(last.id)")
    }
    return run
  }

  /// Returns the error that there are fewer runs before one than were asked for.
  private static func tooFar(_ name: String, _ count: Int, _ last: RunRecord) -> JournalError {
    JournalError(
      "there is no run \(name)~\(count): there are fewer before \(name), which is \(last.id)")
  }

  /// Returns the newest run of a workflow, found by its name or else by the name of its file.
  private func lastRun(
    ofWorkflow workflow: String, before count: Int
  ) throws(JournalError) -> RunRecord {
    if let run = try lastRun(where: "workflow = ?1", workflow, before: count) { return run }
    let ofFile = """
      substr(file, -length(?1) - 6) = '/' || ?1 || '.yaml'
        OR substr(file, -length(?1) - 5) = '/' || ?1 || '.yml'
      """
    if let run = try lastRun(where: ofFile, workflow, before: count) { return run }
    if count > 0 {
      throw Self.tooFar("@\(workflow)", count, try lastRun(ofWorkflow: workflow, before: 0))
    }
    let rows = try explaining {
      try database.read { connection in
        try connection.rows("SELECT workflow FROM run GROUP BY workflow ORDER BY max(number) DESC")
      }
    }
    let names = rows.compactMap(\.["workflow"].text)
    guard !names.isEmpty else { return try lastRun(before: 0) }
    let near = nearest(to: workflow, among: names + ["last", "failed"])
    let some = names.prefix(Self.namesMax).map { "@\($0)" }.joined(separator: ", ")
    let rest = names.count - Self.namesMax
    throw JournalError(
      "there is no run of a workflow \"\(workflow)\""
        + (near.map { "; did you mean \"@\($0)\"?" } ?? "")
        + "\n  choose from: @last, @failed, \(some)" + (rest > 0 ? " and \(rest) more" : ""))
  }

  /// The maximum number of workflows that an error lists.
  private static let namesMax = 10

  private func run(withPrefix name: String) throws(JournalError) -> RunRecord {
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(RunRow.columns) FROM run WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1
          ORDER BY id <> ?1, number DESC LIMIT 6
          """, name)
      }
    }
    guard let row = rows.first, !name.isEmpty else {
      let isWorkflow = !name.isEmpty ? try lastRun(where: "workflow = ?1", name) != nil : false
      throw JournalError(
        "there is no run \"\(name)\""
          + (isWorkflow
            ? "; the last run of that workflow is @\(name)"
            : "; use an id of reprise runs, @last, @failed, or @ and the name of a workflow"))
    }
    let ids = rows.compactMap(\.["id"].text)
    guard rows.count == 1 || ids.first == name else {
      throw JournalError(
        "more than one run id starts with \"\(name)\": " + ids.joined(separator: ", "))
    }
    return try record(row)
  }
}
