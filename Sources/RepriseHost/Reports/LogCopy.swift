// Copies what the steps of a run have written, and goes on where it was.

import Platform
import Reprise
package import RepriseJournal
import RepriseTerminal

/// A copy of the output of a run, or of one of its steps.
package struct LogCopy {
  /// Why a copy ends.
  package enum End: Sendable {
    /// What is written is not read any more.
    case stopped
  }

  private let record: RunRecord
  private let step: String?
  private let journal: Journal
  private let isTerminal: Bool
  private let write: ([UInt8]) -> Bool
  private var steps: [String]?
  private var offsets: [String: Int64] = [:]

  /// Prepares a copy.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - step: The id of the step; all steps when nil, each line with the name of its step.
  ///   - journal: Where it is recorded.
  ///   - isTerminal: Whether a terminal shows the copy.
  ///   - write: Writes bytes; false when they are not read any more.
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

  /// Whether the run had begun by the last copy: before, its steps are not known.
  package var hasBegun: Bool { steps != nil }

  /// Copies what is new.
  ///
  /// - Returns: Why nothing more is to be copied; nil where more may come.
  /// - Throws: ``Problem`` when there is no such step, or the run cannot be read.
  package mutating func takeNew() throws(Problem) -> End? {
    if steps == nil { steps = try findSteps() }
    for log in journal.directory.logs(of: record.id, steps: steps ?? []) {
      guard copy(log, from: &offsets[log.path, default: 0]) else { return .stopped }
    }
    return nil
  }

  /// The steps to be shown; nil while the run has not begun, since they are not known then.
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
        "error: the run \(record.id) has no step \"\(step)\"; it has: "
          + steps.prefix(20).map { TerminalSafe($0) }.joined(separator: ", "))
    }
    return [step]
  }

  /// How much of a line is waited for: what is longer was not written by a step, and comes in pieces.
  private static let lineBytesMax = 1 << 20

  /// Copies what is new in a log to standard output; false when nobody reads it.
  private func copy(_ log: LogFile, from offset: inout Int64) -> Bool {
    guard let file = try? OpenFile(log.path, options: [.noFollow]) else { return true }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var pending: [UInt8] = []
    while let count = try? file.readOnce(at: offset, into: &buffer), count > 0 {
      offset += Int64(count)
      let lineFeed = buffer[..<count].lastIndex(of: UInt8(ascii: "\n"))
      let end = lineFeed.map { pending.count + $0 + 1 }
      pending += buffer[..<count]
      // Whole lines only; the writer writes no others, and none that is so long.
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
