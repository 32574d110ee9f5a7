// `reprise watch`: runs a workflow whenever one of its triggers fires.

import ArgumentParser
import CombineOperators
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

struct WatchCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Run workflows whenever one of their triggers (\"on\") fires.",
    discussion: """
      Changed files, schedules, lines of standard input, reprise trigger and runs of other \
      workflows are events that start a run; when-busy determines what happens to an event that \
      arrives during a run. Each run is recorded as with reprise run.

      Keys: T start a run now, P pause or continue it, and those of reprise run. Ctrl-C stops the \
      watch; the next watch handles the events still queued. SIGUSR1 restarts the \
      current run.

      Without a name, all workflows of the project that have triggers are watched, and those that are \
      added, changed or removed are taken up. Keys act on a watch of one workflow only.

      EXAMPLES
        reprise watch
        reprise watch site
        reprise watch deploy.yaml -p target=staging
        tail -f events.jsonl | reprise watch import --progress plain
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The name of a workflow in workflows/, or the path of a file; with #NAME, a workflow in it. \
      Default: all workflows in workflows/ that have triggers.
      """,
      valueName: "workflow"),
    completion: .workflow)
  var workflow: String?

  @Option(help: "Progress display: auto, tree, plain, github, json or none.")
  var progress = ProgressStyle.auto

  @OptionGroup var parameters: ParameterOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var notifying: NotifyOption

  @OptionGroup var state: StateOptions

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func run() async throws {
    guard let name = workflow else { throw try await watchProject() }
    let source = try LoadedWorkflow.parse(try enterFolder(ofWorkflow: name))
    let arguments = try parameters.arguments(for: source.parameters)
    guard let watched = try WatchedEntry(source, arguments) else {
      throw Problem(
        "\(name): error: this workflow has no triggers\n"
          + "  = add some, as in: on: { files: [src/**] }, or run it once with: reprise run")
    }
    let (loaded, triggers) = (watched.loaded, watched.triggers)
    // With a `stdin` trigger on a terminal, typed lines are events, so keys cannot be commands.
    let isTyped = triggers.standardInput != nil && isTerminal(standardInput)
    let shown = progress.resolved(environment: inheritedEnvironment())
    let style = isTyped && shown == .tree ? .plain : shown
    let secrets = try await Secrets.gathered(for: loaded.workflow)
    let journal = try state.openJournal()
    let recorded = try await journal.heldWatch(of: loaded, hiding: secrets)
    var settings = engine.settings
    settings.asksForColours = style.asksForColours(environment: inheritedEnvironment())
    let host = RunHost(
      journal, guardian: ProcessLinks.current.withLock { $0.guardian }, settings: settings)
    let watch = try Watch(loaded, triggers, secrets, watch: recorded, in: host)
    throw try await show(watch, style, isParallel: triggers.whenBusy == .parallel)
  }

  /// Shows the watch until it ends, and returns the exit status.
  private func show(
    _ watch: Watch, _ style: ProgressStyle, isParallel: Bool
  ) async throws -> ExitStatus {
    let display = WatchDisplay(
      style: style, environment: inheritedEnvironment(), runs: isParallel ? .parallel : .single,
      notifies: notifying.notify,
      controls: WatchDisplay.Controls(
        keys: { watch.newest?.keys }, statuses: { watch.watchStatus.map { [$0] } ?? [] },
        fire: { watch.fire() },
        pause: { watch.togglePause() }, outputClosed: { watch.end(because: .outputClosed) }))
    let listening = watch.reports.publisher.sink { display.take($0) }
    forwardSignals(watch)
    let ending = try await watch.run()
    listening.cancel()
    await display.finish()
    if let waiting = watch.watchStatus?.waiting, waiting > 0, display.isHumanReadable {
      printError("events still queued: \(waiting); the next reprise watch handles them")
    }
    // The result of the last run is known only now.
    return .of(ending, hasFailed: watch.hasFailed)
  }

  /// Watches all workflows of the project that have triggers, and returns the exit status.
  private func watchProject() async throws -> ExitStatus {
    guard let folder = WorkflowFiles().projectFolder else {
      throw Problem("error: there is no workflow here; create a first one with: reprise init")
    }
    guard parameters.isEmpty else {
      throw Problem(
        "error: parameters need the name of a workflow, as in: reprise watch site -p page=index")
    }
    guard changeDirectory(to: folder) else {
      throw Problem("error: cannot enter the folder \"\(folder)\"")
    }
    let journal = try state.openJournal()
    let host = RunHost(
      journal, guardian: ProcessLinks.current.withLock { $0.guardian }, settings: engine.settings)
    let project = ProjectWatch(in: host)
    let display = WatchDisplay(
      style: progress, environment: inheritedEnvironment(), runs: .ofProject,
      notifies: notifying.notify,
      controls: WatchDisplay.Controls(
        keys: { nil }, statuses: { project.statuses }, fire: {}, pause: {},
        outputClosed: { project.end(because: .outputClosed) }))
    let listening = project.reports.publisher.sink { display.take($0) }
    forwardSignals(project)
    let ending = try await project.run()
    listening.cancel()
    await display.finish()
    return .of(ending, hasFailed: false)
  }
}

extension WatchDisplay {
  /// Shows a report of a watch.
  fileprivate func take(_ report: WatchReport) {
    switch report {
    case .began(let run): show(run)
    case .handled(let trigger, let run, let name):
      announce(trigger, trigger.words, run: run, of: name)
    case .statusChanged: statusChanged()
    case .message(let text): say(text)
    }
  }
}

extension ExitStatus {
  /// The status at the end of a watch.
  fileprivate static func of(_ ending: Watch.Ending, hasFailed: Bool) -> ExitStatus {
    switch ending {
    case .signal(let number): .stopped(by: number)
    case .outputClosed: .outputClosed
    case .failed: .internalFailure
    case .exhausted, .withdrawn: hasFailed ? .stepFailed : .succeeded
    }
  }
}
