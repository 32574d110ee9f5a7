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
      let parsed = try? record.recordedWorkflow(with: arguments),
      let old = try? scope.applied(to: parsed)
    else {
      throw Problem(
        "error: the recorded workflow of the run cannot be parsed; use --force to resume anyway")
    }
    let changes = changes(
      ofFinished: finished, from: old.expanding(state.expansions),
      to: workflow.expanding(state.expansions))
    guard !changes.isEmpty else { return }
    let text = changes.map(\.text).joined(separator: "\n")
    throw Problem(
      """
      error: steps that succeeded in run \(record.id) have changed in \(record.request.file):
      \(TerminalSafe(lines: text))
        start a new run with reprise run, or resume without running them again: \
      reprise resume \(record.id) --force
      """)
  }
}

extension StepChange {
  /// The id of the step and the lines that differ, indented.
  var text: String {
    (["  \(step)"] + removed.map { "    - \($0)" } + added.map { "    + \($0)" })
      .joined(separator: "\n")
  }
}

extension RunRecord {
  /// Whether the workflow file, or a file that it uses, differs from the text by which the run runs.
  ///
  /// False if that cannot be determined.
  package var fileHasChanged: Bool {
    let file = request.path
    guard !request.isText, request.program == nil, let bytes = try? Workflow.bytes(of: file)
    else { return false }
    let folder = file[..<(file.lastIndex(of: "/") ?? file.startIndex)]
    return String(decoding: bytes, as: UTF8.self) != request.source
      || request.definition.uses.contains { path, text in
        let path = path.hasPrefix("/") ? path : folder + "/" + path
        return (try? Workflow.bytes(of: path)).map { String(decoding: $0, as: UTF8.self) } != text
      }
  }
}
