// `reprise resume`: continues a run where it stopped.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct ResumeCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Resume a run that failed, was cancelled or was interrupted.",
    discussion: """
      Steps that have succeeded are not run again; their outputs are kept. Unfinished steps may \
      have changed in the file. If a finished step has changed, the difference is shown and \
      nothing runs.

      EXAMPLES
        reprise resume @last
        reprise resume 3fk2m9x0ab --force
        reprise resume @failed --set test=success
        reprise resume 3fk2m9x0ab --from build
        reprise resume @last --detach
        reprise resume @last --submit big
      """)

  @OptionGroup var run: RunArgument

  @Option(help: "Progress display: auto, tree, plain, github, json or none.")
  var progress = ProgressStyle.auto

  @Flag(help: "Resume even if finished steps have changed; they are not run again.")
  var force = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Set the result of a step by hand (succeeded or skipped) and do not run it. Can be repeated.",
      valueName: "step=result"))
  var set: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run this step and its dependents again, too, even if they have succeeded.",
      valueName: "step"), completion: .step)
  var from: String?

  @Flag(help: "If a step fails, exit with its exit status instead of 1.")
  var passThrough = false

  @Flag(help: "Approve all steps that wait for approval.")
  var yes = false

  @Flag(help: "Print the id of the run and continue in the background.")
  var detach = false

  @Option(
    name: [.customShort("p"), .customLong("param")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Set a parameter that was not recorded because it contains a secret. Can be repeated.",
      valueName: "name=value"))
  var parameters: [String] = []

  @OptionGroup var staying: StayOptions

  @OptionGroup var notifying: NotifyOption

  @OptionGroup var submitting: SubmitOption

  func validate() throws {
    try ParameterOptions.check(parameters)
    _ = try results()
    try submitting.expectNone(
      detach: detach, passThrough: passThrough, stay: staying.stay, notify: notifying.notify,
      progress)
  }

  private func results() throws -> [String: HandmadeResult] {
    var results: [String: HandmadeResult] = [:]
    for text in set {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let result = HandmadeResult(word: parts[1]) else {
        throw ValidationError(
          "--set \(text): expected STEP=success or STEP=skipped.")
      }
      results[parts[0]] = result
    }
    return results
  }

  var drivesRun: Bool { submitting.runner == nil }
  var isDetached: Bool { detach }
  var canBeLeft: Bool { !detach && progress.hasKeys }

  func run() async throws {
    let (found, journal) = try run.find(to: .resume)
    if let engine = SubmittedEngine(of: found.id, in: journal.directory), engine.status == .waiting
    {
      throw Problem(
        "error: run \(found.id) was submitted, and \(engine.title) has not started; cancel it with: "
          + "reprise cancel \(found.id)", cause: .internalFailure)
    }
    guard !found.status.isLive else {
      throw Problem(
        "error: run \(found.id) is running in process \(found.process); show it with: "
          + "reprise attach \(found.id)", cause: .internalFailure)
    }
    let record = try enterFolder(of: found, in: journal)
    let resumed = try await ResumedRun(
      record, ParameterOptions.texts(of: parameters),
      from.map { .from(step: $0) } ?? .unfinished, acceptsChanges: force, setting: results(),
      by: .command("resume"))
    if let runner = try submitting.runner(of: resumed.workflow.workflow) {
      try resumed.checked(record, try journal.state(of: record))
      throw try await submitting.submit(
        words(of: record.id), of: record.id, to: runner, in: journal.directory)
    }
    let driven = DrivenRun(
      progress: detach ? .none : progress, resumed.secrets, passesThrough: passThrough,
      stays: StayOptions.policy(staying.stay),
      approvesAll: yes, notifies: notifying.notify)
    throw try await driven.exitStatus(of: resumed.workflow, in: journal) {
      try resumed.reopen(in: journal)
    }
  }
  /// The words of this command in a job.
  private func words(of run: RunID) -> [String] {
    var words = ["resume", run.description] + submitting.words(progress, yes: yes)
    if force { words.append("--force") }
    words += set.flatMap { ["--set", $0] } + (from.map { ["--from", $0] } ?? [])
    return words + parameters.flatMap { ["-p", $0] }
  }
}
