// Tests of the order in which contestants run, and of the table.

import BenchmarkKit
import Testing

/// The contestants that ran, in order; a campaign runs everything on the calling thread.
private final class Log {
  var names: [String] = []

  func contestant(_ name: String, runsOnce: Bool = false, wall: Double) -> Contestant {
    Contestant(name, runsOnce: runsOnce) {
      self.names.append(name)
      return [.wall: wall]
    }
  }
}

private func campaign(rounds: Int) -> Campaign {
  Campaign(
    programs: Programs(reprise: "reprise", package: "package"), rounds: rounds, isQuick: false)
}

@Suite struct CampaignTests {
  @Test func `contestants take turns after a warm-up, which is the only round of some`() throws {
    let log = UncheckedBox(Log())
    let row = Row("row", "work", bars: [Bar(.wall, .ratio("a", to: "b"), .atMost(0.5))]) { _ in
      [
        log.value.contestant("a", wall: 1), log.value.contestant("b", wall: 2),
        log.value.contestant("slow", runsOnce: true, wall: 9),
      ]
    }
    let judged = try campaign(rounds: 2).measure(row)
    #expect(log.value.names == ["a", "b", "slow", "a", "b", "a", "b"])
    #expect(judged.judgements.map(\.verdict) == [.met])
    #expect(!judged.hasMissed)
  }

  @Test func `a row with a missed bar is missed`() throws {
    let log = UncheckedBox(Log())
    let row = Row("row", "work", bars: [Bar(.wall, .value(of: "a"), .atMost(0.5))]) { _ in
      [log.value.contestant("a", wall: 1)]
    }
    #expect(try campaign(rounds: 1).measure(row).hasMissed)
  }

  @Test func `a bar without values is an error, not a met bar`() {
    let row = Row("row", "work", bars: [Bar(.wall, .value(of: "a"), .atMost(1))]) { _ in [] }
    #expect(throws: Broken.self) { try campaign(rounds: 1).measure(row) }
  }

  @Test func `columns of the table are aligned`() throws {
    let samples: Samples = ["ours": [[.wall: 1]], "other": [[.wall: 2]]]
    let bars = [
      Bar(.wall, .ratio("ours", to: "other"), .below(1)),
      Bar(.wall, .value(of: "other"), .reported),
    ]
    let row = JudgedRow(id: "row", work: "work", judgements: bars.compactMap { $0.judge(samples) })
    #expect(
      table([row]) == """
        | row | figure    | ours           | the other      | result (range) | bar    | verdict |
        | --- | --------- | -------------- | -------------- | -------------- | ------ | ------- |
        | row | wall time | ours: 1.00 ms  | other: 2.00 ms | × 0.50 (once)  | < 1.00 | met     |
        |     | wall time | other: 2.00 ms |                | 2.00 ms (once) |        | –       |

        """)
  }

  @Test func `every row has a unique name, a description and bars`() {
    #expect(Set(allRows.map(\.id)).count == allRows.count)
    #expect(allRows.allSatisfy { !$0.bars.isEmpty && !$0.work.isEmpty })
  }
}

// @unchecked: each test uses its box only on its own thread.
private final class UncheckedBox<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
