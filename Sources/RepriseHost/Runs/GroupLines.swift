// The lines in which runs of this process wait for their turns: only the first of each watches.

import Reprise
import RepriseJournal
import Synchronization

/// The runs of a host that wait for their turns, by group and limit, in the order of their turns.
///
/// A run of a line cannot begin before the one ahead of it: it waits for the same runs, and for that one
/// as well. So only the first one watches the runs of other processes, and notices when one of them dies;
/// the others wait until they are first. Otherwise each run that waits would look at all others
/// whenever one begins or ends. Thread-safe.
final class GroupLines: Sendable {
  fileprivate struct Kind: Hashable {
    let group: String
    let limit: Int
  }

  private struct Line {
    var places: [Place] = []
    let passed = PassedTurns()
    /// Keeps the folder watched from one run to the next.
    var changes: FolderChanges?

    /// The number of places with turns before a given one.
    func count(before turn: Int64) -> Int {
      var (low, high) = (0, places.count)
      while low < high {
        let middle = (low + high) / 2
        if places[middle].turn < turn { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private let lines = Mutex<[Kind: Line]>([:])

  /// Adds a run to its line; pair it with ``leave(_:)``.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - concurrency: Its group.
  /// - Returns: Its place, and the run directly ahead of it in the line, if any.
  func join(_ run: RecordedRun, _ concurrency: Concurrency) -> (Place, ahead: RunID?) {
    let kind = Kind(group: concurrency.group, limit: concurrency.limit)
    return lines.withLock { lines in
      var line = lines.removeValue(forKey: kind) ?? Line()
      let place = Place(run, kind, line.passed)
      let index = line.count(before: run.turn)
      let ahead = index > 0 ? line.places[index - 1].id : nil
      line.places.insert(place, at: index)
      lines[kind] = line
      return (place, ahead)
    }
  }

  /// Removes a run that begins, or waits no longer.
  func leave(_ place: Place) {
    let (next, _) = lines.withLock { lines -> (Place?, Line?) in
      guard var line = lines.removeValue(forKey: place.kind) else { return (nil, nil) }
      let index = line.count(before: place.turn)
      line.places.remove(at: index)
      // Released after the lock: the end of a watch waits for its events.
      guard !line.places.isEmpty else { return (nil, line) }
      lines[place.kind] = line
      return (index == 0 ? line.places[0] : nil, nil)
    }
    next?.look()
  }

  /// Keeps the watch of the first run of a line for the next one: each new watch reads the folder.
  func keep(_ changes: FolderChanges, for place: Place) {
    lines.withLock { lines in
      if lines[place.kind]?.changes == nil { lines[place.kind]?.changes = changes }
    }
  }

  /// Waits until a run is the first one of its line.
  ///
  /// - Parameters:
  ///   - place: The place of the run.
  ///   - isOver: Returns whether to stop waiting; called after each ``Place/look()``.
  /// - Returns: Whether it is first; false if the wait is over.
  /// - Throws: `CancellationError` if the task is cancelled.
  func isFirst(_ place: Place, unless isOver: () -> Bool) async throws -> Bool {
    var looks = place.looks.makeAsyncIterator()
    while true {
      if isOver() { return false }
      try Task.checkCancellation()
      if lines.withLock({ $0[place.kind]?.places.first === place }) { return true }
      guard await looks.next() != nil else { throw CancellationError() }
    }
  }

  /// The place of a run in its line.
  final class Place: Sendable {
    /// The turns of the group that are over.
    let passed: PassedTurns
    fileprivate let id: RunID
    fileprivate let turn: Int64
    fileprivate let kind: Kind
    fileprivate let looks: AsyncStream<Void>
    private let nextLook: AsyncStream<Void>.Continuation

    fileprivate init(_ run: RecordedRun, _ kind: Kind, _ passed: PassedTurns) {
      (id, turn) = (run.id, run.turn)
      (self.kind, self.passed) = (kind, passed)
      (looks, nextLook) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Makes the run check whether it still waits.
    func look() { nextLook.yield() }
  }
}
