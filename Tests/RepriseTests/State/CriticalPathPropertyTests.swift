import TestSupport
import Testing

@testable import Reprise

/// Random records, compared with a search that looks at nothing but their events.
struct CriticalPathPropertyTests {
  private struct Record {
    var needs: [String: [String]] = [:]
    var order: [String] = []
    var main: Set<String> = []
    /// The start and end of the steps that ran.
    var times: [String: (start: Int64, end: Int64)] = [:]

    private func end(_ step: String) -> Int64 { times[step]?.end ?? -1 }

    /// The last end of the needs, through those that did not run; found by trying all of them.
    func before(_ step: String) -> String? {
      var found: Set<String> = []
      func visit(_ id: String) {
        for need in needs[id] ?? [] {
          if times[need] != nil { found.insert(need) } else { visit(need) }
        }
      }
      visit(step)
      if found.isEmpty, !main.contains(step) { found = main.filter { times[$0] != nil } }
      return found.max { end($0) < end($1) }
    }

    var path: [String] {
      var path: [String] = []
      var next = times.keys.max { end($0) < end($1) }
      while let step = next {
        path.insert(step, at: 0)
        next = before(step)
      }
      return path
    }
  }

  private func random(_ source: inout SeededGenerator) throws -> (Record, RunState) {
    var record = Record()
    var events: [(Int64, Event.Kind)] = []
    let count = Int.random(in: 1...12, using: &source)
    let finallyCount = Int.random(in: 0...min(3, count - 1), using: &source)
    var planned: [PlannedStep] = []
    var over: [String: Int64] = [:]
    for position in 0..<count {
      let id = "s\(position)"
      let isMain = position < count - finallyCount
      let candidates = isMain ? record.order : record.order.filter { !record.main.contains($0) }
      let needs = candidates.filter { _ in Int.random(in: 0..<3, using: &source) == 0 }
      record.order.append(id)
      record.needs[id] = needs
      if isMain { record.main.insert(id) }
      planned.append(PlannedStep(id: id, needs: needs))
      let earliest = (isMain ? needs : Array(over.keys)).compactMap { over[$0] }.max() ?? 0
      let waiting = earliest + Int64(position)
      switch Int.random(in: 0..<4, using: &source) {
      case 0:
        over[id] = waiting
        events.append((waiting, .step(id, attempt: 0, .skipped("x", [:]))))
      default:
        let start = waiting + Int64.random(in: 0...50, using: &source)
        let end = start + Int64.random(in: 1...1500, using: &source)
        over[id] = end
        record.times[id] = (start, end)
        events.append((waiting, .step(id, attempt: 0, .waiting)))
        events.append((start, .step(id, attempt: 1, .started())))
        events.append((end, .step(id, attempt: 1, .succeeded([:]))))
      }
    }
    var plan = RunPlan(workflow: "w", steps: planned)
    plan.finallyCount = finallyCount
    var state = RunState()
    let run = RunID()
    let sorted = events.enumerated().sorted {
      ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
    }
    for (time, kind) in [(0, .runStarted(plan))] + sorted.map(\.element) {
      let time = Timestamp(microseconds: time * 1000)
      try state.apply(Event(time: time, run: run, generation: 1, kind: kind))
    }
    return (record, state)
  }

  @Test func `the path of random records is the one that a plain search finds`() throws {
    var source = SeededGenerator.announced()
    for number in 0..<rounds(3000, soak: 300_000) {
      let (record, state) = try random(&source)
      let ends = record.times.values.map(\.end)
      // With equal ends there are several answers.
      guard Set(ends).count == ends.count else { continue }
      let path = state.criticalPath
      #expect(path.map(\.step) == record.path, "record \(number)")
      for link in path {
        let times = try #require(record.times[link.step])
        #expect(link.duration == .milliseconds(times.end - times.start))
      }
      for (before, after) in zip(path, path.dropFirst()) {
        let (first, second) = (record.times[before.step], record.times[after.step])
        #expect(try #require(first).end <= #require(second).start)
      }
    }
  }
}
