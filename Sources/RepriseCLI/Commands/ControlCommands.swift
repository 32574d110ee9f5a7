// `reprise restart` and `reprise cancel`: steer a live run from another terminal.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct RestartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "Take a live run again from the top, or from a step.",
    discussion: """
      What runs is cancelled and waited for; then the next generation of the same run begins.

      EXAMPLES
        reprise restart @last
        reprise restart 3fk --from deploy
      """)

  @OptionGroup var run: RunArgument

  @Option(help: ArgumentHelp("Only this step and what depends on it.", valueName: "id"))
  var from: [String] = []

  func validate() throws {
    if from.count > 1 {
      throw ValidationError("--from can be given once: a restart begins at one step.")
    }
  }

  func run() async throws {
    try await ask(.restart(from: from.first), of: try run.client())
  }
}

struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel a live run.",
    discussion: """
      Its steps are told to end and get their grace periods; with --now they are killed.

      EXAMPLE
        reprise cancel @last --now
      """)

  @OptionGroup var run: RunArgument

  @Flag(help: "Without grace.")
  var now = false

  func run() async throws {
    try await ask(.cancel(now: now), of: try run.client())
  }
}

struct ApproveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Approve a step that waits for that, or refuse it.",
    discussion: """
      A step that is refused has failed.

      EXAMPLES
        reprise approve @last deploy
        reprise approve 3fk deploy --refuse
      """)

  @OptionGroup var run: RunArgument

  @Argument(help: "The id of the step.")
  var step: String

  @Flag(help: "Refuse it.")
  var refuse = false

  func run() async throws {
    try await ask(.approve(step: step, isApproved: !refuse), of: try run.client())
  }
}

/// Asks something of a live run, and tells when it says no.
func ask(_ request: ControlRequest, of client: ControlClient) async throws(Problem) {
  let reply: ControlReply
  do throws(ControlError) {
    reply = try await client.ask(request, within: .seconds(10))
  } catch {
    throw Problem(error)
  }
  // What is wrong with a file has several lines.
  if case .refused(let text) = reply { throw Problem("error: " + TerminalSafe(lines: text)) }
}
