// The options that select what a run executes, and how the journal records them for `resume`.

package import Reprise
import RepriseTerminal

/// The part of a workflow that a run executes, and options that override the file.
package struct RunScope: Equatable, Sendable {
  /// The maximum number of steps that run at once; nil for the limit of the file.
  package var maxParallel: Int?
  /// The only steps to run; empty for all.
  package var only: [String] = []
  /// The steps to run with their dependents; empty for all.
  package var from: [String] = []
  /// The failure that recorded successes survive; nil for the setting of the file.
  package var durability: Durability?

  /// Creates a scope; without arguments, the whole workflow as in its file.
  package init(
    maxParallel: Int? = nil, only: [String] = [], from: [String] = [],
    durability: Durability? = nil
  ) {
    self.maxParallel = maxParallel
    self.only = only
    self.from = from
    self.durability = durability
  }

  /// Returns the part of a workflow to run.
  ///
  /// - Throws: ``Problem`` if a step does not exist, or reads values of a step that would not run.
  package func applied(to workflow: Workflow) throws(Problem) -> Workflow {
    var selected = workflow
    do throws(SelectionError) {
      if !from.isEmpty {
        selected = try workflow.selecting(from: from)
      } else if !only.isEmpty {
        selected = try workflow.selecting(only: only)
      }
    } catch {
      throw Problem("error: \(error)")
    }
    if selected.steps.count < workflow.steps.count, let need = selected.firstMissingDependency() {
      throw Problem(
        "error: the step \"\(need.step)\" reads outputs or the result of \"\(need.absent)\", which "
          + "would not run; add it: --\(only.isEmpty ? "from" : "only") \(need.absent)")
    }
    selected.maxParallel = maxParallel ?? workflow.maxParallel
    selected.durability = durability ?? workflow.durability
    return selected
  }
}

extension RunScope {
  /// Restores the scope of a recorded run.
  package init(recorded: [String: String]) {
    self.init(
      maxParallel: recorded["max-parallel"].flatMap(Int.init),
      only: recorded["only"]?.split(separator: " ").map(String.init) ?? [],
      from: recorded["from"]?.split(separator: " ").map(String.init) ?? [],
      durability: recorded["durability"].flatMap(Durability.init))
  }

  /// The scope as recorded options.
  package var recorded: [String: String] {
    var recorded: [String: String] = [:]
    recorded["max-parallel"] = maxParallel.map(String.init)
    recorded["only"] = only.isEmpty ? nil : only.joined(separator: " ")
    recorded["from"] = from.isEmpty ? nil : from.joined(separator: " ")
    recorded["durability"] = durability?.rawValue
    return recorded
  }
}
