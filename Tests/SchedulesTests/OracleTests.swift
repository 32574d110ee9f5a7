// Compares the next moment with a slow oracle that checks months minute by minute.

import Schedules
import TestSupport
import Testing

struct OracleTests {
  /// All minutes of a month and the day before, with the wall time.
  private struct Minutes {
    let start: Int64
    private let offsets: [Int64]
    /// The first minute with another offset, if any.
    var change: Int64? {
      offsets.firstIndex { $0 != offsets[0] }.map { start + Int64($0) * 60 }
    }

    init(start: Int64, count: Int, zone: some ZoneOffsets) {
      self.start = start
      offsets = (0..<count).map { Int64(zone.offset(at: start + Int64($0) * 60)) }
    }

    func wallTime(_ index: Int) -> Int64 { start + Int64(index) * 60 + offsets[index] }

    /// Returns the moments according to cron(8): a skipped fixed time runs after the gap, a
    /// repeated one does not run again, and an expression with a wildcard follows the wall clock.
    func moments(_ expression: NaiveExpression) -> [Int64] {
      var found: [Int64] = []
      var shown: Set<Int64> = []
      for index in offsets.indices {
        let now = wallTime(index)
        var comes = expression.matches(now)
        if expression.isFixedTime {
          if shown.contains(now) { comes = false }
          if index > 0, wallTime(index - 1) + 60 < now {
            for skipped in stride(from: wallTime(index - 1) + 60, to: now, by: 60) {
              comes = comes || (!shown.contains(skipped) && expression.matches(skipped))
            }
          }
          shown.insert(now)
        }
        if comes { found.append(start + Int64(index) * 60) }
      }
      return found
    }
  }

  @Test func `the next moment agrees with a slow oracle`() throws {
    var generator = SeededGenerator.announced()
    let monthsMax = rounds(16, soak: 200)
    var months = 0
    var compared = 0
    var changes = 0
    while months < monthsMax {
      let identifier = try #require(ZoneRules.identifiers.randomElement(using: &generator))
      let zone = try #require(ZoneRules(identifier: identifier))
      // Before 1973 some offsets were not whole minutes.
      var start = Int64.random(in: 1_800_000...68_000_000, using: &generator) * 60
      // Three of four months contain a change, if the zone has one in the following years.
      if !months.isMultiple(of: 4) {
        let change = (0..<240).lazy.map { start + Int64($0) * 14 * 86_400 }
          .first { zone.offset(at: $0) != zone.offset(at: $0 + 14 * 86_400) }
        guard let change else { continue }
        start = change - 3 * 86_400
      }
      months += 1
      let day = 1440
      let minutes = Minutes(start: start - 86_400, count: 32 * day, zone: zone)
      let end = start + 31 * 86_400
      let change = minutes.change
      if change != nil { changes += 1 }
      let near = change.flatMap {
        $0 >= start && $0 < end ? max(start, $0 - 3 * 3600)..<min(end, $0 + 3 * 3600) : nil
      }
      for _ in 0..<4 {
        let text = randomExpression(using: &generator)
        let expression = try CronExpression(text)
        let expected = minutes.moments(NaiveExpression(text)).filter { $0 >= start }
        let found = moments(expression, in: zone, after: start - 1, before: end)
        #expect(found == expected, "\(text) in \(identifier) from \(start)")
        for round in 0..<60 {
          // Half of the starts are in the hours around a change, to cover the second pass.
          let range = round.isMultiple(of: 2) ? near ?? start..<end : start..<end
          let after = Int64.random(in: range, using: &generator)
          guard let next = expected.first(where: { $0 > after }) else { continue }
          #expect(
            expression.next(after: after, in: zone) == next,
            "\(text) in \(identifier) after \(after)")
        }
        compared += expected.count
      }
    }
    print("compared \(compared) moments, \(changes) months with a change")
    #expect(compared > scaled(1000))
    #expect(changes >= monthsMax / 2)
  }

  private func randomExpression(using generator: inout SeededGenerator) -> String {
    let hour = Int.random(in: 0...3, using: &generator)
    let minute = Int.random(in: 0...59, using: &generator)
    let minutes = [
      "*", "*/7", "*/30", "0", "30", "\(minute)", "0-59", "\(minute / 2)-59/4", "1,31",
    ]
    let hours = ["*", "*/2", "\(hour)", "\(hour)", "0-4", "\(hour),\(hour + 20)", "0-23/3", "23"]
    let days = ["*", "*", "*", "*/3", "1-15", "1,31", "\(minute / 2 + 1)", "31"]
    let months = ["*", "*", "*", "1-6", "*/2", "3,4,9-11"]
    let weekdays = ["*", "*", "*", "0", "1-5", "*/2", "6-7", "\(hour + 2)"]
    return [minutes, hours, days, months, weekdays]
      .map { $0.randomElement(using: &generator) ?? "*" }.joined(separator: " ")
  }
}
