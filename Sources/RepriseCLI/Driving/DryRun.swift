// What a run would do, without doing it. Pure.

import Reprise
import RepriseTerminal

/// The steps of a workflow in the order in which they would start, with what they would do.
struct DryRun {
  private let workflow: Workflow

  init(_ workflow: Workflow) {
    self.workflow = workflow
  }

  /// One paragraph for each step, in topological order.
  var text: TerminalSafe {
    let count = workflow.steps.count
    let steps = workflow.graph.topologicalOrder.map { describe(workflow.steps[$0.position]) }
    return "\(workflow.name): would run \(count) \(count == 1 ? "step" : "steps")\n"
      + steps.joined(separator: "\n")
  }

  private func describe(_ step: Workflow.Step) -> TerminalSafe {
    let needs = step.needs.isEmpty ? "at once" : "after " + step.needs.joined(separator: ", ")
    let action: TerminalSafe
    switch step.action {
    case .run(let script):
      action = script.split(separator: "\n").map { TerminalSafe(String($0)) }
        .joined(separator: "\n      ")
    case .exec(let words):
      action = words.map { TerminalSafe(quoted($0.source)) }.joined(separator: " ")
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
