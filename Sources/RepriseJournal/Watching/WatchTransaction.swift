// One transaction of a watch.

import Reprise
import SQLite

/// One transaction of a watch: either all its changes are recorded, or none.
///
/// Valid only within the closure that receives it, and on the thread of that closure.
package struct WatchTransaction {
  private let watch: Int64
  private let connection: Connection
  private let journal: Journal
  private let secrets: Secrets

  init(watch: Int64, connection: Connection, journal: Journal, secrets: Secrets) {
    self.watch = watch
    self.connection = connection
    self.journal = journal
    self.secrets = secrets
  }

  /// Records new events.
  ///
  /// - Parameter events: The events, in order.
  /// - Returns: The events with their numbers.
  /// - Throws: ``JournalError``.
  package func accept(_ events: [WatchEvent]) throws(JournalError) -> [WatchEvent] {
    try journal.explaining {
      var recorded = events
      for index in recorded.indices {
        try connection.execute(
          "INSERT INTO watch_event (watch, json) VALUES (?, ?)", watch,
          recorded[index].json(hiding: secrets))
        recorded[index].numbers = [connection.lastInsertedRow]
      }
      let count = events.reduce(0) { $0 + $1.trigger.count }
      try connection.execute(
        "UPDATE watch SET accepted = accepted + ?, folded = folded + ? WHERE number = ?", count,
        count - events.count, watch)
      return recorded
    }
  }

  /// Records an event of a schedule, and the time up to which the schedule has been handled.
  ///
  /// - Parameters:
  ///   - event: The event; nil if the schedule is not due.
  ///   - schedule: The text of the schedule.
  ///   - moment: The time, in seconds since 1970.
  /// - Returns: The event with its number.
  /// - Throws: ``JournalError``.
  package func accept(
    _ event: WatchEvent?, of schedule: String, handledUntil moment: Int64
  ) throws(JournalError) -> WatchEvent? {
    try journal.explaining {
      try connection.execute(
        "INSERT OR REPLACE INTO watch_schedule (watch, schedule, last) VALUES (?, ?, ?)", watch,
        schedule, moment)
    }
    guard let event else { return nil }
    return try accept([event]).first
  }

  /// Records an event for each run of other workflows that has succeeded since the last call.
  ///
  /// - Parameters:
  ///   - workflows: The names of the workflows.
  ///   - event: Creates the event for a run.
  /// - Returns: The events, in the order in which the runs ended.
  /// - Throws: ``JournalError``.
  package func acceptSuccesses(
    of workflows: [String], as event: (_ workflow: String, _ run: String) -> WatchEvent
  ) throws(JournalError) -> [WatchEvent] {
    let rows = try journal.explaining {
      let last = try connection.value("SELECT last_success FROM watch WHERE number = ?", watch)
      let rows = try connection.rows(
        "SELECT success, workflow, id FROM run WHERE success > ? ORDER BY success",
        last.integer ?? 0)
      if let newest = rows.last?["success"].integer {
        try connection.execute("UPDATE watch SET last_success = ? WHERE number = ?", newest, watch)
      }
      return rows
    }
    let events = rows.compactMap { row -> WatchEvent? in
      guard let workflow = row["workflow"].text, workflows.contains(workflow),
        let id = row["id"].text
      else { return nil }
      return event(workflow, id)
    }
    return events.isEmpty ? [] : try accept(events)
  }

  /// Records that an event was dropped.
  ///
  /// - Throws: ``JournalError``.
  package func drop(_ event: WatchEvent) throws(JournalError) {
    try remove(event, counting: "dropped = dropped + 1")
  }

  /// Removes an event from the queue, with the events folded into it.
  func remove(_ event: WatchEvent, counting change: String) throws(JournalError) {
    try journal.explaining {
      for number in event.numbers {
        try connection.execute("DELETE FROM watch_event WHERE number = ?", number)
      }
      try connection.execute(
        "UPDATE watch SET \(change), folded = folded + ? WHERE number = ?",
        max(0, event.numbers.count - 1), watch)
    }
  }
}
