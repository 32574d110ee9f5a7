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
    let lines = step.action.kind.shown
    let rest = lines.count - Self.linesMax
    let action =
      (lines.prefix(Self.linesMax).map { TerminalSafe(abridged($0)) }
      + (rest > 0 ? ["… and \(rest) more lines"] : [])).joined(separator: "\n      ")
    return "  \(step.id), \(needs)\n      \(action)"
  }
}
