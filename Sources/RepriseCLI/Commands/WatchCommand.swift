// `reprise watch`: keeps a workflow running on its triggers.

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
    abstract: "Run a workflow whenever something happens that its file names under \"on\".",
    discussion: """
      Files that change, points in time, lines of standard input, reprise trigger, runs of other \
      workflows: each event starts a run; when-busy says what happens to one that comes while a run \
      is under way. Every run is recorded like any other.

      Keys: t start a run now, p pause and go on, and those of reprise run. Ctrl-C ends the watch; the \
      events that wait then are taken up by the next one. SIGUSR1 restarts the run under way.

      EXAMPLES
        reprise watch site
        reprise watch deploy.yaml -p target=staging
        tail -f events.jsonl | reprise watch import --progress plain
      """)

  @OptionGroup var workflow: WorkflowArgument

  @Option(help: "How progress is shown: auto, tree, plain, json or none.")
  var progress = ProgressStyle.auto

  @OptionGroup var parameters: ParameterOptions

  @OptionGroup var engine: EngineOptions

  @OptionGroup var state: StateOptions

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func run() async throws {
    let source = try LoadedWorkflow.parse(try WorkflowFiles.path(of: workflow.file))
    // With an event there may be more parameters than now.
    var arguments = try parameters.arguments(for: source.parameters)
    arguments.leavesOpen = true
    var loaded = try LoadedWorkflow(source, arguments)
    guard let triggers = loaded.workflow.triggers else {
      throw Problem(
        "\(workflow.file): error: nothing starts a run of this workflow by itself\n"
          + "  = say what does, as in: on: { files: [src/**] }, or run it once with: reprise run")
    }
    arguments.leavesOpen = false
    if triggers.hasSocket {
      loaded.arguments = arguments
    } else {
      loaded = try LoadedWorkflow(source, arguments)
    }
    // Lines that are typed are events then, and not keys.
    let isTyped = triggers.standardInput != nil && isTerminal(standardInput)
    let style = isTyped && (progress == .auto || progress == .tree) ? .plain : progress
    let secrets = try await Secrets.gathered(for: loaded.workflow)
    let journal = try state.openJournal()
    let recorded = try await journal.heldWatch(of: loaded, hiding: secrets)
    let host = RunHost(
      journal, guardian: ProcessLinks.current.withLock { $0.guardian },
      settings: engine.settings)
    let watch = try Watch(loaded, triggers, secrets, watch: recorded, in: host)
    throw try await show(watch, style, isParallel: triggers.whenBusy == .parallel)
  }

  /// Watches to the end.
  private func show(
    _ watch: Watch, _ style: ProgressStyle, isParallel: Bool
  ) async throws -> ExitStatus {
    let display = WatchDisplay(
      style: style, environment: inheritedEnvironment(), isParallel: isParallel,
      controls: WatchDisplay.Controls(
        keys: { watch.newest?.keys }, status: { watch.watchStatus }, fire: { watch.fire() },
        pause: { watch.togglePause() }, outputClosed: { watch.end(because: .outputClosed) }))
    let listening = watch.reports.publisher.sink { report in
      switch report {
      case .began(let run): display.show(run)
      case .handled(let trigger, let run): display.announce(trigger, trigger.words, run: run)
      case .statusChanged: display.statusChanged()
      case .said(let text): display.say(text)
      }
    }
    hearSignals(watch)
    let ending = try await watch.run()
    listening.cancel()
    await display.finish()
    if let waiting = watch.watchStatus?.waiting, waiting > 0, display.isForPeople {
      printError("\(waiting) events wait: the next reprise watch takes them up")
    }
    switch ending {
    case .signal(let number): return .stopped(by: number)
    case .outputClosed: return .outputClosed
    case .failed: return .cannotGoOn
    // Only now is it known how the last run ended.
    case .exhausted: return watch.hasFailed ? .stepFailed : .succeeded
    }
  }
}
