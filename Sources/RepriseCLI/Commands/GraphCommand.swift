// `reprise graph`: draws the graph of a workflow as text for people and for other tools.

public import ArgumentParser
public import Reprise

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
    print(try workflow.load().workflow.rendered(as: format))
  }
}

extension GraphFormat: ExpressibleByArgument {}
