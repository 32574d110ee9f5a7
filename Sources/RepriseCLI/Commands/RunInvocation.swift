// `RunInvocation`: what a command line of `reprise run` asks for, and how it is done.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

/// What a command line of `reprise run` asks for.
///
/// Plain values, so that a usual command line is read without setting up the parser and its options, which
/// takes a third of the instructions until the first step starts.
struct RunInvocation: ParameterChoice, StateChoice, EngineSubmission {
  var workflows: [String] = []
  /// What follows `--`.
  var others: [String] = []
  var progress = ProgressStyle.auto
  var parameters: [String] = []
  var paramsFile: String?
  var scope = RunScope()
  var isForced = false
  var dryRun = false
  var passThrough = false
  var yes = false
  var detach = false
  var up = false
  var noJournal = false
  var stateDir: String?
  var stay: Bool?
  var notify = false
  /// The runner that gets the engine; nil if it runs here.
  var runner: String?

  var drivesRun: Bool { !dryRun && runner == nil }
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
    try expectNone(
      detach: detach, passThrough: passThrough, stay: stay, notify: notify, progress,
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
    try expectKnown(declared.flatMap(\.self))
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
      var given = try arguments(
        for: parameters, only: declared.map { Set($0.map(\.name)) })
      given.others = others
      given.staysUp = up
      return given
    }
  }

  private func status(of loaded: LoadedWorkflow) async throws -> ExitStatus {
    let runner = try runner(of: loaded.workflow)
    var scope = scope
    let taken = try scope.keepValues(for: loaded) {
      try directory().exists ? try openExistingJournal() : nil
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
      progress: detach ? .none : progress, secrets, EngineSettings(rerunsUpToDateSteps: isForced),
      passesThrough: passThrough, stays: StayOptions.policy(stay), approvesAll: yes,
      notifies: notify)
    guard !noJournal else { return await run.exitStatus(of: selected) }
    let journal = try openJournal()
    return try await run.exitStatus(of: selected, in: journal) {
      let isAlone = loaded.workflow.concurrency?.policy == .reject
      return (try journal.begin(request, id: ProcessLinks.idOfNewRun, isAlone: isAlone), nil)
    }
  }
}

extension RunInvocation {
  /// Submits the engine as a job, which runs the same command with the values of parameters that were
  /// given here.
  private func submit(
    _ loaded: LoadedWorkflow, _ scope: RunScope, to runner: RunnerChoice
  ) async throws -> ExitStatus {
    var options = words(progress, yes: yes)
    if isForced { options.append("--force") }
    if up { options.append("--up") }
    // With the secrets in parameters: only this user can read the words.
    let words = scope.words(
      running: loaded.path, loaded.arguments.texts, loaded.arguments.others, options: options)
    return try await submit(words, of: RunID(), to: runner, in: try directory())
  }
}
