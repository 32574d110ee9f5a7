// `reprise restart`, `approve` and the like: control a live run from another terminal.

import ArgumentParser
import Platform
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
      Running steps are cancelled; when they have ended, the next generation of the same run \
      begins. Others go on, or keep their results. With --only, so do the users of a service.

      With --reload, the run first reads its workflow file again; if the file has an error, the \
      run goes on and the error is shown. New steps run, removed steps are stopped.

      \(SelectorHelp.text)

      EXAMPLES
        reprise restart @last
        reprise restart 3fk --from build --from 'test-*'
        reprise restart 3fk --from :failed --wait
        reprise restart @last --only db
        reprise restart @last --reload --changed
        reprise restart @last --reload --from test --dry-run

      EXIT STATUS
        With --wait, the command waits until the run ends, and exits like reprise run.
      """)

  @OptionGroup var request: RequestOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Restart only this step and its dependents. Can be repeated.", valueName: "steps"),
    completion: .step)
  var from: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Start only this service again. Can be repeated.", valueName: "services"),
    completion: .step)
  var only: [String] = []

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
    if !only.isEmpty, reload || !from.isEmpty {
      throw ValidationError("--only cannot be combined with --from or --reload.")
    }
    if changed, !from.isEmpty {
      throw ValidationError("--changed and --from cannot be combined: both select the steps.")
    }
  }

  func run() async throws {
    let options = ReloadOptions(
      from: from, changedOnly: changed, isDryRun: dryRun, isForced: force)
    let found = try request.run.find(to: .control)
    if !reload, found.record.fileHasChanged {
      printError("the file has changed since this run began; --reload reads it again")
    }
    let requester = Requester.command("restart")
    let restart = only.isEmpty ? Intervention.restart(from: from) : .restartServices(only)
    let state = try await request.send(
      reload ? .reload(options, by: requester) : .run(restart, by: requester), to: found)
    if let state, !dryRun { throw ExitStatus.ofEnd(state) }
  }
}

struct ApproveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Approve or reject a step that is waiting for approval.",
    discussion: """
      A rejected step fails. The answer is recorded with the user, the time and the comment.

      EXAMPLES
        reprise approve @last
        reprise approve @last deploy --comment "checked on staging"
        reprise approve 3fk deploy --reject
        reprise approve 3fk release --value reason="hot fix"

      EXIT STATUS
        With --wait, the command waits until the step has ended: 0 if it succeeded, 1 if it did \
      not. With --reject, 0.
      """)

  @OptionGroup var request: RequestOptions

  @Argument(help: "The id of the step; not needed if only one is waiting.", completion: .step)
  var step: String?

  @Option(
    name: [.customShort("p"), .customLong("value")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A value that the approval asks for. Can be repeated.", valueName: "name=value"))
  var values: [String] = []

  @Flag(name: [.long, .customLong("refuse")], help: "Reject the step instead.")
  var reject = false

  @Option(help: ArgumentHelp("A comment for the record.", valueName: "text"))
  var comment: String?

  func validate() throws {
    try ParameterOptions.check(values, "--value")
  }

  func run() async throws {
    let found = try request.run.find(withStep: step, to: .control)
    let state = try await request.send(
      .run(
        .approve(
          step: found.step, isApproved: !reject, values: ParameterOptions.texts(of: values)),
        by: .command("approve", comment: comment)),
      to: (found.record, found.journal))
    guard let state, !reject else { return }
    let waited = state.steps.filter { step in
      step.interventions.contains { $0.by?.steps == [step.id] } && !step.phase.isSuccess
    }
    if !waited.isEmpty { throw ExitStatus.stepFailed }
  }
}

struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set the result of a step of a live run by hand.",
    discussion: """
      The step counts as succeeded or skipped, and what depends on it runs: for a step that you \
      have done, or fixed, yourself. A step in progress is stopped first. If the step has failed \
      or was cancelled, a new generation begins with the steps that depend on it. A pending step \
      gets its result now, and does not run when its turn comes. The record says who did it.

      A run that has ended goes on with reprise resume RUN --set STEP=success.

      \(SelectorHelp.text)

      EXAMPLES
        reprise set @last migrate success
        reprise set @last version success --output version=1.2.0
        reprise set 3fk 'test[*]' skipped --comment "the test machine is down"

      EXIT STATUS
        With --wait, the command waits until each of the steps has ended: 0.
      """)

  @OptionGroup var request: RequestOptions

  @Argument(help: "The step.", completion: .step)
  var step: String

  @Argument(help: "success or skipped.", completion: .list(["success", "skipped"]))
  var result: String

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "An output of the step that succeeded. Can be repeated.", valueName: "name=value"))
  var output: [String] = []

  @Option(help: ArgumentHelp("A comment for the record.", valueName: "text"))
  var comment: String?

  func validate() throws {
    try ParameterOptions.check(output, "--output")
    guard let set = HandmadeResult(word: result) else {
      throw ValidationError("The result must be success or skipped, not '\(result)'.")
    }
    if set == .skipped, !output.isEmpty {
      throw ValidationError("A skipped step has no outputs.")
    }
  }

  func run() async throws {
    let outputs = ParameterOptions.texts(of: output)
    guard let set = HandmadeResult(word: result, outputs: outputs) else { return }
    let record = try request.run.find().record
    guard record.status.isLive else {
      let advice =
        record.request.program == nil
        ? "set the result and go on with: reprise resume \(record.id) --set \(step)=\(set.word)"
        : record.resumeAdvice
      throw Problem("error: run \(record.id) has ended; \(advice)")
    }
    try await request.send(.set(steps: [step], set), as: .command("set", comment: comment))
  }
}

struct SkipCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip",
    abstract: "Skip steps of a live run.",
    discussion: """
      Short for reprise set RUN STEP skipped, for several steps. What depends on them runs.

      \(SelectorHelp.text)

      EXAMPLES
        reprise skip @last lint
        reprise skip @last 'notify-*' --comment "not at night"
      """)

  @OptionGroup var request: RequestOptions

  @Argument(help: "The steps.", completion: .step)
  var steps: [String]

  @Option(help: ArgumentHelp("A comment for the record.", valueName: "text"))
  var comment: String?

  func run() async throws {
    try await request.send(.set(steps: steps, .skipped), as: .command("skip", comment: comment))
  }
}

struct PauseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Let no new step of a live run start.",
    discussion: """
      Steps in progress go on. The run can be restarted while it is paused, and then waits before \
      its first step. Cancelling it ends the pause, so that steps under finally run. The time \
      limit of the run goes on.

      EXAMPLES
        reprise pause @last
      """)

  @OptionGroup var request: RunArgument

  func run() async throws {
    try await request.send(.run(.pause, by: .command("pause")))
  }
}

struct UnpauseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpause",
    abstract: "Let the steps of a paused run start again.",
    discussion: """
      EXAMPLES
        reprise unpause @last
      """)

  @OptionGroup var request: RunArgument

  func run() async throws {
    try await request.send(.run(.unpause, by: .command("unpause")))
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

/// The run to which a request is sent, and whether to wait for what follows.
struct RequestOptions: ParsableArguments {
  @OptionGroup var run: RunArgument

  @Flag(help: "Wait for what follows; see EXIT STATUS.")
  var wait = false

  /// Sends a request, prints the answer of the run, and waits if the user wants it.
  ///
  /// - Parameters:
  ///   - request: What is asked, and by whom.
  ///   - found: The run, if it was found before.
  /// - Returns: The state of the run after the wait; nil without a wait.
  /// - Throws: ``Problem`` if the run cannot be reached, or refuses.
  @discardableResult
  func send(
    _ request: ControlRequest, to found: (record: RunRecord, journal: Journal)? = nil
  ) async throws -> RunState? {
    let found = try found ?? run.find(to: .control)
    let (sent, answer) = try await run.send(request, to: found.record, in: found.journal)
    return wait ? try await sent.consequence(of: answer) : nil
  }

  /// Sends an intervention, prints the answer of the run, and waits if the user wants it.
  ///
  /// - Throws: ``Problem`` if the run cannot be reached, or refuses.
  @discardableResult
  func send(_ intervention: Intervention, as requester: Requester) async throws -> RunState? {
    try await send(.run(intervention, by: requester))
  }
}

extension RunArgument {
  /// Sends a request to the run, and prints its answer.
  ///
  /// - Throws: ``Problem`` if the run cannot be reached, or refuses.
  @discardableResult
  func send(_ request: ControlRequest) async throws -> (LiveRequest, InterventionAnswer) {
    let found = try find(to: .control)
    return try await send(request, to: found.record, in: found.journal)
  }

  /// Sends a request to a run, and prints its answer.
  ///
  /// - Throws: ``Problem`` if the run cannot be reached, or refuses.
  @discardableResult
  func send(
    _ request: ControlRequest, to record: RunRecord, in journal: Journal
  ) async throws -> (LiveRequest, InterventionAnswer) {
    let request = LiveRequest(request, of: record, in: journal)
    let answer = try await request.answer()
    printLine(TerminalSafe(lines: answer.description))
    return (request, answer)
  }
}
