// The report of `reprise run --dry-run`.

package import Reprise
package import RepriseTerminal

/// A report on the steps that a run would execute, in order.
package struct DryRun {
  private let workflow: Workflow

  /// Creates a report on a workflow.
  package init(_ workflow: Workflow) {
    self.workflow = workflow
  }

  /// The report: one paragraph for each step, in topological order.
  package var text: TerminalSafe {
    let count = workflow.steps.count
    let steps = workflow.graph.topologicalOrder.map { describe(workflow.steps[$0.position]) }
    let decider: TerminalSafe
    switch workflow.condition {
    case .command(let command)?: decider = ", if a command says so: \(abridged(command.script))"
    case .expression(let template)?: decider = ", if \(abridged(template.source))"
    case nil: decider = ""
    }
    return "\(workflow.name): would run \(countText(count, "step"))\(decider)\n"
      + steps.joined(separator: "\n")
  }

  /// The maximum number of dependencies and of script lines shown for a step.
  private static let (needsMax, linesMax) = (20, 50)

  /// Returns the first ids, and the number of the others.
  private static func some(of ids: [String]) -> String {
    let rest = ids.count - needsMax
    return ids.prefix(needsMax).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private func describe(_ step: Workflow.Step) -> TerminalSafe {
    let needs = step.needs.isEmpty ? "at once" : "after " + Self.some(of: step.shownNeeds)
    let decider: TerminalSafe =
      step.extrasIfAny?.conditionCommand.map { ", decided by a command: \(abridged($0.script))" }
      ?? ""
    let rounds: TerminalSafe =
      step.extrasIfAny?.repetition.map { ", repeated \(abridged($0.shown))" } ?? ""
    let lines = step.action.kind.shown
    let rest = lines.count - Self.linesMax
    let action =
      (lines.prefix(Self.linesMax).map { TerminalSafe(abridged($0)) }
      + (rest > 0 ? ["… and \(countText(rest, "more line"))"] : [])).joined(separator: "\n      ")
    return "  \(step.shownWithID), \(needs)\(decider)\(rounds)\n      \(action)"
  }
}
