// The live runs of a concurrency group, in the order of their turns.

package import Reprise
import SQLite
import Synchronization

extension Journal {
  /// Returns the live runs of a group with turns before a given one, and those of which steps go on.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - turn: The turn.
  ///   - count: The maximum number of runs, the last ones before the turn.
  ///   - passed: What earlier calls for the same group have found out.
  /// - Returns: The ids of the runs, ordered by turn.
  /// - Throws: ``JournalError``.
  package func liveRuns(
    of group: String, before turn: Int64, last count: Int = .max, passed: PassedTurns? = nil
  ) throws(JournalError) -> [RunID] {
    try explaining {
      try database.read { connection in
        try liveRuns(of: group, in: connection, before: turn, last: count, passed: passed)
      }
    }
  }

  /// Searches from the last run to the first one, and no further than necessary.
  func liveRuns(
    of group: String, in connection: Connection, before turn: Int64 = .max,
    last count: Int = .max, passed: PassedTurns? = nil
  ) throws(SQLiteError) -> [RunID] {
    var (live, end, firstTurn) = ([RunID](), turn, turn)
    while live.count < count {
      let rows = try connection.rows(
        JournalSchema.unendedRunsOfGroup, group, passed?.end ?? .min, end, Self.groupPage)
      for row in rows where live.count < count {
        guard let turn = row[1].integer else { continue }
        end = turn
        guard passed?.contains(turn) != true, let id = row[0].text.flatMap({ RunID($0) })
        else { continue }
        if isAhead(id) {
          live.append(id)
          firstTurn = turn
        } else {
          passed?.insert(turn)
        }
      }
      guard rows.count == Self.groupPage || live.count == count else {
        passed?.setEnd(firstTurn)
        break
      }
    }
    return live.reversed()
  }

  /// The number of rows that are read at a time.
  private static let groupPage = 64

  /// Returns whether a run that is not recorded as ended is live, or steps of it go on.
  ///
  /// Looks at its lock again at last: a process that resumes the run while steps of it go on keeps its
  /// turn, and they may end in between.
  private func isAhead(_ id: RunID) -> Bool { isLive(id) || hasLiveHosts(id) || isLive(id) }
}

/// The turns of a group that are over, so that their runs need not be looked at again.
///
/// The turn of a run that is neither live nor has steps that go on stays over: if the run is resumed, it
/// gets another turn. Use it only as long as a run with a later turn is live: afterwards, the last turns
/// may be used again if their runs are removed. Thread-safe.
package final class PassedTurns: Sendable {
  private struct State {
    var end = Int64.min
    var others: Set<Int64> = []
  }

  private let state = Mutex(State())

  /// Creates an empty set.
  package init() {}

  /// The turn before which all are over.
  var end: Int64 { state.withLock { $0.end } }

  func setEnd(_ end: Int64) {
    state.withLock { state in
      guard end > state.end else { return }
      state.end = end
      state.others = state.others.filter { $0 >= end }
    }
  }

  func contains(_ turn: Int64) -> Bool {
    state.withLock { turn < $0.end || $0.others.contains(turn) }
  }

  func insert(_ turn: Int64) { state.withLock { _ = $0.others.insert(turn) } }
}
