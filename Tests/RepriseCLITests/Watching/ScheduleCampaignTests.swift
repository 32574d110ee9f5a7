import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// The promises of the watch of a project with many schedules under SIGKILL.
@Suite(.serialized) struct ScheduleCampaignTests {
  /// With REPRISE_SOAK, 20 schedules of every minute and 50 kills, many of them around the minute.
  @Test func `each moment of each schedule has one run, however the watch is killed`() async throws
  {
    var generator = SeededGenerator.announced()
    let scenario = try Scenario()
    let (workflows, kills) = (rounds(5, soak: 20), rounds(4, soak: 50))
    let isLong = isSoak
    for number in 1...workflows {
      try scenario.write(
        """
        on: { schedule: \(isLong ? "'* * * * *'" : "{ every: 1s }") }
        steps:
          - { id: a, run: echo $REPRISE_RUN_ID >> log\(number) }
          - { id: b, run: sleep 0.\(number % 10) }
        """, to: "workflows/w\(number).yaml")
    }
    let clock = SystemClock()
    let first = Date.now.timeIntervalSince1970
    for _ in 0..<kills {
      let watching = try scenario.start(["watch", "--progress", "none"])
      let toMinute = 60 - Date.now.timeIntervalSince1970.truncatingRemainder(dividingBy: 60)
      // At a random moment, or in the second after the next full minute.
      let delay =
        isLong && toMinute < 12
        ? toMinute + Double.random(in: 0...0.6, using: &generator)
        : Double.random(in: isLong ? 2...9 : 0.5...2.5, using: &generator)
      try await clock.sleep(for: .seconds(delay))
      let victims = KillTests.engineAndGuardian(watching.id)
      let chosen = Int.random(in: 0..<3, using: &generator)
      for (position, victim) in victims.enumerated()
      where chosen == 2 || chosen == position || victims.count == 1 { kill(victim, SIGKILL) }
      // Without its guardian, the watch goes on.
      if chosen == 1, victims.count > 1 { kill(watching.id, SIGKILL) }
      _ = try await watching.end()
    }
    let last = Date.now.timeIntervalSince1970
    let watching = try scenario.start(["watch", "--progress", "none"])
    try await expectEventually("all runs have succeeded") {
      let runs = try scenario.journal().runs()
      return !runs.isEmpty && runs.allSatisfy { $0.status == .succeeded }
    }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    let runs = try scenario.journal().runs().filter { $0.status != .cancelled }
    for number in 1...workflows {
      let times = runs.filter { $0.request.workflow == "w\(number)" }
        .compactMap { $0.request.trigger?.time }.sorted()
      #expect(Set(times).count == times.count, "a moment of w\(number) had two runs: \(times)")
      #expect(!times.isEmpty)
      guard isLong else { continue }
      let expected = stride(
        from: (first / 60).rounded(.up) * 60, through: (last / 60).rounded(.down) * 60, by: 60
      ).map { Timestamp(microseconds: Int64($0) * 1_000_000).description }
      #expect(Set(expected).isSubset(of: times), "w\(number): \(expected) \(times)")
      // A step that has succeeded is not run again.
      let ids = scenario.read("log\(number)").split(separator: "\n")
      #expect(ids.count >= times.count)
    }
  }
}
