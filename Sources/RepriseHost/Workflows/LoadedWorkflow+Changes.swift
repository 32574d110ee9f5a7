// Whether a run can be resumed with its file as it is now.

package import Reprise
package import RepriseJournal
import RepriseTerminal

extension LoadedWorkflow {
  /// Checks that the steps of a run that have succeeded are as they were.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - state: Its state.
  ///   - scope: How much of the workflow it runs.
  /// - Throws: ``Problem`` with the differences.
  package func expectFinishedSteps(
    of record: RunRecord, _ state: RunState, _ scope: RunScope
  ) throws(Problem) {
    let finished = Set(state.steps.filter(\.phase.isSuccess).map(\.id))
    guard
      let parsed = try? Workflow(
        bytes: Array(record.request.source.utf8), file: record.request.file,
        sources: .kept(Self.sources(recorded: record.request.options)),
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
      \(TerminalSafe(lines: text))
        start anew with reprise run, or go on without running them again: \
      reprise resume \(record.id) --force
      """)
  }
}
