// The history of a run as a trace, for Perfetto (https://ui.perfetto.dev) and chrome://tracing.

import Reprise
import RepriseJournal
package import RepriseTerminal

/// A trace in the Trace Event Format: one slice for each attempt and one track for each step.
///
/// The first track has the generations. Times are microseconds since the start of the run.
struct RunTrace: Encodable {
  private let traceEvents: [Slice]
  private let displayTimeUnit = "ms"
  private let otherData: [String: String]

  /// Creates the trace of a run.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - history: The history of the run.
  ///   - now: The end of what has not ended.
  init(_ record: RunRecord, _ history: RunHistory, now: Timestamp) {
    let begin = history.generations.first?.startedAt ?? record.requestedAt
    let steps = history.plan?.steps ?? []
    let known = Set(steps.map(\.id))
    // A step that was removed from the file before a resume has a track after the others.
    var removed: [String] = []
    for attempt in history.generations.flatMap(\.attempts)
    where !known.contains(attempt.step) && !removed.contains(attempt.step) {
      removed.append(attempt.step)
    }
    let names = steps.map { $0.name ?? $0.id + ($0.label.map { " (\($0))" } ?? "") } + removed
    let ids = steps.map(\.id) + removed
    let tracks = Dictionary(ids.enumerated().map { ($1, $0 + 1) }) { first, _ in first }

    var slices = [
      Slice(metadata: "process_name", track: 0, "\(record.request.workflow), run \(record.id)"),
      Slice(metadata: "thread_name", track: 0, "generations"),
    ]
    slices += names.enumerated().map { Slice(metadata: "thread_name", track: $0 + 1, $1) }
    slices += (0...names.count).map { Slice(positionOfTrack: $0) }
    traceEvents = slices + Self.spans(history, tracks, from: begin, to: now)
    otherData = [
      "run": record.id.description, "workflow": record.request.workflow,
      "started": begin.description,
    ]
  }

  private static func spans(
    _ history: RunHistory, _ tracks: [String: Int], from begin: Timestamp, to now: Timestamp
  ) -> [Slice] {
    var slices: [Slice] = []
    func span(
      _ name: String, _ category: String, _ track: Int, _ start: Timestamp, _ end: Timestamp?,
      _ arguments: [String: String]
    ) {
      slices.append(
        Slice(
          name: name, cat: category, ph: "X", ts: (start - begin).microseconds,
          dur: ((end ?? now) - start).microseconds, tid: track, args: arguments))
    }
    var earlier: RunHistory.Generation?
    for generation in history.generations {
      let number = String(generation.number)
      span(
        "generation \(number)", "generation", 0, generation.startedAt, generation.endedAt,
        ["beginning": generation.words(after: earlier)])
      for approval in generation.approvals {
        span(
          "awaiting approval", "approval", tracks[approval.step] ?? 0, approval.askedAt,
          approval.answeredAt,
          ["question": approval.text, "answer": approval.answer?.rawValue ?? "none"])
      }
      for attempt in generation.attempts {
        var arguments = [
          "generation": number, "attempt": String(attempt.number), "state": attempt.phase.codedName,
        ]
        if let detail = attempt.phase.detail { arguments["reason"] = detail }
        span(
          attempt.step, attempt.phase.codedName, tracks[attempt.step] ?? 0, attempt.startedAt,
          attempt.endedAt, arguments)
      }
      earlier = generation
    }
    return slices
  }

  /// The trace as JSON.
  var json: TerminalSafe { jsonLine(self) }

  private struct Slice: Encodable {
    var name: String
    var cat: String?
    var ph: String
    var ts: Int64?
    var dur: Int64?
    var pid = 1
    var tid: Int
    var args: [String: String]

    init(
      name: String, cat: String, ph: String, ts: Int64, dur: Int64, tid: Int,
      args: [String: String]
    ) {
      (self.name, self.cat, self.ph, self.ts, self.dur) = (name, cat, ph, ts, dur)
      (self.tid, self.args) = (tid, args)
    }

    init(metadata name: String, track: Int, _ text: String) {
      (self.name, ph, tid, args) = (name, "M", track, ["name": text])
    }

    init(positionOfTrack track: Int) {
      (name, ph, tid) = ("thread_sort_index", "M", track)
      args = ["sort_index": String(track)]
    }
  }
}

extension Duration {
  fileprivate var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}

extension RunReport {
  /// The run as a trace.
  package var trace: TerminalSafe { RunTrace(record, history, now: now).json }
}
