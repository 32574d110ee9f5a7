// The usual durations of steps, computed from earlier runs of the same file.

package import Reprise
import SQLite

extension Journal {
  /// The number of earlier runs to take into account.
  private static let runsMax = 5

  /// Returns the median durations of the steps in the last successful runs of the same file.
  ///
  /// Linear in the number of events of those runs.
  ///
  /// - Parameter id: The id of the run.
  /// - Returns: The durations by step id, without steps that never succeeded; see ``UsualDurations``.
  /// - Throws: ``JournalError``.
  package func usualDurations(like id: RunID) throws(JournalError) -> [String: Duration] {
    let kinds = UsualDurations.Change.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT event.run, event.step, event.kind, event.time FROM event
          WHERE event.kind IN (\(kinds)) AND event.run IN (
            SELECT other.number FROM run AS this JOIN run AS other
              ON other.file = this.file AND other.number < this.number
            WHERE this.id = ?1 AND other.outcome = 'succeeded'
            ORDER BY other.number DESC LIMIT \(Self.runsMax))
          ORDER BY event.run, event.number
          """, id.description)
      }
    }
    var durations = UsualDurations()
    var run: Int64?
    for row in rows {
      if row[0].integer != run { durations.beginRun() }
      run = row[0].integer
      guard let change = row[2].text.flatMap(UsualDurations.Change.init), let time = row[3].integer
      else { continue }
      durations.add(change, of: row[1].text, at: time)
    }
    return durations.medians
  }
}

/// The usual durations of steps: medians of the successful attempts of several runs.
///
/// A step whose items are computed has the time from then to the end of its last item. Its items share
/// theirs, by the id of their template, such as `test[*]`. What was in progress while its run had no engine
/// does not count, nor does the time that a step waits for approval.
package struct UsualDurations {
  /// The events that matter, by their names.
  package enum Change: String, CaseIterable {
    case started = "step-started"
    case awaitingApproval = "step-waiting"
    case succeeded = "step-succeeded"
    case resumed = "run-resumed"
  }

  private var times: [String: [Int64]] = [:]
  private var starts: [String: Int64] = [:]
  private var ends: [String: Int64] = [:]
  /// The end of the last item of steps with items.
  private var itemEnds: [String: Int64] = [:]

  /// Creates what is known before any run.
  package init() {}

  /// Begins the next run.
  package mutating func beginRun() {
    for (step, end) in ends {
      guard let start = starts[step] else { continue }
      if let last = itemEnds[step] {
        add(max(0, last - end), to: Self.template(of: step))
      } else {
        add(end - start, to: step)
        let template = Self.template(of: step)
        if template != step { add(end - start, to: template) }
      }
    }
    (starts, ends, itemEnds) = ([:], [:], [:])
  }

  /// Adds the next event of the run.
  ///
  /// - Parameters:
  ///   - change: What happened.
  ///   - step: The id of the step; nil for an event of the run.
  ///   - time: The time in microseconds.
  package mutating func add(_ change: Change, of step: String?, at time: Int64) {
    switch (change, step) {
    case (.resumed, _):
      starts = starts.filter { ends[$0.key] != nil }
    case (.started, let step?):
      starts[step] = time
      ends[step] = nil
    case (.awaitingApproval, let step?):
      // Before its work, nothing has started; after it, this is the end.
      if starts[step] != nil, ends[step] == nil { ends[step] = time }
    case (.succeeded, let step?):
      if ends[step] == nil { ends[step] = time }
      for position in step.indices where step[position] == "[" {
        itemEnds[String(step[..<position])] = time
      }
    case (_, nil): break
    }
  }

  /// The medians by id.
  package var medians: [String: Duration] {
    var all = self
    all.beginRun()
    return all.times.mapValues { .microseconds($0.sorted()[$0.count / 2]) }
  }

  private mutating func add(_ time: Int64, to step: String) {
    times[step, default: []].append(time)
  }

  /// Returns the id of a step in the template of its items: `a[*]/b` for `a[x]/b`.
  private static func template(of step: String) -> String {
    var result = ""
    var isInside = false
    for character in step {
      if character == "]" { isInside = false }
      if !isInside { result.append(character) }
      if character == "[" {
        isInside = true
        result.append("*")
      }
    }
    return result
  }
}
