// The sleepers of a virtual clock.

import Reprise
import Workflows

/// What waits for moments of virtual time.
struct Timers {
  /// A sleeper.
  struct Entry: Sendable {
    /// The attempt of a step that sleeps; nil for the engine itself.
    let attempt: ObjectIdentifier?
    let wake: @Sendable () -> Void
  }

  private struct Moment: Comparable {
    let time: Timestamp
    let number: Int

    static func < (left: Moment, right: Moment) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }
  }

  private var moments = Heap<Moment>()
  private var entries: [Int: Entry] = [:]
  private var count = 0

  /// The time of the next sleeper; nil if nothing sleeps.
  mutating func nextTime() -> Timestamp? {
    while let moment = moments.smallest {
      if entries[moment.number] != nil { return moment.time }
      moments.popSmallest()
    }
    return nil
  }

  /// Adds a sleeper.
  ///
  /// - Returns: Its number.
  mutating func add(_ entry: Entry, at time: Timestamp) -> Int {
    count += 1
    entries[count] = entry
    moments.insert(Moment(time: time, number: count))
    return count
  }

  /// Removes a sleeper, and returns it if it was asleep.
  mutating func remove(_ number: Int) -> Entry? { entries.removeValue(forKey: number) }

  /// Removes and returns the sleepers whose time has come.
  mutating func takeDue(at now: Timestamp) -> [Entry] {
    var due: [Entry] = []
    while let time = nextTime(), time <= now, let moment = moments.smallest {
      moments.popSmallest()
      if let entry = entries.removeValue(forKey: moment.number) { due.append(entry) }
    }
    return due
  }
}
