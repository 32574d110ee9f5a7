// How much of a workflow is run, and how the journal keeps that for a later `resume`.

package import Reprise
import RepriseTerminal

/// How much of a workflow is run, and how many steps at once.
package struct RunScope: Equatable, Sendable {
  /// How many steps may run at once; what the file says when nil.
  package var maxParallel: Int?
  /// The steps that are run alone; all when empty.
  package var only: [String] = []
  /// The steps that are run with what depends on them; all when empty.
  package var from: [String] = []
  /// What a recorded success survives; what the file says when nil.
  package var durability: Durability?

  /// Makes a scope; without arguments, the whole workflow as its file says.
  package init(
    maxParallel: Int? = nil, only: [String] = [], from: [String] = [],
    durability: Durability? = nil
  ) {
    self.maxParallel = maxParallel
    self.only = only
    self.from = from
    self.durability = durability
  }

  /// The workflow that is to be run.
  ///
  /// - Throws: ``Problem`` when a step does not exist.
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
    if selected.steps.count < workflow.steps.count, let need = selected.firstAbsentNeed() {
      throw Problem(
        "error: the step \"\(need.step)\" reads outputs or the result of \"\(need.absent)\", which would not run; "
          + "add it: --\(only.isEmpty ? "from" : "only") \(need.absent)")
    }
    selected.maxParallel = maxParallel ?? workflow.maxParallel
    selected.durability = durability ?? workflow.durability
    return selected
  }
}

extension RunScope {
  /// The scope of a recorded run.
  package init(recorded: [String: String]) {
    self.init(
      maxParallel: recorded["max-parallel"].flatMap(Int.init),
      only: recorded["only"]?.split(separator: " ").map(String.init) ?? [],
      from: recorded["from"]?.split(separator: " ").map(String.init) ?? [],
      durability: recorded["durability"].flatMap(Durability.init))
  }

  /// The scope as the record keeps it.
  package var recorded: [String: String] {
    var recorded: [String: String] = [:]
    recorded["max-parallel"] = maxParallel.map(String.init)
    recorded["only"] = only.isEmpty ? nil : only.joined(separator: " ")
    recorded["from"] = from.isEmpty ? nil : from.joined(separator: " ")
    recorded["durability"] = durability?.rawValue
    return recorded
  }
}
