// `reprise explain`: explains why a step would run or not, or what an error code means.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why a step would run or not, or what an error code means.",
    discussion: """
      With a step: runs no step, only the commands of secrets; the results of other steps are \
      those of the last run of the file. With an error code and no step: prints what the error means, an example, and how to \
      fix it.

      EXAMPLES
        reprise explain build compile
        reprise explain R0201
      """)

  @OptionGroup var workflow: WorkflowArgument

  @Argument(
    help: "The id of the step; omit it if the first argument is an error code.",
    completion: .step)
  var step: String?

  @OptionGroup var parameters: ParameterOptions

  @OptionGroup var state: StateOptions

  /// The error code to explain, if no step is given.
  private var code: String? { step == nil ? workflow.file : nil }

  func validate() throws {
    guard let code, !ErrorPage.isCode(code) else { return }
    throw ValidationError(
      "Missing expected argument '<step>': \"\(code)\" is not an error code such as R0201")
  }

  func run() async throws {
    if let code { return try explain(code: code) }
    let step = step ?? ""
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
    // Nothing runs, so nothing is watched; the folder is what learnt paths are relative to.
    let watch = FileWatch(of: realPath(".") ?? ".", guardian: nil)
    let engine = EngineSettings(watch: watch).makeEngine(
      memory: journal.map { JournalMemory($0, file: loaded.path) },
      store: journal?.directory.store)
    for index in found {
      let id = TerminalSafe(loaded.workflow.graph.id(of: index))
      switch engine.explain(index, of: loaded.workflow, after: lastState, secrets: secrets) {
      case .runs(let reasons):
        printLine("\(id) would run:")
        for reason in reasons { printLine("  \(reason)") }
      case .isSkipped(let reason):
        printLine("\(id) would be skipped: \(reason)")
      case .mayRun(let other, let reasons):
        printLine("\(id) is up to date now, but \"\(TerminalSafe(other))\" would run first:")
        for reason in reasons { printLine("  \(reason)") }
      case .unknown(let reason):
        printLine("\(id) cannot be explained before it runs: \(reason)")
      }
    }
  }

  private func explain(code: String) throws(Problem) {
    printLine(TerminalSafe(lines: try ErrorPage.found(code).text))
  }
}
