// `reprise graph`: prints the graph of a workflow as text or for other tools.

import ArgumentParser
import Reprise
import RepriseExport
import RepriseHost
import RepriseTerminal

struct GraphCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Draw the steps of a workflow, or export it to another workflow engine.",
    discussion: """
      text, mermaid, dot and json draw the steps and their dependencies.

      argo prints a manifest for Argo Workflows, and airflow a Python file for Apache \
      Airflow 3.2 or newer. Whatever the other engine cannot express is an error: all \
      of these are listed with their lines, nothing is printed, and the exit status is 2. \
      Among them are actions, cache, share, items that a step computes, and triggers \
      (airflow: except one cron schedule). With argo, each step needs an image: that of \
      its container runner, or --image. Parameters have their default values. Secrets are \
      never written: they are connections of Airflow, or a secret of Kubernetes.

      The manifest for Argo is checked against Argo's schema in tests, but was never \
      run by Argo. The file for Airflow is executed in tests.

      EXAMPLES
        reprise graph coordinator
        reprise graph coordinator --format dot | dot -Tsvg > coordinator.svg
        reprise graph nightly --format airflow > dags/nightly.py
        reprise graph nightly --format argo --image alpine:3.20 > nightly.yaml
      """)

  /// What is printed: a drawing, or a file for another engine.
  enum Format: Sendable, Equatable {
    case drawing(GraphFormat)
    case export(ExportFormat)
  }

  @OptionGroup var workflow: WorkflowArgument

  @Option(help: "Output format: text, mermaid, dot, json, argo or airflow.")
  var format = Format.drawing(.text)

  @Option(help: "With argo: the container image for steps without a runner.")
  var image: String?

  func validate() throws {
    if image != nil, format != .export(.argo) {
      throw ValidationError("--image is the image of steps in Argo; give --format argo, too")
    }
  }

  func run() async throws {
    let loaded = try workflow.load().workflow
    switch format {
    case .drawing(let format):
      let text = loaded.rendered(as: format)
      printLine(format == .json ? TerminalSafe(json: text) : TerminalSafe(lines: text))
    case .export(let format):
      switch loaded.exported(as: format, image: image, running: { $0.commandLine(for: $1) }) {
      case .success(let text): printLine(TerminalSafe(lines: text))
      case .failure(let refusals):
        for refusal in refusals.all { printError("\(refusal.description)") }
        throw ExitStatus.invalidUsage
      }
    }
  }
}

extension GraphCommand.Format: ExpressibleByArgument {
  init?(argument: String) {
    if let format = GraphFormat(rawValue: argument) {
      self = .drawing(format)
    } else if let format = ExportFormat(rawValue: argument) {
      self = .export(format)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .drawing(let format): format.rawValue
    case .export(let format): format.rawValue
    }
  }

  static var allValueStrings: [String] {
    GraphFormat.allCases.map(\.rawValue) + ExportFormat.allCases.map(\.rawValue)
  }
}
