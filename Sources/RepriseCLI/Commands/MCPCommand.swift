// `reprise mcp`: serves the Model Context Protocol, so that an agent can use Reprise.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseTerminal

struct MCPCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serve the Model Context Protocol (MCP), so that an agent can use Reprise.",
    discussion: """
      An MCP client starts this command, writes messages to its standard input, and reads answers \
      from its standard output: JSON-RPC 2.0, one message per line. The agent can list, validate \
      and run workflows, read runs and logs, and restart, resume and cancel runs; nothing outside \
      of the folder of the project can be named. Runs are processes of their own: they go on when \
      the command ends. Documentation/agents.md describes the tools.

      Only people approve steps, unless --allow-approve is given.

      EXIT STATUS
        0    end of standard input
        2    the command line is invalid
        141  standard output was closed

      EXAMPLES
        reprise mcp
        reprise mcp ~/site --allow-approve
      """)

  @Argument(
    help: ArgumentHelp(
      "The folder of the project, or one below it. Default: the current one.", valueName: "dir"),
    completion: .directory)
  var folder: String?

  @Flag(help: "Let the agent answer approvals.")
  var allowApprove = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    // Paths of options refer to it, so it is read before the folder changes.
    _ = startFolder
    if let folder { try enter(folder) }
    try enter(try AgentProject.folder())
    let tools = AgentTools(
      try AgentProject(
        try state.directory(), command: executablePath ?? CommandLine.arguments[0],
        version: RepriseVersion.text, allowsApprovals: allowApprove))
    if isTerminal(standardInput) {
      printError("this command is for MCP clients, which write to its input; Ctrl-D ends it")
    }
    let server = AgentServer(
      tools.rules,
      .init(input: standardInput, write: { writeAll($0, to: standardOutput) })
    ) { await tools.perform($0) }
    switch await server.run() {
    case .inputEnded: throw ExitStatus.succeeded
    case .outputClosed: throw ExitStatus.outputClosed
    }
  }

  private func enter(_ folder: String) throws(Problem) {
    guard changeDirectory(to: folder) else {
      throw Problem("error: cannot enter the folder \"\(folder)\"")
    }
  }
}
