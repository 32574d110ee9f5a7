// R094: what the files that steps have used say about the workflow.

package import Workflows

extension Diagnostic.Cause {
  /// Returns names of files for a message: at most three of them.
  private static func listed(_ files: [String]) -> String {
    let shown = files.prefix(3).joined(separator: ", ")
    return files.count > 3 ? "\(shown) and \(files.count - 3) more" : shown
  }

  package static func missingNeed(of step: String, on other: String, files: [String]) -> Self {
    Self(
      "R0940",
      "step \"\(step)\" uses \(listed(files)), which \"\(other)\" makes, and does not need it")
  }

  package static func conflict(of step: String, with other: String, files: [String]) -> Self {
    Self(
      "R0941",
      "steps \"\(other)\" and \"\(step)\" may run at once, and both use \(listed(files)), which at "
        + "least one of them changes"
    )
    .hint("let one of them need the other, or use different files")
  }

  package static func superfluousNeed(of step: String, on other: String, time: String?) -> Self {
    Self(
      "R0942",
      "step \"\(step)\" needs \"\(other)\", but uses nothing that it makes"
        + (time.map { ", and has waited \($0) for it" } ?? "")
    )
    .hint("if no other reason asks for this order, remove the need")
  }

  package static func undeclaredInput(of step: String, files: [String]) -> Self {
    Self(
      "R0943",
      "step \"\(step)\" reads \(listed(files)), which no pattern under cache.inputs matches"
    )
    .hint(
      files.count == 1
        ? "add it; until then, a change of it does not run the step again"
        : "add them; until then, a change of them does not run the step again")
  }

  package static func unreadInput(_ pattern: String, of step: String) -> Self {
    Self("R0944", "step \"\(step)\" reads no file that \"\(pattern)\" under cache.inputs matches")
      .hint("if it depends on such files in no other way, remove the pattern")
  }
}
