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

  /// What the command line asks for.
  var invocation: RunInvocation {
    RunInvocation(
      workflows: workflows, others: arguments, progress: progress,
      parameters: parameters.parameters, paramsFile: parameters.paramsFile, scope: options.scope,
      isForced: engine.force, dryRun: dryRun, passThrough: passThrough, yes: yes, detach: detach,
      up: up, noJournal: noJournal, stateDir: state.stateDir, stay: staying.stay,
      notify: notifying.notify, runner: submitting.runner)
  }

  var drivesRun: Bool { invocation.drivesRun }
  var isDetached: Bool { detach }
  var canBeLeft: Bool { invocation.canBeLeft }

  func validate() throws { try invocation.validate() }

  func run() async throws { try await invocation.run() }
}

extension ProgressStyle: ExpressibleByArgument {}
