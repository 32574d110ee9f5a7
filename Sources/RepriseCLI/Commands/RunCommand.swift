// `reprise run`: runs a workflow file, shows it, and ends with its status.

public import ArgumentParser
import Reprise
public import RepriseTerminal

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a workflow and show its progress.",
    discussion: """
      On a terminal the steps are shown as a tree that is redrawn in place; elsewhere as plain lines.
      Keys while it runs: r restart from the top, c cancel (twice: kill), l output, ? help.
      Signals: SIGINT, SIGTERM and SIGHUP cancel (a second one kills), SIGUSR1 restarts.

      EXAMPLES
        reprise run coordinator
        reprise run ci.yaml --max-parallel 4 --progress plain
        reprise run release --from publish
        reprise run coordinator --progress json | jq .event
      """)

  @OptionGroup var workflow: WorkflowArgument

  @Option(help: "How progress is shown: auto, tree, plain, json or none.")
  var progress = ProgressStyle.auto

  @Option(help: "How many steps may run at once, whatever the file says.")
  var maxParallel: Int?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Run just these steps, without what they need.", valueName: "id"))
  var only: [String] = []

  @Option(help: ArgumentHelp("Run this step and what depends on it.", valueName: "id"))
  var from: String?

  @Flag(help: "Tell what would run, in which order, and run nothing.")
  var dryRun = false

  @Flag(help: "When a step fails, end with its exit status instead of 1.")
  var passThrough = false

  func validate() throws {
    if let maxParallel, maxParallel < 1 {
      throw ValidationError("--max-parallel takes a number from 1, not \(maxParallel).")
    }
    if !only.isEmpty && from != nil {
      throw ValidationError("--only and --from exclude each other: give one of them.")
    }
  }

  func run() async throws {
    var workflow = try selected(from: try workflow.load())
    workflow.maxParallel = maxParallel ?? workflow.maxParallel
    if dryRun {
      print(DryRun(workflow).text)
      return
    }
    throw await LiveRun(workflow, progress: progress).exitStatus(passesThrough: passThrough)
  }

  private func selected(from workflow: Workflow) throws(Problem) -> Workflow {
    do {
      if let from { return try workflow.selecting(from: from) }
      return only.isEmpty ? workflow : try workflow.selecting(only: only)
    } catch {
      throw Problem("error: \(error)")
    }
  }
}

extension ProgressStyle: ExpressibleByArgument {}
