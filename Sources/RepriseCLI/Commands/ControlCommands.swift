// `reprise restart`, `cancel` and `approve`: control a live run from another terminal.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct RestartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "Restart a live run, from the top or from a step.",
    discussion: """
      Running steps are cancelled; when they have ended, the next generation of \
      the same run starts.

      EXAMPLES
        reprise restart @last
        reprise restart 3fk --from deploy
      """)

  @OptionGroup var run: RunArgument

  @Option(help: ArgumentHelp("Restart only this step and its dependents.", valueName: "id"))
  var from: [String] = []

  func validate() throws {
    if from.count > 1 {
      throw ValidationError("--from can be given only once: a restart starts at one step.")
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
      Running steps are asked to stop and get their grace period; with --now they \
      are killed.

      EXAMPLE
        reprise cancel @last --now
      """)

  @OptionGroup var run: RunArgument

  @Flag(help: "Kill the steps at once, without a grace period.")
  var now = false

  func run() async throws {
    try await ask(.cancel(now: now), of: try run.client())
  }
}

struct ApproveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Approve or reject a step that is waiting for approval.",
    discussion: """
      A rejected step fails.

      EXAMPLES
        reprise approve @last deploy
        reprise approve 3fk deploy --refuse
      """)

  @OptionGroup var run: RunArgument

  @Argument(help: "The id of the step.")
  var step: String

  @Flag(help: "Reject the step instead.")
  var refuse = false

  func run() async throws {
    try await ask(.approve(step: step, isApproved: !refuse), of: try run.client())
  }
}

/// Sends a request to a live run.
///
/// - Throws: ``Problem`` if the request fails or is rejected.
func ask(_ request: ControlRequest, of client: ControlClient) async throws(Problem) {
  let reply: ControlReply
  do throws(ControlError) {
    reply = try await client.ask(request, within: .seconds(10))
  } catch {
    throw Problem(error)
  }
  // The diagnostics of a workflow file have several lines.
  if case .refused(let text) = reply { throw Problem("error: " + TerminalSafe(lines: text)) }
}
