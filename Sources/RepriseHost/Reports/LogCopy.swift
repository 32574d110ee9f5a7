// Copies the recorded output of the steps of a run incrementally.

import Platform
import Reprise
package import RepriseJournal
import RepriseTerminal

/// A copy of the output of a run, or of one of its steps.
package struct LogCopy {
  /// The reason why copying stops.
  package enum End: Sendable {
    /// The output has been closed.
    case stopped
  }

  private let record: RunRecord
  private let step: String?
  private let journal: Journal
  private let isTerminal: Bool
  private let write: ([UInt8]) -> Bool
  private var steps: [String]?
  private var offsets: [String: Int64] = [:]

  /// Creates a copy that has copied nothing yet.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - step: The id of the step; nil for all steps, with each line prefixed with its step.
  ///   - journal: The journal of the run.
  ///   - isTerminal: Whether the output is a terminal.
  ///   - write: Writes bytes; returns false if the output has been closed.
  package init(
    of record: RunRecord, step: String?, in journal: Journal, isTerminal: Bool,
    write: @escaping ([UInt8]) -> Bool
  ) {
    self.record = record
    self.step = step
    self.journal = journal
    self.isTerminal = isTerminal
    self.write = write
  }

  /// Whether the run had started at the last copy; before that, its steps are unknown.
  package var hasBegun: Bool { steps != nil }

  /// Copies the output written since the last call.
  ///
  /// - Returns: The reason to stop; nil if more may follow.
  /// - Throws: ``Problem`` if there is no such step, or the run cannot be read.
  package mutating func copyNew() throws(Problem) -> End? {
    if steps == nil { steps = try findSteps() }
    for log in journal.directory.logs(of: record.id, steps: steps ?? []) {
      guard copy(log, from: &offsets[log.path, default: 0]) else { return .stopped }
    }
    return nil
  }

  /// Returns the steps to show; nil before the run starts, since they are unknown then.
  private func findSteps() throws(Problem) -> [String]? {
    let plan: RunPlan?
    do {
      plan = try journal.state(of: record).plan
    } catch {
      throw Problem(error)
    }
    guard let steps = plan?.steps.map(\.id) else { return nil }
    guard let step else { return steps }
    guard steps.contains(step) else {
      throw Problem(
        "error: run \(record.id) has no step \"\(step)\"; its steps are: "
          + steps.prefix(20).map { TerminalSafe($0) }.joined(separator: ", "))
    }
    return [step]
  }

  /// The maximum length of a line to copy whole; steps never record longer lines.
  private static let lineBytesMax = 1 << 20

  /// Copies new output of a log; returns false if the output has been closed.
  private func copy(_ log: LogFile, from offset: inout Int64) -> Bool {
    guard let file = try? OpenFile(log.path, options: [.noFollow]) else { return true }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var pending: [UInt8] = []
    while let count = try? file.readOnce(at: offset, into: &buffer), count > 0 {
      offset += Int64(count)
      let lineFeed = buffer[..<count].lastIndex(of: UInt8(ascii: "\n"))
      let end = lineFeed.map { pending.count + $0 + 1 }
      pending += buffer[..<count]
      // Copy complete lines only. The writer writes no others, and none that long.
      guard let end = end ?? (pending.count > Self.lineBytesMax ? pending.count : nil) else {
        continue
      }
      let whole = Array(pending[..<end])
      pending.removeFirst(end)
      guard write(whole, of: log) else { return false }
    }
    offset -= Int64(pending.count)
    return true
  }

  private func write(_ bytes: [UInt8], of log: LogFile) -> Bool {
    guard step == nil || isTerminal else { return write(bytes) }
    let prefix: TerminalSafe = step == nil ? "\(log.step) │ " : ""
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast(bytes.last == UInt8(ascii: "\n") ? 1 : 0).map { line in
        let text = String(decoding: line, as: UTF8.self)
        return prefix.string + (isTerminal ? TerminalSafe(text).string : text) + "\n"
      }
    return write(Array(lines.joined().utf8))
  }
}
