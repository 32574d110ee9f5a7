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
    abstract: "Run a workflow whenever one of its triggers (\"on\") fires.",
    discussion: """
      Changed files, schedules, lines of standard input, reprise trigger and runs of other \
      workflows are events that start a run; when-busy determines what happens to an event that \
      arrives during a run. Each run is recorded as with reprise run.

      Keys: T start a run now, P pause or continue it, and those of reprise run. Ctrl-C stops the \
      watch; the next watch handles the events still queued. SIGUSR1 restarts the \
      current run.

      EXAMPLES
        reprise watch site
        reprise watch deploy.yaml -p target=staging
        tail -f events.jsonl | reprise watch import --progress plain
      """)

  @OptionGroup var workflow: WorkflowArgument

  @Option(help: "Progress display: auto, tree, plain, github, json or none.")
  var progress = ProgressStyle.auto

  @OptionGroup var parameters: ParameterOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var notifying: NotifyOption

  @OptionGroup var state: StateOptions

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func run() async throws {
    let name = try workflow.name()
    let source = try LoadedWorkflow.parse(try enterFolder(ofWorkflow: name))
    // The event that starts a run may provide parameters that are missing now.
    var arguments = try parameters.arguments(for: source.parameters)
    arguments.allowsMissing = true
    var loaded = try LoadedWorkflow(source, arguments)
    guard let triggers = loaded.workflow.triggers else {
      throw Problem(
        "\(name): error: this workflow has no triggers\n"
          + "  = add some, as in: on: { files: [src/**] }, or run it once with: reprise run")
    }
    arguments.allowsMissing = false
    if triggers.hasSocket {
      loaded.arguments = arguments
    } else {
      loaded = try LoadedWorkflow(source, arguments)
    }
    // With a `stdin` trigger on a terminal, typed lines are events, so keys cannot be commands.
    let isTyped = triggers.standardInput != nil && isTerminal(standardInput)
    let shown = progress.resolved(environment: inheritedEnvironment())
    let style = isTyped && shown == .tree ? .plain : shown
    let secrets = try await Secrets.gathered(for: loaded.workflow)
    let journal = try state.openJournal()
    let recorded = try await journal.heldWatch(of: loaded, hiding: secrets)
    let host = RunHost(
      journal, guardian: ProcessLinks.current.withLock { $0.guardian },
      settings: engine.settings)
    let watch = try Watch(loaded, triggers, secrets, watch: recorded, in: host)
    throw try await show(watch, style, isParallel: triggers.whenBusy == .parallel)
  }

  /// Shows the watch until it ends, and returns the exit status.
  private func show(
    _ watch: Watch, _ style: ProgressStyle, isParallel: Bool
  ) async throws -> ExitStatus {
    let display = WatchDisplay(
      style: style, environment: inheritedEnvironment(), isParallel: isParallel,
      notifies: notifying.notify,
      controls: WatchDisplay.Controls(
        keys: { watch.newest?.keys }, status: { watch.watchStatus }, fire: { watch.fire() },
        pause: { watch.togglePause() }, outputClosed: { watch.end(because: .outputClosed) }))
    let listening = watch.reports.publisher.sink { report in
      switch report {
      case .began(let run): display.show(run)
      case .handled(let trigger, let run): display.announce(trigger, trigger.words, run: run)
      case .statusChanged: display.statusChanged()
      case .message(let text): display.say(text)
      }
    }
    forwardSignals(watch)
    let ending = try await watch.run()
    listening.cancel()
    await display.finish()
    if let waiting = watch.watchStatus?.waiting, waiting > 0, display.isHumanReadable {
      printError("events still queued: \(waiting); the next reprise watch handles them")
    }
    switch ending {
    case .signal(let number): return .stopped(by: number)
    case .outputClosed: return .outputClosed
    case .failed: return .internalFailure
    // The result of the last run is known only now.
    case .exhausted: return watch.hasFailed ? .stepFailed : .succeeded
    }
  }
}
