// The comparison of two runs, or of two generations of a run.

package import Reprise
import RepriseJournal
package import RepriseTerminal

/// What differs between two runs.
package struct Comparison: Encodable {
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

    /// The state and the time as text.
    fileprivate var words: String {
      if let notRun { return "not run: \(notRun)" }
      guard let seconds else { return state }
      return "\(state) \(durationText(.seconds(seconds)))"
    }
  }

  struct Step: Encodable {
    let step: String
    let a: Side?
    let b: Side?
    let added: Double?

    /// Whether the states differ, or the times by more than chance.
    fileprivate var isDifferent: Bool {
      let states = [a, b].map { $0.map { $0.notRun ?? $0.state } }
      return states[0] != states[1] || abs(added ?? 0) >= Comparison.leastSeconds
    }

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
  package struct Subject {
    fileprivate let run: RunReport
    fileprivate let generation: Int
    fileprivate let source: String

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - generation: The generation at whose end it is compared.
    ///   - source: The text of the workflow file by which that generation ran.
    package init(_ run: RunReport, generation: Int, source: String) {
      self.run = run
      self.generation = generation
      self.source = source
    }

    fileprivate var sides: [String: Side] {
      var sides: [String: Side] = [:]
      if generation == run.state.generation {
        for step in run.state.steps {
          sides[step.id] = Side(
            state: step.phase.codedName, notRun: run.state.reasonNotRun(of: step),
            seconds: step.seconds, attempt: step.attempt, started: step.startedAt)
        }
        return sides
      }
      for past in run.history.generations where past.number <= generation {
        for attempt in past.attempts {
          sides[attempt.step] = Side(
            state: attempt.phase.codedName,
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

  /// The least difference of the times of a step that is shown, in seconds.
  private static let leastSeconds = 0.1

  /// The runs in words.
  private let titles: [TerminalSafe]
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

  /// Compares two runs.
  ///
  /// Linear in the number of steps, and quadratic in that of different lines of their files, of which more
  /// than 20,000 are not compared.
  package init(_ first: Subject, _ second: Subject) {
    a = first.run.line
    b = second.run.line
    titles = [first, second].map { subject in
      let record = subject.run.record
      let generation =
        subject.generation == subject.run.state.generation
        ? "" : ", generation \(subject.generation)"
      return "\(record.id) of \(record.request.workflow)\(generation)"
    }
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

  /// The comparison as text: what differs, the largest differences first.
  package var text: TerminalSafe {
    let rows = steps.filter(\.isDifferent).map { step in
      let added = step.added.map { seconds in
        (seconds < 0 ? "-" : "+") + durationText(.seconds(abs(seconds)))
      }
      return [step.step, step.a?.words ?? "not there", step.b?.words ?? "not there", added ?? ""]
    }
    var parts: [TerminalSafe] = ["a: run \(titles[0])\nb: run \(titles[1])"]
    if !rows.isEmpty { parts.append(aligned([["STEP", "A", "B", ""]] + rows)) }
    let same = steps.count - rows.count
    if same > 0 {
      parts.append(
        "\(same) \(same == 1 ? "step has" : "steps have") no difference worth mentioning")
    }
    for (title, values) in [("parameters", params), ("outputs", outputs)] where !values.isEmpty {
      let lines = values.map { value -> TerminalSafe in
        let name = (value.step.map { $0 + "." } ?? "") + value.name
        return "  \(name): \(Self.shown(value.a)) → \(Self.shown(value.b))"
      }
      parts.append("\(title):\n" + lines.joined(separator: "\n"))
    }
    if let source {
      let changed = source.filter { $0.kind != "same" }
      let lines = changed.map { "\($0.kind == "added" ? "+" : "-") \($0.text)" as TerminalSafe }
      parts.append("workflow file:\n" + lines.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }

  private static func shown(_ value: String?) -> String {
    guard let value else { return "(none)" }
    return String(value.split(separator: "\n").first ?? "")
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

extension StepState {
  /// The duration of the last attempt; nil if it has not ended.
  package var seconds: Double? {
    guard let startedAt, let endedAt else { return nil }
    return (endedAt - startedAt) / .seconds(1)
  }
}
