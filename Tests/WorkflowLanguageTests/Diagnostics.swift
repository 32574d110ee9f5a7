// What is wrong with a workflow that a test writes down.

import WorkflowLanguage

extension [Diagnostic] {
  /// `line:column code` of each.
  var found: [String] { map { "\($0.line):\($0.column) \($0.code)" } }

  /// Whether one of them has a hint with these words; whether there are words at all.
  func haveHint(_ words: String) -> Bool {
    words.isEmpty || contains { $0.hint?.contains(words) == true }
  }
}

/// The diagnostics of a workflow; none where it can be read.
func diagnostics(_ text: String) -> [Diagnostic] {
  do {
    _ = try Workflow(text: text, file: "w.yaml")
    return []
  } catch {
    return error.diagnostics
  }
}
