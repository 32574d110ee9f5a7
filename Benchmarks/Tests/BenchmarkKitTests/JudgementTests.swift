// Tests of judgements: medians, ratios for each round, and every kind of bar.

import BenchmarkKit
import Testing

private func samples(_ ours: [Double], _ other: [Double]) -> Samples {
  ["ours": ours.map { [.wall: $0] }, "other": other.map { [.wall: $0] }]
}

@Suite struct JudgementTests {
  @Test(
    arguments: [
      ([3], 3), ([1, 9], 5), ([9, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([-1, 1, -5], -1),
    ] as [([Double], Double)])
  func `the median is the middle value, or the mean of the two middle values`(
    values: [Double], median: Double
  ) {
    #expect(Spread(values).median == median)
    #expect(Spread(values).least == values.min())
    #expect(Spread(values).most == values.max())
  }

  @Test func `a ratio is computed for each round, so that a slow round affects both`() throws {
    // The medians are 20 and 10; in the second round everything was ten times slower.
    let samples = samples([20, 100, 5], [10, 100, 5])
    let judgement = try #require(
      Bar(.wall, .ratio("ours", to: "other"), .atMost(1.5)).judge(samples))
    #expect(judgement.spread == Spread([2, 1, 1]))
    #expect(judgement.verdict == .met)
    #expect(judgement.result == "× 1.00 (1.00–2.00)")
    #expect(judgement.ours == "ours: 20.0 ms")
    #expect(judgement.other == "other: 10.0 ms")
    #expect(judgement.bar == "≤ 1.50")
  }

  @Test func `a contestant that ran once is compared with every round of the other`() throws {
    let judgement = try #require(
      Bar(.wall, .ratio("ours", to: "other"), .reported).judge(samples([1, 2, 3], [2])))
    #expect(judgement.spread == Spread([0.5, 1, 1.5]))
    #expect(judgement.verdict == .reported)
  }

  @Test(arguments: [
    (Bar.Limit.atMost(2), 2.0, Judgement.Verdict.met), (.atMost(2), 2.001, .missed),
    (.below(2), 2, .missed), (.below(2), 1.999, .met), (.reported, 1e9, .reported),
  ])
  func `the median decides whether a limit is kept`(
    limit: Bar.Limit, value: Double, verdict: Judgement.Verdict
  ) throws {
    let judgement = try #require(
      Bar(.wall, .value(of: "ours"), limit).judge(samples([value, 0, 1e10], [])))
    #expect(judgement.verdict == verdict)
  }

  @Test func `a difference is judged in the unit of its figure`() throws {
    let judgement = try #require(
      Bar(.wall, .difference("ours", from: "other"), .atMost(1))
        .judge(samples([5, 7, 9], [4, 4, 4])))
    #expect(judgement.spread == Spread([1, 3, 5]))
    #expect(judgement.verdict == .missed)
    #expect(judgement.result == "3.00 ms (1.00–5.00)")
  }

  @Test func `zero is below zero, and a positive number is not`() throws {
    let bar = Bar(.wall, .ratio("ours", to: "other"), .below(1))
    #expect(try #require(bar.judge(samples([0], [0]))).verdict == .met)
    #expect(try #require(bar.judge(samples([1], [0]))).verdict == .missed)
  }

  @Test func `there is no verdict without samples`() {
    #expect(Bar(.wall, .value(of: "missing"), .reported).judge(samples([1], [1])) == nil)
    #expect(Bar(.resident, .value(of: "ours"), .reported).judge(samples([1], [1])) == nil)
    #expect(
      Bar(.wall, .ratio("ours", to: "other"), .reported).judge(samples([1], [])) == nil)
  }

  @Test(arguments: [
    (0.0, "0 ms"), (0.001234, "0.00123 ms"), (1.005, "1.00 ms"), (12.34, "12.3 ms"),
    (99.96, "100.0 ms"), (123.4, "123 ms"), (12345, "12345 ms"), (-1.5, "-1.50 ms"),
    (.infinity, "∞ ms"),
  ])
  func `numbers have three significant digits`(value: Double, text: String) {
    #expect(Figure.wall.text(value) == text)
  }
}
