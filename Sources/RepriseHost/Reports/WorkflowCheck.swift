// What `reprise validate` finds in a workflow.

import Platform
package import Reprise
package import RepriseTerminal

/// The errors and warnings of a workflow file, or of one of the workflows in it.
package struct WorkflowCheck: Sendable {
  /// The path of the file; for a workflow in it, followed by `#` and its name.
  package let path: String
  /// The number of steps; nil if there are errors.
  package let steps: Int?
  /// The errors and warnings, in the order of the file.
  package let diagnostics: [Diagnostic]
  /// The errors for a terminal; nil if there are none.
  package let problem: TerminalSafe?

  /// Checks a file and all workflows in it, or one of these; runs nothing that they name.
  ///
  /// Parses the file once.
  ///
  /// - Parameters:
  ///   - path: The path of the file, as in `LoadedWorkflow.parse`.
  ///   - withRunners: Whether to ask the runners as well, which starts programs that they name.
  /// - Returns: A check of each workflow; without one of the file itself if it is only a collection of
  ///   workflows.
  package static func all(in path: String, withRunners: Bool = false) async -> [WorkflowCheck] {
    do {
      let source = try await blocking { try LoadedWorkflow.parse(path) }
      var checks: [WorkflowCheck] = []
      for workflow in source.workflows { checks.append(await check(workflow, withRunners)) }
      return checks
    } catch {
      return [WorkflowCheck(path, error)]
    }
  }

  private static func check(_ source: WorkflowText, _ withRunners: Bool) async -> WorkflowCheck {
    do {
      let workflow = try await blocking {
        try source.workflow(with: Arguments(allowsMissing: true), actions: RunnerReport.catalog)
      }
      var all =
        await workflow.warnings
        + workflow.warnings(of: ScriptReport(workflow).problems + InputReport(workflow).problems)
      if withRunners { all += await RunnerReport(workflow).problems.map(workflow.warning) }
      return WorkflowCheck(source.link, workflow, all)
    } catch {
      return WorkflowCheck(source.link, error)
    }
  }

  private init(_ path: String, _ workflow: Workflow, _ warnings: [Diagnostic]) {
    self.path = path
    (steps, diagnostics, problem) = (workflow.steps.count, warnings, nil)
  }

  private init(_ path: String, _ error: any Error) {
    self.path = path
    steps = nil
    if let error = error as? WorkflowError {
      (diagnostics, problem) = (error.diagnostics, "\(error)")
    } else {
      let found = Problem(error)
      (diagnostics, problem) = (found.diagnostics, found.text)
    }
  }
}
