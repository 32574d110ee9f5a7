// `reprise list`: lists the workflows in a folder.

import ArgumentParser
import RepriseHost
import RepriseTerminal

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the workflows in a folder with their descriptions.",
    discussion: """
      EXAMPLE
        reprise list ci
      """)

  @Argument(
    help: "The folder. Default: the nearest folder workflows/ here or in a parent folder.",
    completion: .directory)
  var directory: String?

  func run() async throws {
    let overview =
      directory.map { Overview(of: WorkflowFiles.found(in: $0)) }
      ?? Overview.current(besides: subcommandNames)
    guard !overview.isEmpty else {
      let place = directory.map { TerminalSafe("\"\($0)\"") } ?? "workflows/"
      throw Problem("error: there is no workflow file (*.yaml, *.yml) in \(place)")
    }
    printLine(overview.table)
  }
}
