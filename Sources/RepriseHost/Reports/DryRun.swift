// What a run would do, without doing it.

package import Reprise
package import RepriseTerminal

/// The steps of a workflow in the order in which they would start, with what they would do.
package struct DryRun {
  private let workflow: Workflow

  /// Prepares to describe a workflow.
  package init(_ workflow: Workflow) {
    self.workflow = workflow
  }

  /// One paragraph for each step, in topological order.
  package var text: TerminalSafe {
    let count = workflow.steps.count
    let steps = workflow.graph.topologicalOrder.map { describe(workflow.steps[$0.position]) }
    return "\(workflow.name): would run \(count) \(count == 1 ? "step" : "steps")\n"
      + steps.joined(separator: "\n")
  }

  /// How many needs of a step are named, and how many lines of its script are shown.
  private static let (needsMax, linesMax) = (20, 50)

  /// The first of some ids, with the number of the others.
  private static func some(of ids: [String]) -> String {
    let rest = ids.count - needsMax
    return ids.prefix(needsMax).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private func describe(_ step: Workflow.Step) -> TerminalSafe {
    let needs = step.needs.isEmpty ? "at once" : "after " + Self.some(of: step.needs)
    let action: TerminalSafe
    switch step.action {
    case .run(let script):
      let lines = script.split(separator: "\n")
      let rest = lines.count - Self.linesMax
      action =
        (lines.prefix(Self.linesMax).map { TerminalSafe(abridged(String($0))) }
        + (rest > 0 ? ["… and \(rest) more lines"] : [])).joined(separator: "\n      ")
    case .exec(let words):
      action = TerminalSafe(abridged(words.lazy.map { quoted($0.source) }.joined(separator: " ")))
    case .call(let name, _):
      action = "call \(name)"
    case .perform:
      action = "Swift code"
    case .wait:
      action = "wait for approval"
    }
    return "  \(step.id), \(needs)\n      \(action)"
  }

  private func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./=:,@%+".contains($0) }
    return isPlain
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
  }
}
