// Shows a run that has ended from its record, with the keys of a display that stays: for `top`.

import CombineOperators
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

/// A run that has ended, and its record.
struct EndedRun {
  /// The number of lines that are shown of the step that failed first.
  private static let linesMax = 20

  private let record: RunRecord
  private let journal: Journal

  init(_ record: RunRecord, _ journal: Journal) {
    self.record = record
    self.journal = journal
  }

  /// Shows the run until its user leaves it or the task is cancelled.
  ///
  /// - Parameter adapt: Changes what the keys do; its second argument leaves the run.
  /// - Returns: What the user wants next.
  /// - Throws: ``JournalError`` if the record cannot be read.
  func show(
    _ adapt: (inout DisplayControls, _ leave: @escaping @Sendable () -> Void) -> Void
  ) async throws -> DisplayEnding {
    let events = try await blocking { () throws -> [Event] in try self.events() }
    let shown = Mutex(ProgressDisplay?.none)
    let leave: @Sendable () -> Void = { shown.withLock { $0 }?.leave() }
    var controls = DisplayControls(outputClosed: leave)
    controls.openFiles(of: journal, workflow: record.request.workflowFile)
    if let file = record.request.workflowFile {
      controls.place = { workflowPlace(ofStep: $0, in: file) }
    }
    // Without its folder, the run can be read but not resumed, which that says then.
    if (try? enterFolder(of: record, in: journal)) != nil { controls.previewResumes(of: journal) }
    adapt(&controls, leave)
    let display = ProgressDisplay(
      style: .tree, environment: inheritedEnvironment(), controls: controls)
    shown.withLock { $0 = display }
    defer { shown.withLock { $0 = nil } }
    display.attach(to: events.publisher)
    return await withTaskCancellationHandler {
      await display.finish()
    } onCancel: {
      leave()
    }
  }

  /// The recorded events, with the last lines of the step that failed first, which are in its log.
  private func events() throws -> [Event] {
    var events = try journal.events(of: record)
    let state = try RunState(events, of: record.id)
    guard let failure = state.firstFailure else { return events }
    let step = state.steps[failure].id
    let end = events.lastIndex { event in
      if case .step(step, _, .failed) = event.kind { true } else { false }
    }
    guard let end, case .step(_, let attempt, _) = events[end].kind else { return events }
    var bytes: [UInt8] = []
    var selection = LogSelection(step: step, hasTimestamps: false)
    selection.tail = Self.linesMax
    var copy = LogCopy(of: record, selection, in: journal, isTerminal: false) {
      bytes += $0
      return true
    }
    _ = try copy.copyNew()
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    let output = lines.dropLast(lines.last == "" ? 1 : 0).map { line in
      var event = events[end]
      event.kind = .step(
        step, attempt: attempt, .output(.standardOutput, text: String(line), isPartial: false))
      return event
    }
    events.insert(contentsOf: output, at: end)
    return events
  }
}
