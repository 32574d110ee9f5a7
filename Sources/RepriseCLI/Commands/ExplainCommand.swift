// `reprise explain`: says why a step would run, or would not.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say why a step would run, or would not.",
    discussion: """
      Nothing is run. What other steps leave is taken from the last run of the file.

      EXAMPLE
        reprise explain build compile
      """)

  @OptionGroup var workflow: WorkflowArgument

  @Argument(help: "The id of the step.")
  var step: String

  @OptionGroup var parameters: ParameterOptions

  @OptionGroup var state: StateOptions

  func run() async throws {
    let loaded = try workflow.load { declared throws(Problem) in
      try parameters.arguments(for: declared)
    }
    let found: [StepIndex]
    do throws(SelectionError) {
      found = try loaded.workflow.found(step)
    } catch {
      throw Problem("error: \(error)")
    }
    let secrets = try await Secrets.gathered(for: loaded.workflow)
    let journal = try state.directory().exists ? try state.openExistingJournal() : nil
    let last = try journal?.runs().first { $0.request.file == loaded.path && $0.generation > 0 }
    let lastState = try last.map { try journal?.state(of: $0) } ?? nil
    let engine = Engine(memory: journal.map { JournalMemory($0, file: loaded.path) })
    for index in found {
      let id = TerminalSafe(loaded.workflow.graph.id(of: index))
      switch engine.explain(index, of: loaded.workflow, after: lastState, secrets: secrets) {
      case .runs(let reasons):
        printLine("\(id) would run:")
        for reason in reasons { printLine("  \(reason)") }
      case .isSkipped(let reason):
        printLine("\(id) would be skipped: \(reason)")
      case .unknown(let reason):
        printLine("\(id) cannot be explained before it runs: \(reason)")
      }
    }
  }
}
