// The options of a run that a later `resume` must know, and what they make of a workflow.

public import ArgumentParser
public import Reprise
import RepriseTerminal

struct RunOptions: ParsableArguments {
  @Option(help: "How many steps may run at once, whatever the file says.")
  var maxParallel: Int?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Run just these steps, without what they need. Can be repeated.", valueName: "id"))
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run this step and what depends on it. Can be repeated.", valueName: "id"))
  var from: [String] = []

  @Option(
    help: """
      What a recorded success survives: process (the death of the engine) or power (its loss, too).
      """)
  var durability: Durability?

  func validate() throws {
    if let maxParallel, maxParallel < 1 {
      throw ValidationError("--max-parallel takes a number from 1, not \(maxParallel).")
    }
    if !only.isEmpty && !from.isEmpty {
      throw ValidationError("--only and --from exclude each other: give one of them.")
    }
  }

  var scope: RunScope {
    RunScope(maxParallel: maxParallel, only: only, from: from, durability: durability)
  }
}

/// How much of a workflow is run, and how many steps at once.
struct RunScope: Equatable {
  var maxParallel: Int?
  var only: [String] = []
  var from: [String] = []
  var durability: Durability?

  /// The workflow that is to be run.
  ///
  /// - Throws: ``Problem`` when a step does not exist.
  func applied(to workflow: Workflow) throws(Problem) -> Workflow {
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
  init(recorded: [String: String]) {
    maxParallel = recorded["max-parallel"].flatMap(Int.init)
    only = recorded["only"]?.split(separator: " ").map(String.init) ?? []
    from = recorded["from"]?.split(separator: " ").map(String.init) ?? []
    durability = recorded["durability"].flatMap(Durability.init)
  }

  /// The scope as the record keeps it.
  var recorded: [String: String] {
    var recorded: [String: String] = [:]
    recorded["max-parallel"] = maxParallel.map(String.init)
    recorded["only"] = only.isEmpty ? nil : only.joined(separator: " ")
    recorded["from"] = from.isEmpty ? nil : from.joined(separator: " ")
    recorded["durability"] = durability?.rawValue
    return recorded
  }
}

extension Durability: ExpressibleByArgument {}
