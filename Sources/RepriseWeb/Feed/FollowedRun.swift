// A run that is followed: its recorded events, folded, and what is not recorded of it.

import Reprise
import RepriseHost
import RepriseJournal

/// A run, folded from its recorded events as far as they have been read.
struct FollowedRun: Sendable {
  /// An attempt whose output has grown.
  struct Output: Sendable, Equatable {
    let generation: Int
    let attempt: Int
    /// The ``outputVersion`` at which it has grown.
    let version: Int
  }

  /// The maximum number of events that are kept: a reader that is further behind reads the journal.
  private static let recentMax = 4096

  /// The record of the run.
  var record: RunRecord
  /// The number of events so far.
  private(set) var number = 0
  /// The last ones of them.
  private(set) var recent: [Event] = []
  private(set) var state = RunState()
  private(set) var history = RunHistory()
  /// What the files of its steps have said, once it has ended; nil if they were not watched.
  private(set) var files: RecordedTrace?
  /// The progress of running steps, by step; not recorded.
  var progress: [String: StepProgressReport] = [:]
  /// Counts the changes of ``progress``.
  var progressVersion = 0
  /// The attempts with output since the run is followed, by step.
  var outputs: [String: Output] = [:]
  /// Counts the changes of ``outputs``.
  var outputVersion = 0

  init(_ record: RunRecord) {
    self.record = record
  }

  /// Reads the events that have been recorded since the last call.
  ///
  /// - Parameter journal: The journal with the run.
  /// - Returns: Whether there were any.
  /// - Throws: ``JournalError`` if an event cannot be read, or is invalid.
  mutating func readNew(in journal: Journal) throws(JournalError) -> Bool {
    if files == nil, !record.status.isLive { files = journal.trace(of: record.id) }
    let new = try journal.events(of: record, after: number)
    try state.fold(new, of: record.id)
    for event in new {
      history.apply(event)
      if case .step(let step, _, _) = event.kind, state[step]?.phase.isFinal == true {
        progress[step] = nil
      }
    }
    number += new.count
    recent = Array((recent + new).suffix(Self.recentMax))
    return !new.isEmpty
  }

  /// Returns the events after a position.
  ///
  /// - Parameters:
  ///   - position: A number of events, at most ``number``.
  ///   - journal: The journal, which is read if they are not kept any more; that blocks.
  /// - Returns: The events.
  /// - Throws: ``JournalError``.
  func events(after position: Int, in journal: Journal) throws(JournalError) -> [Event] {
    let count = number - position
    guard count > recent.count else { return recent.suffix(count) }
    return Array(try journal.events(of: record, after: position).prefix(count))
  }

  /// The report on the run.
  var report: RunReport {
    var history = history
    if !record.status.isLive { history.close() }
    var report = RunReport(record, state, history)
    report.files = files
    return report
  }

  /// The expected rest; nil if it is unknown.
  func estimate(at now: Timestamp) -> Estimate? {
    state.expectedRest(at: now, slotCount: Engine.defaultMaxParallel)
      .map { Estimate(seconds: $0 / .seconds(1)) }
  }
}

/// The expected rest of a run.
struct Estimate: Sendable, Encodable {
  let seconds: Double
}

/// The progress that a step has reported.
struct StepProgressReport: Sendable, Encodable {
  /// The part that is done, from 0 to 1.
  let part: Double
  let text: String
}

extension FollowedRun {
  /// Notes the progress and the output of a live event; the rest is in the journal.
  mutating func note(_ event: Event) {
    guard case .step(let step, let attempt, let happened) = event.kind else { return }
    switch happened {
    case .progress(let part, let text):
      progress[step] = StepProgressReport(part: part, text: text)
      progressVersion += 1
    case .output:
      outputVersion += 1
      outputs[step] = Output(
        generation: event.generation, attempt: attempt, version: outputVersion)
    default: break
    }
  }
}
