// The comparison of two runs, or of two generations of a run.

import Reprise
import RepriseHost
import RepriseJournal

/// What differs between two runs.
struct Comparison: Encodable {
  struct Side: Encodable {
    let state: String
    var notRun: String?
    let seconds: Double?
    let attempt: Int
    let started: Timestamp?

    private enum CodingKeys: String, CodingKey {
      case state, seconds, attempt, started
      case notRun = "not-run"
    }
  }

  struct Step: Encodable {
    let step: String
    let a: Side?
    let b: Side?
    let added: Double?

    /// How much has changed: another state counts more than any time.
    fileprivate var change: Double {
      if let a, let b, a.state != b.state { return .infinity }
      return abs(added ?? 0)
    }
  }

  struct Value: Encodable {
    var step: String?
    let name: String
    let a: String?
    let b: String?
  }

  struct Line: Encodable {
    let kind: String
    let text: String
  }

  /// A run at the end of one of its generations.
  struct Subject {
    let run: FollowedRun
    let generation: Int
    let source: String

    fileprivate var sides: [String: Side] {
      var sides: [String: Side] = [:]
      if generation == run.state.generation {
        for step in run.state.steps {
          sides[step.id] = Side(
            state: step.phase.name, notRun: run.state.reasonNotRun(of: step),
            seconds: step.seconds, attempt: step.attempt, started: step.startedAt)
        }
        return sides
      }
      for past in run.history.generations where past.number <= generation {
        for attempt in past.attempts {
          sides[attempt.step] = Side(
            state: attempt.phase.name,
            seconds: attempt.endedAt.map { ($0 - attempt.startedAt) / .seconds(1) },
            attempt: attempt.number, started: attempt.startedAt)
        }
      }
      return sides
    }

    fileprivate var outputs: [String: [String: String]] {
      var outputs: [String: [String: String]] = [:]
      for past in run.history.generations where past.number <= generation {
        for attempt in past.attempts {
          if case .succeeded(let values) = attempt.phase { outputs[attempt.step] = values }
        }
      }
      return outputs
    }
  }

  private let a: RunLine
  private let b: RunLine
  private let steps: [Step]
  private let params: [Value]
  private let outputs: [Value]
  private let firstDifferent: String?
  private let source: [Line]?

  private enum CodingKeys: String, CodingKey {
    case a, b, steps, params, outputs, source
    case firstDifferent = "first-different"
  }

  init(_ first: Subject, _ second: Subject) {
    a = first.run.report.line
    b = second.run.report.line
    let (left, right) = (first.sides, second.sides)
    let order = second.run.state.steps.map(\.id) + first.run.state.steps.map(\.id)
    var seen: Set<String> = []
    let ids = order.filter { seen.insert($0).inserted }
    let unsorted = ids.filter { left[$0] != nil || right[$0] != nil }.map { id in
      let added = left[id]?.seconds.flatMap { before in right[id]?.seconds.map { $0 - before } }
      return Step(step: id, a: left[id], b: right[id], added: added)
    }
    steps = unsorted.enumerated().sorted { one, other in
      let (x, y) = (one.element.change, other.element.change)
      return x == y ? one.offset < other.offset : x > y
    }.map(\.element)
    params = Self.differing(
      first.run.record.request.parameters, second.run.record.request.parameters)
    let (before, after) = (first.outputs, second.outputs)
    outputs = ids.flatMap { id in
      Self.differing(before[id] ?? [:], after[id] ?? [:]).map { value in
        Value(step: id, name: value.name, a: value.a, b: value.b)
      }
    }
    let differs = Set(outputs.compactMap(\.step))
    let planned = second.run.state.plan?.steps.map(\.id) ?? ids
    firstDifferent = planned.first(where: differs.contains)
    source = first.source == second.source ? nil : Self.lines(first.source, second.source)
  }

  private static func differing(
    _ a: [String: String], _ b: [String: String]
  ) -> [Value] {
    Set(a.keys).union(b.keys).sorted().filter { a[$0] != b[$0] }.map {
      Value(name: $0, a: a[$0], b: b[$0])
    }
  }

  /// The lines of both texts, in order (Myers, "An O(ND) difference algorithm", 1986, as the
  /// standard library has it).
  private static func lines(_ a: String, _ b: String) -> [Line] {
    let old = a.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let new = b.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The algorithm is quadratic in the number of differences.
    guard old.count + new.count <= 20_000 else { return [] }
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var lines: [Line] = []
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      if left < old.count, removed.contains(left) {
        lines.append(Line(kind: "removed", text: old[left]))
        left += 1
      } else if right < new.count, added.contains(right) {
        lines.append(Line(kind: "added", text: new[right]))
        right += 1
      } else {
        lines.append(Line(kind: "same", text: new[right]))
        left += 1
        right += 1
      }
    }
    return lines
  }
}
