// `reprise resume`: goes on where a run stopped.

import ArgumentParser
import Platform
import Reprise
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
          + "reprise attach \(record.id)", status: .cannotGoOn)
    }
    guard changeDirectory(to: record.request.directory) else {
      throw Problem(
        "error: the folder of the run is not there any more: \"\(record.request.directory)\"")
    }
    let loaded = try LoadedWorkflow(
      recorded: record, ParameterOptions.texts(of: parameters))
    let scope = RunScope(recorded: record.request.options)
    let workflow = try scope.applied(to: loaded.workflow)
    let secrets = try await gatherSecrets(of: workflow)
    let settings = RunSettings(progress: progress, secrets: secrets)
    let driven = DrivenRun(settings, passesThrough: passThrough)
    let sources = LoadedWorkflow.sources(recorded: record.request.options)
    throw try await driven.exitStatus(in: journal) {
      let isAlone = workflow.concurrency?.policy == .reject
      let (recorded, state) = try journal.reopen(record.id, isAlone: isAlone) { record, state in
        guard record.status != .succeeded else {
          throw Problem("error: the run \(record.id) has succeeded: there is nothing to go on with")
        }
        if !force && (loaded.text != record.request.source || loaded.workflow.sources != sources) {
          try refuseChanges(of: record, state, scope, to: workflow, with: loaded.arguments)
        }
        return try loaded.request(scope.recorded, hiding: secrets)
      }
      return HeldRun(recorded: recorded, workflow: workflow, file: loaded.path, state: state)
    }
  }

  private func refuseChanges(
    of record: RunRecord, _ state: RunState, _ scope: RunScope, to workflow: Workflow,
    with arguments: Arguments
  ) throws(Problem) {
    let finished = Set(state.steps.filter(\.phase.isSuccess).map(\.id))
    guard
      let parsed = try? Workflow(
        bytes: Array(record.request.source.utf8), file: record.request.file,
        sources: .kept(LoadedWorkflow.sources(recorded: record.request.options)),
        with: arguments),
      let old = try? scope.applied(to: parsed)
    else {
      throw Problem(
        "error: what the run was begun with cannot be read any more; use --force to go on anyway")
    }
    let changes = changes(ofFinished: finished, from: old, to: workflow)
    guard !changes.isEmpty else { return }
    let text = changes.map { change in
      (["  \(change.step)"] + change.removed.map { "    - \($0)" }
        + change.added.map { "    + \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
    throw Problem(
      """
      error: steps that have succeeded in run \(record.id) are different in \(record.request.file) now:
      \(text)
        start anew with reprise run, or go on without running them again: \
      reprise resume \(record.id) --force
      """)
  }
}
