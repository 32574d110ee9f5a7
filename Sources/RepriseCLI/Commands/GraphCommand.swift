// `reprise graph`: draws the graph of a workflow as text for people and for other tools.

public import ArgumentParser
public import Reprise
import RepriseHost
import RepriseTerminal

struct GraphCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Draw the steps of a workflow and what they need.",
    discussion: """
      EXAMPLES
        reprise graph coordinator
        reprise graph coordinator --format dot | dot -Tsvg > coordinator.svg
      """)

  @OptionGroup var workflow: WorkflowArgument

  @Option(help: "How to draw: text, mermaid, dot or json.")
  var format = GraphFormat.text

  func run() async throws {
    let text = try workflow.load().workflow.rendered(as: format)
    printLine(format == .json ? TerminalSafe(json: text) : TerminalSafe(lines: text))
  }
}

extension GraphFormat: ExpressibleByArgument {}
