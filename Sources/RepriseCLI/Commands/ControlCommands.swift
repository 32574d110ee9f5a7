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
    abstract: "Restart a live run, from the top or from some steps.",
    discussion: """
      Running steps are cancelled; when they have ended, the next generation of \
      the same run starts. Steps that are not restarted keep running, or keep their results.

      With --reload, the run first reads its workflow file again; if the file has an error, the \
      run goes on and the error is shown. New steps run, removed steps are stopped.

      \(SelectorHelp.text)

      EXAMPLES
        reprise restart @last
        reprise restart 3fk --from build --from 'test-*'
        reprise restart 3fk --from :failed
        reprise restart @last --reload --changed
        reprise restart @last --reload --from test --dry-run
      """)

  @OptionGroup var run: RunArgument

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Restart only this step and its dependents. Can be repeated.", valueName: "steps"),
    completion: .step)
  var from: [String] = []

  @Flag(help: "Read the workflow file again, and restart with its steps.")
  var reload = false

  @Flag(help: "With --reload: restart only steps that have changed, and their dependents.")
  var changed = false

  @Flag(help: "With --reload: only print what would happen.")
  var dryRun = false

  @Flag(help: "With --reload: steps that succeeded keep their results even if they have changed.")
  var force = false

  func validate() throws {
    if !reload, changed || dryRun || force {
      throw ValidationError("--changed, --dry-run and --force need --reload.")
    }
    if changed, !from.isEmpty {
      throw ValidationError("--changed and --from cannot be combined: both select the steps.")
    }
  }

  func run() async throws {
    let (record, journal) = try run.find()
    let client = try journal.client(of: record)
    guard reload else {
      if record.fileHasChanged {
        printError("the file has changed since this run began; --reload reads it again")
      }
      return try await ask(.run(.restart(from: from)), of: client)
    }
    let options = ReloadOptions(
      from: from, changedOnly: changed, isDryRun: dryRun, isForced: force)
    // Secrets may be fetched by programs that take their time.
    try await ask(.reload(options), of: client, within: .seconds(120))
  }
}

struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel a live run, or some of its steps.",
    discussion: """
      Running steps are asked to stop and get their grace period; with --now they \
      are killed. With --step, the run continues without these steps and those that depend on \
      them; asked again for the same step, it kills it. The outcome of the run is then cancelled, \
      unless a step fails or the run is restarted from the cancelled steps.

      \(SelectorHelp.text)

      EXAMPLES
        reprise cancel @last --now
        reprise cancel @last --step lint
        reprise cancel @last --step 'test[*]'
      """)

  @OptionGroup var run: RunArgument

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Cancel only this step. Can be repeated.", valueName: "steps"),
    completion: .step)
  var step: [String] = []

  @Flag(help: "Kill the steps at once, without a grace period.")
  var now = false

  func run() async throws {
    try await ask(.run(.cancel(steps: step, now: now)), of: try run.client())
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

  @Argument(help: "The id of the step.", completion: .step)
  var step: String

  @Flag(help: "Reject the step instead.")
  var refuse = false

  func run() async throws {
    try await ask(.run(.approve(step: step, isApproved: !refuse)), of: try run.client())
  }
}

/// The help on selectors of steps.
enum SelectorHelp {
  static let text = """
    STEPS
      test            the step, or all steps that matrix or foreach made of it
      'test-*'        steps whose id matches: * is any text, ? any character
      :failed         steps that have failed
      :cancelled      steps that were cancelled themselves
      :running        steps that are running or ready
    """
}

/// Sends a request to a live run, and prints its answer.
///
/// - Throws: ``Problem`` if the request fails or is rejected.
func ask(
  _ request: ControlRequest, of client: ControlClient, within patience: Duration = .seconds(10)
) async throws(Problem) {
  let reply: ControlReply
  do throws(ControlError) {
    reply = try await client.ask(request, within: patience)
  } catch {
    throw Problem(error)
  }
  // The diagnostics of a workflow file have several lines.
  if case .accepted(let answer) = reply { printLine(TerminalSafe(lines: answer.description)) }
  if case .refused(let text) = reply { throw Problem("error: " + TerminalSafe(lines: text)) }
}
