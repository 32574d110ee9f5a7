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
  /// - Returns: The durations by step id, without steps that never succeeded.
  /// - Throws: ``JournalError``.
  package func usualDurations(like id: RunID) throws(JournalError) -> [String: Duration] {
    let started = Event.StepEvent.started().name
    let succeeded = Event.StepEvent.succeeded([:]).name
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT event.step, event.kind, event.time FROM event
          WHERE event.kind IN (?1, ?2) AND event.run IN (
            SELECT other.number FROM run AS this JOIN run AS other
              ON other.file = this.file AND other.number < this.number
            WHERE this.id = ?3 AND other.outcome = 'succeeded'
            ORDER BY other.number DESC LIMIT \(Self.runsMax))
          ORDER BY event.run, event.number
          """, started, succeeded, id.description)
      }
    }
    var startTimes: [String: Int64] = [:]
    var times: [String: [Int64]] = [:]
    for row in rows {
      guard let step = row[0].text,
        let kind = row[1].text,
        let time = row[2].integer
      else { continue }
      if kind == started {
        startTimes[step] = time
      } else if let start = startTimes[step] {
        times[step, default: []].append(time - start)
      }
    }
    return times.mapValues { .microseconds($0.sorted()[$0.count / 2]) }
  }
}
