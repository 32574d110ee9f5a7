// `reprise logs`: what the steps of a run wrote.

import ArgumentParser
import Platform
import Reprise
import RepriseJournal
import RepriseTerminal

struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Print what the steps of a run wrote.",
    discussion: """
      With a step: its output as it is. Without: that of all steps, each line with the name of \
      its step.

      EXAMPLES
        reprise logs @last
        reprise logs @last build | less
        reprise logs @last --follow
      """)

  @OptionGroup var run: RunArgument

  @Argument(help: "The id of a step.")
  var step: String?

  @Flag(name: .shortAndLong, help: "Go on until the run is over.")
  var follow = false

  func run() async throws {
    let (record, journal) = try run.find()
    var steps: [String]?
    var offsets: [String: Int64] = [:]
    while true {
      let isLive = journal.isLive(record.id)
      if steps == nil { steps = try self.steps(of: record, in: journal) }
      if steps == nil, isLive, !follow {
        printError("the run \(record.id) has not begun yet; wait for what it writes with --follow")
      }
      for log in journal.directory.logs(of: record.id, steps: steps ?? []) {
        guard copy(log, from: &offsets[log.path, default: 0]) else { return }
      }
      guard follow && isLive else { return }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// The steps to be shown; nil while the run has not begun, since they are not known then.
  private func steps(of record: RunRecord, in journal: Journal) throws(Problem) -> [String]? {
    let plan: RunPlan?
    do {
      plan = try journal.state(of: record).plan
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
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
    let isTerminal = isTerminal(standardOutput)
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
      guard write(whole, of: log, isTerminal: isTerminal) else { return false }
    }
    offset -= Int64(pending.count)
    return true
  }

  private func write(_ bytes: [UInt8], of log: LogFile, isTerminal: Bool) -> Bool {
    guard step == nil || isTerminal else { return writeAll(bytes, to: 1) }
    let prefix: TerminalSafe = step == nil ? "\(log.step) │ " : ""
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast(bytes.last == UInt8(ascii: "\n") ? 1 : 0).map { line in
        let text = String(decoding: line, as: UTF8.self)
        return prefix.string + (isTerminal ? TerminalSafe(text).string : text) + "\n"
      }
    return writeAll(Array(lines.joined().utf8), to: 1)
  }
}
