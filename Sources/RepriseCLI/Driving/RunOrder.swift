// What `reprise run` is asked to do, and how it is done. Knows no parser: how it was asked for is the
// business of RunCommand and of the quick reading of plain command lines.

import Reprise
import RepriseJournal
import RepriseTerminal

/// A workflow file with all that was said of its run.
struct RunOrder: Equatable {
  /// The path of a workflow file, or the name of a file in `workflows/`.
  var file: String
  var progress = ProgressStyle.auto
  /// As `name=value`.
  var parameters: [String] = []
  var paramsFile: String?
  var scope = RunScope()
  var force = false
  var dryRun = false
  var passThrough = false
  var detach = false
  var noJournal = false
  var place = StatePlace()

  /// Whether a run will be driven.
  var drivesRun: Bool { !dryRun }

  /// Carries it out.
  ///
  /// - Throws: ``ExitStatus`` in the end, or ``Problem``.
  func carryOut() async throws {
    let loaded = try LoadedWorkflow(path: try WorkflowFiles.path(of: file)) {
      declared throws(Problem) in
      try ParameterOptions.arguments(for: declared, given: parameters, paramsFile)
    }
    let selected = try scope.applied(to: loaded.workflow)
    if dryRun {
      printLine(DryRun(selected).text)
      return
    }
    if noJournal { try checkNeedsNoJournal(selected) }
    let secrets = try await gatherSecrets(of: selected)
    let request = try loaded.request(scope.recorded, hiding: secrets)
    let settings = RunSettings(
      progress: detach ? .none : progress, secrets: secrets, rerunsUpToDateSteps: force)
    let run = DrivenRun(settings, passesThrough: passThrough)
    guard !noJournal else { throw await run.exitStatus(of: selected) }
    let journal = try place.openJournal()
    throw try await run.exitStatus(in: journal) {
      let isAlone = selected.concurrency?.policy == .reject
      return HeldRun(
        recorded: try journal.begin(request, isAlone: isAlone), workflow: selected,
        file: loaded.path, state: nil)
    }
  }
}

/// Checks that a workflow can be run without a record.
///
/// - Throws: ``Problem`` when it is in a group, whose other runs cannot be seen then.
func checkNeedsNoJournal(_ workflow: Workflow) throws(Problem) {
  guard let concurrency = workflow.concurrency, concurrency.policy != .parallel else { return }
  throw Problem(
    "error: the workflow is in the concurrency group \"\(concurrency.group)\", which --no-journal "
      + "cannot see; leave --no-journal out")
}
