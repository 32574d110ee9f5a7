// What is wrong with a workflow that a test writes down.

import WorkflowLanguage

/// The diagnostics of a workflow; none where it can be read.
func diagnostics(_ text: String) -> [Diagnostic] {
  do {
    _ = try Workflow(text: text, file: "w.yaml")
    return []
  } catch {
    return error.diagnostics
  }
}
