// What `reprise validate` finds in a workflow.

import Platform
package import Reprise
package import RepriseTerminal

/// The errors and warnings of a workflow file, or of one of the workflows in it.
package struct WorkflowCheck: Sendable {
  /// The number of steps; nil if there are errors.
  package let steps: Int?
  /// The errors and warnings, in the order of the file.
  package let diagnostics: [Diagnostic]
  /// The errors for a terminal; nil if there are none.
  package let problem: TerminalSafe?

  /// Checks a workflow; runs nothing that it names.
  ///
  /// - Parameters:
  ///   - path: The path of the file, as in `LoadedWorkflow.parse`.
  ///   - withRunners: Whether to ask its runners as well, which starts programs that it names.
  package init(_ path: String, withRunners: Bool = false) async {
    do {
      let workflow = try await blocking {
        try LoadedWorkflow.parse(path)
          .workflow(with: Arguments(allowsMissing: true), actions: RunnerReport.catalog)
      }
      var all =
        await workflow.warnings
        + workflow.warnings(of: ScriptReport(workflow).problems + InputReport(workflow).problems)
      if withRunners { all += await RunnerReport(workflow).problems.map(workflow.warning) }
      (steps, diagnostics, problem) = (workflow.steps.count, all, nil)
    } catch let error as WorkflowError {
      (steps, diagnostics, problem) = (nil, error.diagnostics, "\(error)")
    } catch {
      let found = Problem(error)
      (steps, diagnostics, problem) = (nil, found.diagnostics, found.text)
    }
  }
}
