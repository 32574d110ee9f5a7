// `reprise graph`: prints the graph of a workflow as text or for other tools.

public import ArgumentParser
public import Reprise
import RepriseHost
import RepriseTerminal

struct GraphCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Draw the steps of a workflow and their dependencies.",
    discussion: """
      EXAMPLES
        reprise graph coordinator
        reprise graph coordinator --format dot | dot -Tsvg > coordinator.svg
      """)

  @OptionGroup var workflow: WorkflowArgument

  @Option(help: "Output format: text, mermaid, dot or json.")
  var format = GraphFormat.text

  func run() async throws {
    let text = try workflow.load().workflow.rendered(as: format)
    printLine(format == .json ? TerminalSafe(json: text) : TerminalSafe(lines: text))
  }
}

extension GraphFormat: ExpressibleByArgument {}
