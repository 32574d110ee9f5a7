// How long steps usually take, from what earlier runs of the same file have recorded.

package import Reprise
import SQLite

extension Journal {
  /// How many earlier runs are looked at.
  private static let runsMax = 5

  /// How long the steps of a run took in the last successful runs of the same file: the median.
  ///
  /// Linear in the number of events of those few runs.
  ///
  /// - Parameter id: The run.
  /// - Returns: The times by the ids of the steps; steps that never succeeded are missing.
  /// - Throws: ``JournalError``.
  package func usualDurations(like id: RunID) throws(JournalError) -> [String: Duration] {
    let started = Event.StepEvent.started.name
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
