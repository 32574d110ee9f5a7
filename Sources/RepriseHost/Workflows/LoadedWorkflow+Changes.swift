// Checks whether a run can be resumed with the current content of its file.

package import Reprise
package import RepriseJournal
import RepriseTerminal

extension LoadedWorkflow {
  /// Checks that the succeeded steps of a run have not changed.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - state: The state of the run.
  ///   - scope: The part of the workflow that the run executes.
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
        "error: the recorded workflow of the run cannot be parsed; use --force to resume anyway")
    }
    let changes = changes(ofFinished: finished, from: old, to: workflow)
    guard !changes.isEmpty else { return }
    let text = changes.map { change in
      (["  \(change.step)"] + change.removed.map { "    - \($0)" }
        + change.added.map { "    + \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
    throw Problem(
      """
      error: steps that succeeded in run \(record.id) have changed in \(record.request.file):
      \(TerminalSafe(lines: text))
        start a new run with reprise run, or resume without running them again: \
      reprise resume \(record.id) --force
      """)
  }
}
