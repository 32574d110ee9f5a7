// `reprise init`: writes a first workflow.

import ArgumentParser
import RepriseHost
import RepriseTerminal

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a first, commented workflow to workflows/.",
    discussion: """
      An existing file is never overwritten.

      EXAMPLE
        reprise init deploy
      """)

  @Argument(help: "The name of the workflow.")
  var name = "hello"

  func run() async throws {
    printLine(try FirstWorkflow(named: name).write())
  }
}
