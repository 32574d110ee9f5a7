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

  @Argument(help: "The folder.", completion: .directory)
  var directory = WorkflowFiles.defaultDirectory

  func run() async throws {
    let paths = WorkflowFiles.found(in: directory)
    guard !paths.isEmpty else {
      throw Problem("error: there is no workflow file (*.yaml, *.yml) in \"\(directory)\"")
    }
    printLine(Overview(of: paths).table)
  }
}
