// `reprise prune`: forgets old runs.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Forget old runs with all that they wrote.",
    discussion: """
      Live runs are never touched. With both options, only runs that both allow to go are forgotten.

      EXAMPLES
        reprise prune --keep 20
        reprise prune --older-than 30d --dry-run
      """)

  @Option(help: ArgumentHelp("Keep so many of the newest runs.", valueName: "n"))
  var keep: Int?

  @Option(
    help: ArgumentHelp(
      "Only runs that began longer ago, such as 90m, 12h or 30d.", valueName: "age"))
  var olderThan: String?

  @Flag(help: "Tell what would be forgotten, and forget nothing.")
  var dryRun = false

  @OptionGroup var state: StateOptions

  func validate() throws {
    guard keep != nil || olderThan != nil else {
      throw ValidationError("Say which runs may go: --keep N, --older-than AGE, or both.")
    }
    if let keep, keep < 0 {
      throw ValidationError("--keep takes a number from 0, not \(keep).")
    }
    if let olderThan, Duration(workflowText: olderThan) == nil {
      throw ValidationError("--older-than takes an age such as 90m, 12h or 30d, not \(olderThan).")
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
            "would forget \(run.id) of \(run.request.workflow), \(localTime(run.requestedAt))")
        } else if try journal.remove(run) {
          count += 1
        }
      }
      if !dryRun { printLine(count == 1 ? "1 run forgotten" : "\(count) runs forgotten") }
    } catch {
      throw Problem(error)
    }
  }
}
