// Copies the recorded output of the steps of a run incrementally, in order of time.

import Platform
import Reprise
package import RepriseJournal
import RepriseTerminal

/// A copy of the output of a run, or of one of its steps.
///
/// Memory is bounded: a piece of output is read when it is its turn, in chunks.
package struct LogCopy {
  /// The reason why copying stops.
  package enum End: Sendable {
    /// The output has been closed.
    case stopped
  }

  private let record: RunRecord
  private var selection: LogSelection
  private let journal: Journal
  private var text: LogText
  private var history = RunHistory()
  private var steps: [String]?
  private var cursors: [String: LogCursor] = [:]

  /// Creates a copy that has copied nothing yet.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - selection: The output to copy.
  ///   - journal: The journal of the run.
  ///   - isTerminal: Whether the output is a terminal.
  ///   - write: Writes bytes; returns false if the output has been closed.
  package init(
    of record: RunRecord, _ selection: LogSelection, in journal: Journal, isTerminal: Bool,
    write: @escaping ([UInt8]) -> Bool
  ) {
    self.record = record
    self.selection = selection
    self.journal = journal
    text = LogText(selection, isTerminal: isTerminal, write: write)
  }

  /// Whether the run had started at the last copy; before that, its steps are unknown.
  package var hasBegun: Bool { steps != nil }

  /// Copies the output written since the last call.
  ///
  /// - Returns: The reason to stop; nil if more may follow.
  /// - Throws: ``Problem`` if there is no such step, or the run cannot be read.
  package mutating func copyNew() throws(Problem) -> End? {
    if steps == nil {
      steps = try findSteps()
      if steps != nil, let lines = selection.tail { text.linesToSkip = try lineCount() - lines }
    }
    guard steps != nil else { return nil }
    return try copyPieces() ? nil : .stopped
  }

  /// Returns the steps to show; nil before the run starts, since they are unknown then.
  private mutating func findSteps() throws(Problem) -> [String]? {
    try readHistory()
    guard let plan = history.plan else { return nil }
    let steps = plan.steps.map(\.id)
    // A step that was removed from the file before a resume is in the history only.
    let known = Set(steps)
    var removed: [String] = []
    for attempt in history.generations.flatMap(\.attempts)
    where !known.contains(attempt.step) && !removed.contains(attempt.step) {
      removed.append(attempt.step)
    }
    guard let step = selection.step else {
      return selection.onlyFailed ? try failedSteps() : steps + removed
    }
    if known.contains(step) || removed.contains(step) { return [step] }
    let items = plan.ids(ofItems: step)
    guard !items.isEmpty else {
      throw Problem(
        "error: run \(record.id) has no step \"\(step)\"; its steps are: "
          + steps.prefix(20).map { TerminalSafe($0) }.joined(separator: ", "))
    }
    // Of several, each line begins with the step.
    if items.count > 1 { (selection.step, text.selection.step) = (nil, nil) }
    return items
  }

  /// Returns the steps whose last attempt has failed, in the selected generation or at all.
  private func failedSteps() throws(Problem) -> [String] {
    var last: [String: StepPhase] = [:]
    var order: [String] = []
    for attempt in history.generations.flatMap({ generation in
      selection.generation.map { $0 == generation.number } ?? true ? generation.attempts : []
    }) {
      if last.updateValue(attempt.phase, forKey: attempt.step) == nil { order.append(attempt.step) }
    }
    let failed = order.filter { if case .failed = last[$0] { true } else { false } }
    guard !failed.isEmpty else {
      throw Problem("error: no step of run \(record.id) has failed")
    }
    return failed
  }

  private mutating func readHistory() throws(Problem) {
    history = RunHistory()
    do {
      for event in try journal.events(of: record) { history.apply(event) }
    } catch {
      throw Problem(error)
    }
  }

  /// Returns the number of lines of the selection.
  private func lineCount() throws(Problem) -> Int {
    var copy = self
    copy.text = LogText(selection, isTerminal: false) { _ in true }
    _ = try copy.copyPieces()
    return copy.text.lineCount
  }

  /// Copies the pieces of all logs in order of time; returns false if the output has been closed.
  private mutating func copyPieces() throws(Problem) -> Bool {
    var queue = LogQueue()
    for log in journal.directory.logs(of: record.id, steps: steps ?? [])
    where selection.includes(log) {
      var cursor = cursors[log.path] ?? LogCursor(log, hasTimes: selection.needsTimes)
      cursor.log = log
      if let piece = cursor.next() { queue.add(cursor, piece, startedAt: start(of: log)) }
      cursors[log.path] = cursor
    }
    while let (first, piece, time) = queue.popFirst() {
      var cursor = first
      let log = cursor.log
      if selection.since.map({ time < $0 }) ?? false {
        cursor.skip(piece)
      } else {
        if log.generation > history.generations.count { try readHistory() }
        text.begin(log, history, at: time, leftOut: piece.leftOut)
        var isOpen = true
        let isOver = cursor.read(piece) { [selection] lines in
          isOpen = text.add(lines, of: log, at: selection.hasTimestamps ? time : nil)
          return isOpen
        }
        guard isOpen else { return false }
        guard isOver else {
          cursors[log.path] = cursor
          continue
        }
      }
      if let next = cursor.next() { queue.add(cursor, next, startedAt: time) }
      cursors[log.path] = cursor
    }
    return text.flush()
  }

  /// Returns the start of an attempt, for runs recorded without the times of their output.
  private func start(of log: LogFile) -> Timestamp {
    let generation = history.generations.first { $0.number == log.generation }
    return generation?.attempts.first { $0.step == log.step && $0.number == log.attempt }?.startedAt
      ?? generation?.startedAt ?? record.requestedAt
  }
}

/// The next piece of each log, in order of generation and time.
private struct LogQueue {
  private struct Item: Comparable {
    let cursor: LogCursor
    let piece: LogPiece
    let time: Timestamp

    private var key: (Int, Timestamp) { (cursor.log.generation, time) }

    static func < (one: Item, other: Item) -> Bool { one.key < other.key }
    static func == (one: Item, other: Item) -> Bool { one.key == other.key }
  }

  private var items = Heap<Item>()

  /// Adds the next piece of a log.
  ///
  /// - Parameters:
  ///   - cursor: The position in the log.
  ///   - piece: The piece.
  ///   - startedAt: The time of the piece if none is recorded.
  mutating func add(_ cursor: LogCursor, _ piece: LogPiece, startedAt: Timestamp) {
    items.insert(Item(cursor: cursor, piece: piece, time: piece.time ?? startedAt))
  }

  /// Removes and returns the earliest piece.
  mutating func popFirst() -> (LogCursor, LogPiece, Timestamp)? {
    items.popSmallest().map { ($0.cursor, $0.piece, $0.time) }
  }
}
