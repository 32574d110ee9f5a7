// `reprise runners`: what is missing for the runners of a workflow.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseTerminal

struct RunnersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runners",
    abstract: "Show whether the runners of a workflow can be used from here.",
    discussion: """
      EXAMPLE
        reprise runners check coordinator
      """,
    subcommands: [RunnersCheckCommand.self])
}

struct RunnersCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say what is missing on this machine and where steps would run.",
    discussion: """
      Checks each runner that the workflow names or uses: whether its programs are installed, \
      whether a sandbox can be made, an image be found, a machine be reached, or a job be \
      submitted with its settings. Starts no step.

      EXIT STATUS
        0    all can be used
        1    something is missing
        2    the command line or the workflow file is invalid

      EXAMPLE
        reprise runners check coordinator
      """)

  @OptionGroup var workflow: WorkflowArgument

  func run() async throws {
    let loaded = try workflow.load().workflow
    let answers = await RunnerReport(loaded).answers
    if answers.isEmpty { printLine("all steps run as processes on this machine") }
    for (runner, problems) in answers {
      printLine("\(runner.title): \(problems.isEmpty ? "can be used" : "cannot be used")")
      for problem in problems { printLine("  \(problem)") }
    }
    if !answers.allSatisfy(\.problems.isEmpty) { throw ExitStatus.stepFailed }
  }
}
