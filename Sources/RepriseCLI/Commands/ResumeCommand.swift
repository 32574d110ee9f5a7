// `reprise resume`: goes on where a run stopped.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct ResumeCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Take up a run that failed, was cancelled or was interrupted.",
    discussion: """
      What has succeeded is not run again, and its outputs are there. The file may have changed in \
      what was not finished yet; when a finished step has changed, the difference is shown and \
      nothing is run.

      EXAMPLES
        reprise resume @last
        reprise resume 3fk2m9x0ab --force
      """)

  @OptionGroup var run: RunArgument

  @Option(help: "How progress is shown: auto, tree, plain, json or none.")
  var progress = ProgressStyle.auto

  @Flag(help: "Go on although finished steps have changed; they are not run again.")
  var force = false

  @Flag(help: "When a step fails, end with its exit status instead of 1.")
  var passThrough = false

  @Option(
    name: [.customShort("p"), .customLong("param")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Give a parameter again that is not recorded, since a secret is in it. Can be repeated.",
      valueName: "name=value"))
  var parameters: [String] = []

  func validate() throws {
    try ParameterOptions.check(parameters)
  }

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func run() async throws {
    let (record, journal) = try run.find()
    guard !record.status.isLive else {
      throw Problem(
        "error: the run \(record.id) is under way in process \(record.process); see it with: "
          + "reprise attach \(record.id)", cause: .cannotGoOn)
    }
    guard changeDirectory(to: record.request.directory) else {
      throw Problem(
        "error: the folder of the run is not there any more: \"\(record.request.directory)\"")
    }
    let loaded = try LoadedWorkflow(
      recorded: record, ParameterOptions.texts(of: parameters))
    let scope = RunScope(recorded: record.request.options)
    var selected = loaded
    selected.workflow = try scope.applied(to: loaded.workflow)
    let secrets = try await Secrets.gathered(for: selected.workflow)
    let driven = DrivenRun(progress: progress, secrets, passesThrough: passThrough)
    let sources = LoadedWorkflow.sources(recorded: record.request.options)
    throw try await driven.exitStatus(of: selected, in: journal) { [selected] in
      let isAlone = selected.workflow.concurrency?.policy == .reject
      return try journal.reopen(record.id, isAlone: isAlone) { record, state in
        guard record.status != .succeeded else {
          throw Problem("error: the run \(record.id) has succeeded: there is nothing to go on with")
        }
        if !force && (loaded.text != record.request.source || loaded.workflow.sources != sources) {
          try selected.expectFinishedSteps(of: record, state, scope)
        }
        return try loaded.request(scope.recorded, hiding: secrets)
      }
    }
  }
}
