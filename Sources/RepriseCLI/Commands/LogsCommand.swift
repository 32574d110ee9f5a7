// `reprise logs`: prints the output of the steps of a run.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Print the output of the steps of a run.",
    discussion: """
      With a step: its output, unchanged. Without: the output of all steps in order of time, each \
      line with its time and its step, and a mark before each further generation and attempt. Of \
      several items of a matrix, each line begins with its step.

      EXAMPLES
        reprise logs @last
        reprise logs @last build | less
        reprise logs @last --follow --tail 20
        reprise logs @failed --failed
        reprise logs @hello --generation 2 --since 10m
      """)

  @OptionGroup var run: RunArgument

  @Argument(
    help: "The id of a step, or of items of a matrix or foreach: unit, unit[2], unit.mac.",
    completion: .step)
  var step: String?

  @Flag(name: .shortAndLong, help: "Follow the output until the run ends.")
  var follow = false

  @Option(help: ArgumentHelp("Only the output of this generation.", valueName: "n"))
  var generation: Int?

  @Option(help: ArgumentHelp("Only the output of this attempt.", valueName: "n"))
  var attempt: Int?

  @Option(help: ArgumentHelp("Only the last lines.", valueName: "n"))
  var tail: Int?

  @Option(
    help: ArgumentHelp(
      "Only lines written since: an age such as 10m, or a time such as 2026-11-21T03:04:05 (local, "
        + "or UTC with Z).", valueName: "time"))
  var since: String?

  @Flag(help: "Only steps that failed.")
  var failed = false

  @Flag(
    inversion: .prefixedNo, help: "Begin each line with its time. Default: unless a step is given.")
  var timestamps: Bool?

  func validate() throws {
    for (name, value) in [("--generation", generation), ("--attempt", attempt), ("--tail", tail)] {
      let minimum = name == "--tail" ? 0 : 1
      if let value, value < minimum {
        throw ValidationError("\(name) must be at least \(minimum), not \(value).")
      }
    }
    if step != nil, failed { throw ValidationError("A step and --failed cannot be combined.") }
    if let since, time(since) == nil {
      throw ValidationError(
        "--since expects an age such as 10m, or a time such as 2026-11-21T03:04:05, not \(since).")
    }
  }

  private func time(_ text: String) -> Timestamp? {
    LogSelection.since(text, now: SystemClock().now, offset: localTimeOffset)
  }

  func run() async throws {
    let (record, journal, step) = try run.find(withStep: step)
    var selection = LogSelection(step: step, hasTimestamps: timestamps)
    (selection.generation, selection.attempt, selection.tail) = (generation, attempt, tail)
    (selection.since, selection.onlyFailed) = (since.flatMap(time), failed)
    var copy = LogCopy(
      of: record, selection, in: journal, isTerminal: isTerminal(standardOutput),
      write: { writeAll($0, to: standardOutput) })
    if try copy.copyNew() == .stopped { return }
    guard follow else {
      if !copy.hasBegun, journal.isLive(record.id) {
        printError("run \(record.id) has not started yet; wait for its output with --follow")
      }
      return
    }
    let changes = try FolderChanges(ofLiveRunsIn: journal.directory, andOutputOf: record.id)
    _ = try await changes.first { () -> LogCopy.End? in
      // Check before copying, so that output written in the meantime is copied, too.
      let isLive = journal.isLive(record.id)
      let end = try copy.copyNew()
      return isLive ? end : .stopped
    }
  }
}
