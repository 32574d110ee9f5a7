import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

@testable import RepriseWeb

/// The expected rest of runs whose earlier runs are in a journal.
struct EstimateTests {
  /// A workflow whose steps take about as long in each run.
  private struct World {
    let plan: RunPlan
    let seconds: [Double]
    let slots: Int

    init(using random: inout SeededGenerator) {
      let count = Int.random(in: 8...40, using: &random)
      slots = Int.random(in: 1...6, using: &random)
      seconds = (0..<count).map { _ in Double.random(in: 2...60, using: &random) }
      var steps: [PlannedStep] = []
      for number in 0..<count {
        let needs = (0..<number).filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
        steps.append(PlannedStep(id: "s\(number)", needs: needs.map { "s\($0)" }))
      }
      var plan = RunPlan(workflow: "w", steps: steps)
      plan.maxParallel = slots
      self.plan = plan
    }

    /// What happens in a run, in order: steps start in file order when a slot is free.
    func events(using random: inout SeededGenerator) -> [(second: Double, kind: Event.Kind)] {
      var events: [(second: Double, kind: Event.Kind)] = [(0, .runStarted(plan))]
      var pending = Array(plan.steps.indices)
      var done: Set<String> = []
      var running: [(end: Double, step: Int)] = []
      var now = 0.0
      while !pending.isEmpty || !running.isEmpty {
        for step in pending
        where running.count < slots && plan.steps[step].needs.allSatisfy(done.contains) {
          let id = plan.steps[step].id
          events.append((now, .step(id, attempt: 0, .waiting)))
          events.append((now, .step(id, attempt: 1, .started())))
          let factor = Double.random(in: 0.85...1.15, using: &random)
          running.append((now + seconds[step] * factor, step))
          pending.removeAll { $0 == step }
        }
        guard let first = running.min(by: { $0.end < $1.end }) else { break }
        running.removeAll { $0.step == first.step }
        now = first.end
        done.insert(plan.steps[first.step].id)
        events.append((now, .step(plan.steps[first.step].id, attempt: 1, .succeeded([:]))))
      }
      events.append((now, .runEnded(.succeeded)))
      return events
    }
  }

  private static func record(
    _ events: [(second: Double, kind: Event.Kind)], plan: RunPlan, in journal: Journal
  ) throws -> RunRecord {
    let recorded = try journal.begin(
      RunRequest(workflow: "w", file: "/w.yaml", directory: "/", source: "steps: []"))
    let begin = try journal.run(named: "@last").requestedAt
    try recorded.record(
      events.map { second, kind in
        let kind: Event.Kind = if case .runStarted = kind { .runStarted(plan) } else { kind }
        return Event(
          time: begin.advanced(by: .microseconds(Int64(second * 1e6))), run: recorded.id,
          generation: 1, kind: kind)
      })
    return try journal.run(named: recorded.id.description)
  }

  /// Durations vary by 15 % from run to run, so single estimates cannot be better than that: of 2,000 worlds
  /// 1 in 25 was further off, so that more than 8 of 40 are seen once in 10,000 tests.
  @Test func `at half time 4 of 5 expected rests are within 15 percent of the rest`() throws {
    var random = SeededGenerator.announced()
    var errors: [Double] = []
    for _ in 0..<40 {
      let folder = try TemporaryFolder()
      let journal = try StateDirectory(path: folder.path + "/.reprise")
        .openJournal(process: Int(ProcessInfo.processInfo.processIdentifier))
      let world = World(using: &random)
      for _ in 0..<4 {
        _ = try Self.record(world.events(using: &random), plan: world.plan, in: journal)
      }
      let events = world.events(using: &random)
      let end = try #require(events.last?.second)
      let newest = try journal.run(named: "@last")
      let usual = try journal.usualDurations(like: newest.id)
      var plan = world.plan
      for index in plan.steps.indices {
        plan.steps[index].usualSeconds = usual[plan.steps[index].id].map { $0 / .seconds(1) }
      }
      let record = try Self.record(
        events.filter { $0.second < end / 2 }, plan: plan, in: journal)
      var run = FollowedRun(record)
      _ = try run.readNew(in: journal)
      let half = record.requestedAt.advanced(by: .microseconds(Int64(end / 2 * 1e6)))
      let rest = try #require(run.estimate(at: half)).seconds
      errors.append(abs(rest - end / 2) / (end / 2))
    }
    errors.sort()
    let mean = errors.reduce(0, +) / Double(errors.count)
    #expect(mean < 0.10, "mean \(mean)")
    #expect(errors[errors.count * 4 / 5 - 1] < 0.15, "4 of 5: \(errors)")
  }
}
