// `reprise watch`: keeps a workflow running on its triggers.

import ArgumentParser
import Platform
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal

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

  @Flag(help: "Run every step, also those that are up to date.")
  var force = false

  @OptionGroup var state: StateOptions

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func run() async throws {
    // With an event there may be more parameters than now.
    var loaded = try workflow.load { declared throws(Problem) in
      var arguments = try parameters.arguments(for: declared)
      arguments.leavesOpen = true
      return arguments
    }
    guard let triggers = loaded.workflow.triggers else {
      throw Problem(
        "\(workflow.file): error: nothing starts a run of this workflow by itself\n"
          + "  = say what does, as in: on: { files: [src/**] }, or run it once with: reprise run")
    }
    if !triggers.hasSocket {
      loaded = try workflow.load { declared throws(Problem) in
        try parameters.arguments(for: declared)
      }
    }
    loaded.arguments.leavesOpen = false
    // Lines that are typed are events then, and not keys.
    let isTyped = triggers.standardInput != nil && isTerminal(standardInput)
    let settings = RunSettings(
      progress: isTyped && (progress == .auto || progress == .tree) ? .plain : progress,
      secrets: try await gatherSecrets(of: loaded.workflow),
      rerunsUpToDateSteps: force)
    let journal = try state.openJournal()
    let name = loaded.workflow.name
    let recorded = try await hold(name, loaded.path, journal, hiding: settings.secrets)
    // What an earlier watch left may have been ended only while this one waited for it.
    try state.place.recover(journal)
    throw try await Watch(loaded, triggers, settings, watch: recorded, journal: journal).run()
  }

  /// Holds the watch for this process.
  ///
  /// One that was killed a moment ago is held by its guardian until nothing of its steps is left.
  private func hold(
    _ name: String, _ path: String, _ journal: Journal, hiding secrets: Secrets
  ) async throws -> RecordedWatch {
    let end = ContinuousClock.now.advanced(by: .seconds(5))
    while true {
      if let recorded = try journal.watch(name, file: path, hiding: secrets) { return recorded }
      let isServed = (try? ControlClient(journal.directory.watchSocketPath(of: name))) != nil
      guard !isServed, ContinuousClock.now < end else {
        throw Problem(
          "error: another process watches the workflow \"\(name)\"; see it with: reprise triggers",
          status: .cannotGoOn)
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
