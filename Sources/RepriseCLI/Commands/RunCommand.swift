// `reprise run`: runs a workflow file, shows its progress, and exits with its status.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
package import RepriseTerminal

struct RunCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    // The parser of this command alone then looks for no requests that only the root has.
    _superCommandName: "reprise",
    abstract: "Run a workflow, or several one after the other, and show the progress.",
    usage: "reprise run [<options>] [<workflow> ...] [-- <args> ...]",
    discussion: """
      What follows -- are arguments for the workflow: args in its expressions.

      On a terminal the steps are shown as a tree that is redrawn in place; elsewhere as plain \
      lines. Keys: r restart from the top, c cancel (twice: kill), a approve, x reject, \
      l output, ? help. \
      Signals: SIGINT, SIGTERM and SIGHUP cancel (a second one kills), SIGUSR1 \
      restarts.

      The run is recorded in .reprise: list it with reprise runs, control it from another \
      terminal with reprise attach, restart and cancel, and resume it with \
      reprise resume.

      EXAMPLES
        reprise run coordinator
        reprise run
        reprise run format lint test
        reprise run ci.yaml --max-parallel 4 --progress plain
        reprise run release --from publish
        reprise run build --to compile
        reprise run deploy -p target=staging
        reprise run test -- --verbose parser
        reprise run nightly --detach
        reprise run sweep --submit big
        reprise up dev
        reprise run coordinator --progress json | jq .event
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The names of workflows in workflows/, or paths of files; with #NAME, a workflow in it. Several \
      run one after the other, until one fails. Default: the workflow with "default: true", else the \
      only one, else a choice on a terminal.
      """,
      valueName: "workflow"),
    completion: .workflow)
  var workflows: [String] = []

  /// What follows `--`, which ``RepriseCommand/expanded(_:)`` writes as options: the parser does not allow
  /// two lists of words.
  @Option(
    name: .customLong(RunOptions.argumentOption), parsing: .unconditionalSingleValue,
    help: .hidden)
  var arguments: [String] = []

  @Option(help: "Progress display: auto, tree, plain, github, json or none.")
  var progress = ProgressStyle.auto

  @OptionGroup var parameters: ParameterOptions

  @OptionGroup var options: RunOptions

  @OptionGroup var engine: EngineOptions

  @Flag(help: "Print the steps in order without running them.")
  var dryRun = false

  @Flag(help: "If a step fails, exit with its exit status instead of 1.")
  var passThrough = false

  @Flag(help: "Approve all steps that wait for approval.")
  var yes = false

  @Flag(help: "Print the id of the run and continue in the background.")
  var detach = false

  @Flag(help: "Keep services up until the run is stopped, as with \"until: stopped\" in the file.")
  var up = false

  @Flag(help: "Do not record the run; it cannot be listed, attached to or resumed.")
  var noJournal = false

  @OptionGroup var state: StateOptions

  @OptionGroup var staying: StayOptions

  @OptionGroup var notifying: NotifyOption

  @OptionGroup var submitting: SubmitOption

  var drivesRun: Bool { !dryRun && submitting.runner == nil }
  var isDetached: Bool { detach }
  var canBeLeft: Bool { !detach && !noJournal && progress.hasKeys }

  func validate() throws {
    if detach && noJournal {
      throw ValidationError(
        "--detach and --no-journal cannot be combined: nothing could attach to the run.")
    }
    if detach, workflows.count > 1 {
      throw ValidationError(
        "--detach takes one workflow: each run in the background has a command.")
    }
    try submitting.expectNone(
      detach: detach, passThrough: passThrough, staying, notifying, progress,
      others: [
        ("--dry-run", dryRun, "it starts nothing, and can run here"),
        ("--no-journal", noJournal, "nothing could show the run"),
        ("several workflows", workflows.count > 1, "a job is the engine of one run"),
      ])
  }

  func run() async throws {
    let names = workflows.isEmpty ? [try WorkflowArgument.obvious()] : workflows
    guard names.count > 1 else { throw try await status(of: try load(names[0])) }
    // Errors in any of them are said before the first one runs.
    let declared = try names.map { name throws(Problem) in
      try LoadedWorkflow.parse(try enterFolder(ofWorkflow: name)).parameters
    }
    try parameters.expectKnown(declared.flatMap(\.self))
    let all = try zip(names, declared).map { name, declared throws(Problem) in
      try load(name, onlyDeclared: declared)
    }
    for (name, loaded) in zip(names, all) {
      _ = try enterFolder(ofWorkflow: name)
      let status = try await status(of: loaded)
      guard status == .succeeded || dryRun else { throw status }
    }
  }

  private func load(
    _ name: String, onlyDeclared declared: [Parameter]? = nil
  ) throws(Problem) -> LoadedWorkflow {
    try LoadedWorkflow(path: try enterFolder(ofWorkflow: name)) { parameters throws(Problem) in
      var given = try self.parameters.arguments(
        for: parameters, only: declared.map { Set($0.map(\.name)) })
      given.others = arguments
      given.staysUp = up
      return given
    }
  }

  private func status(of loaded: LoadedWorkflow) async throws -> ExitStatus {
    let runner = try submitting.runner(of: loaded.workflow)
    var scope = options.scope
    let taken = try scope.keepValues(for: loaded) {
      try state.directory().exists ? try state.openExistingJournal() : nil
    }
    if let taken, progress.isHumanReadable || dryRun { printError(taken) }
    let selected = try loaded.selecting(scope)
    if progress.isHumanReadable || dryRun, let warning = selected.warningOfFormerNames {
      printError(warning)
    }
    if dryRun {
      printLine(DryRun(selected.workflow).text)
      return .succeeded
    }
    if yes { try selected.workflow.expectDefaultsOfApprovals() }
    if noJournal {
      try selected.workflow.expectNeedsNoJournal()
      try selected.workflow.expectApprovable(isAnswered: yes || progress.hasKeys)
    }
    let secrets = try await Secrets.gathered(for: selected.workflow)
    let request = try loaded.request(scope.recorded, hiding: secrets)
    if let runner { return try await submit(loaded, scope, to: runner) }
    let run = DrivenRun(
      progress: detach ? .none : progress, secrets, engine.settings,
      passesThrough: passThrough, stays: staying.policy, approvesAll: yes,
      notifies: notifying.notify)
    guard !noJournal else { return await run.exitStatus(of: selected) }
    let journal = try state.openJournal()
    return try await run.exitStatus(of: selected, in: journal) {
      let isAlone = loaded.workflow.concurrency?.policy == .reject
      return (try journal.begin(request, id: ProcessLinks.idOfNewRun, isAlone: isAlone), nil)
    }
  }
}

extension RunCommand {
  /// Submits the engine as a job, which runs the same command with the values of parameters that were
  /// given here.
  private func submit(
    _ loaded: LoadedWorkflow, _ scope: RunScope, to runner: RunnerChoice
  ) async throws -> ExitStatus {
    var options = submitting.words(progress, yes: yes)
    if engine.force { options.append("--force") }
    if up { options.append("--up") }
    // With the secrets in parameters: only this user can read the words.
    let words = scope.words(
      running: loaded.path, loaded.arguments.texts, loaded.arguments.others, options: options)
    return try await submitting.submit(
      words, of: RunID(), to: runner, in: try state.directory())
  }
}

extension ProgressStyle: ExpressibleByArgument {}
