// `reprise prune`: deletes old runs.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete old runs and their output.",
    discussion: """
      Live runs are never deleted; interrupted ones are, and cannot be resumed \
      then. With both options, only runs that match both are deleted.

      EXAMPLES
        reprise prune --keep 20
        reprise prune --older-than 30d --dry-run
      """)

  @Option(help: ArgumentHelp("Keep the newest n runs.", valueName: "n"))
  var keep: Int?

  @Option(
    help: ArgumentHelp(
      "Delete only runs that started longer ago than this, such as 90m, 12h or 30d.",
      valueName: "age"))
  var olderThan: String?

  @Flag(help: "Print what would be deleted without deleting it.")
  var dryRun = false

  @OptionGroup var state: StateOptions

  func validate() throws {
    guard keep != nil || olderThan != nil else {
      throw ValidationError("Select runs to delete with --keep N, --older-than AGE, or both.")
    }
    if let keep, keep < 0 {
      throw ValidationError("--keep must be at least 0, not \(keep).")
    }
    if let olderThan, Duration(workflowText: olderThan) == nil {
      throw ValidationError("--older-than expects an age such as 90m, 12h, 30d, not \(olderThan).")
    }
  }

  func run() async throws {
    let journal = try state.openExistingJournal()
    do {
      let runs = try journal.runs { printError("warning: \($0)") }
      let limit = olderThan.flatMap { Duration(workflowText: $0) }.map {
        SystemClock().now.advanced(by: .zero - $0)
      }
      let chosen = runs.dropFirst(keep ?? 0).filter { run in
        !run.status.isLive && limit.map { run.requestedAt < $0 } ?? true
      }
      var count = 0
      for run in chosen {
        if dryRun {
          printLine(
            "would delete \(run.id) of \(run.request.workflow), \(localTime(run.requestedAt))")
        } else if try journal.remove(run) {
          count += 1
        }
      }
      if !dryRun { try forgetEngines(journal) }
      if !dryRun { printLine("\(countText(count, "run")) deleted") }
    } catch {
      throw Problem(error)
    }
  }

  /// Removes what is left of engines that were submitted, and have ended before they had recorded a run.
  private func forgetEngines(_ journal: Journal) throws(JournalError) {
    // Those first: each has recorded its run by now, or never will.
    let ended = SubmittedEngine.all(in: journal.directory).filter { $0.status == .over }
    guard !ended.isEmpty else { return }
    let recorded = Set(try journal.runs().map(\.id))
    for engine in ended where !recorded.contains(engine.run) { engine.forget(log: true) }
  }
}
