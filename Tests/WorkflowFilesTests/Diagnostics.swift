// Helpers that collect the diagnostics of a workflow text.

import WorkflowFiles

extension [Diagnostic] {
  /// `line:column code` of each diagnostic.
  var found: [String] { map { "\($0.line):\($0.column) \($0.code)" } }

  /// Returns whether a hint contains the given words; true if the words are empty.
  func haveHint(_ words: String) -> Bool {
    words.isEmpty || contains { $0.hint?.contains(words) == true }
  }
}

/// Returns the diagnostics of a workflow; empty if it can be read.
func diagnostics(_ text: String) -> [Diagnostic] {
  do {
    _ = try Workflow(text: text, file: "w.yaml")
    return []
  } catch {
    return error.diagnostics
  }
}
