// The options that select what a run executes, and how the journal records them for `resume`.

package import Reprise
package import RepriseJournal
package import RepriseTerminal

/// The part of a workflow that a run executes, and options that override the file.
package struct RunScope: Equatable, Sendable {
  /// The maximum number of steps that run at once; nil for the limit of the file.
  package var maxParallel: Int?
  /// The steps to run without their dependencies, in addition to those of `from` and `to`.
  package var only: [String] = []
  /// The steps to run with their dependents; empty for all.
  package var from: [String] = []
  /// The steps to run with what they need; empty for all.
  package var to: [String] = []
  /// The values of steps outside of this part, from an earlier run, by id.
  package var kept: [String: StepValues] = [:]
  /// The values of groups with computed items outside of this part, from an earlier run, by id.
  package var keptGroups: [String: Value] = [:]
  /// The failure that recorded successes survive; nil for the setting of the file.
  package var durability: Durability?

  /// Creates a scope; without arguments, the whole workflow as in its file.
  package init(
    maxParallel: Int? = nil, only: [String] = [], from: [String] = [], to: [String] = [],
    durability: Durability? = nil
  ) {
    self.maxParallel = maxParallel
    self.only = only
    self.from = from
    self.to = to
    self.durability = durability
  }

  /// Returns the part of a workflow to run.
  ///
  /// - Throws: ``Problem`` if a step does not exist, or reads values of a step that would not run
  ///   and whose values were not kept.
  package func applied(to workflow: Workflow) throws(Problem) -> Workflow {
    var selected = try selection(of: workflow)
    if selected.steps.count < workflow.steps.count,
      let need = selected.missingDependencies().first
    {
      throw Problem(
        "error: the step \"\(need.step)\" reads outputs or the result of \"\(need.absent)\", which "
          + "would not run, and no earlier run has left them; add it: "
          + "--\(from.isEmpty ? "only" : "from") \(need.absent)")
    }
    selected.maxParallel = maxParallel ?? workflow.maxParallel
    selected.durability = durability ?? workflow.durability
    return selected
  }

  /// Whether steps are selected, instead of the whole workflow.
  private var isPart: Bool { !(from.isEmpty && to.isEmpty && only.isEmpty) }

  private func selection(of workflow: Workflow) throws(Problem) -> Workflow {
    guard isPart else { return workflow }
    var workflow = workflow
    workflow.keptValues = kept
    workflow.keptGroups = keptGroups
    do throws(SelectionError) {
      var selected = try workflow.selecting(from: from, to: to, only: only)
      selected.keptVariables = keptVariables(for: selected, of: workflow)
      guard selected.steps.isEmpty else { return selected }
    } catch {
      throw Problem("error: \(error)")
    }
    throw Problem(
      "error: no step both depends on \(quoted(from)) (--from) and is needed by \(quoted(to)) (--to)"
    )
  }

  /// Returns the kept variables for each step of a part: those of the steps of its file that it
  /// needs in the whole workflow.
  private func keptVariables(
    for part: Workflow, of whole: Workflow
  ) -> [String: [String: String]] {
    var all: [String: [String: String]] = [:]
    let others = kept.keys.filter { part.graph.index(of: $0) == nil }
    for index in others.compactMap(whole.graph.index).sorted() {
      let writer = whole.steps[index.position]
      let variables = StepVariables.variables(in: kept[writer.id]?.outputs ?? [:])
      guard !variables.isEmpty else { continue }
      for dependent in whole.graph.withDependents([index])
      where whole.areInSameFile(writer, whole.steps[dependent.position]) {
        all[whole.graph.id(of: dependent), default: [:]].merge(variables) { $1 }
      }
    }
    return all
  }

  /// Takes the values that the part reads of other steps from the last run that has left them.
  ///
  /// - Parameters:
  ///   - loaded: The whole workflow.
  ///   - journal: Opens the journal; nil if nothing has been recorded. Called only if values may be
  ///     missing.
  /// - Returns: A message that names the steps and the run; nil if nothing was taken.
  /// - Throws: ``Problem`` if a step does not exist; ``JournalError``.
  package mutating func keepValues(
    for loaded: LoadedWorkflow, from journal: () throws -> Journal?
  ) throws -> TerminalSafe? {
    guard isPart else { return nil }
    let missing = MissingValues(of: try selection(of: loaded.workflow), in: loaded.workflow)
    guard !missing.isEmpty, let journal = try journal() else { return nil }
    let runs = try journal.runs().lazy.filter { run in
      run.request.file == loaded.path && run.generation > 0
    }
    for run in runs.prefix(Self.earlierRunsMax) {
      guard let state = try? journal.state(of: run),
        let found = missing.found(in: state, RunScope(recorded: run.request.options))
      else { continue }
      (kept, keptGroups) = (found.steps, found.groups)
      let texts: [TerminalSafe] = [
        missing.names.isEmpty ? "" : "outputs of \(quoted(missing.names.sorted()))",
        found.writers.isEmpty ? "" : "variables of \(quoted(found.writers))",
      ]
      let text = texts.filter { !$0.isEmpty }.joined(separator: ", and ")
      return text.isEmpty ? nil : "\(text) are those of run \(run.id)"
    }
    return nil
  }

  /// The maximum number of earlier runs in which missing values are looked up.
  private static let earlierRunsMax = 100

  private func quoted(_ ids: [String]) -> TerminalSafe {
    ids.map { "\"\($0)\"" }.joined(separator: ", ")
  }
}

extension RunScope {
  /// The prefix of the ids of steps whose values were kept, among the recorded options.
  private static let keptPrefix = "kept:"
  /// The same for groups with computed items.
  private static let keptGroupPrefix = "kept-group:"

  /// Restores the scope of a recorded run.
  package init(recorded: [String: String]) {
    self.init(
      maxParallel: recorded["max-parallel"].flatMap(Int.init),
      only: recorded["only"]?.split(separator: " ").map(String.init) ?? [],
      from: recorded["from"]?.split(separator: " ").map(String.init) ?? [],
      to: recorded["to"]?.split(separator: " ").map(String.init) ?? [],
      durability: recorded["durability"].flatMap(Durability.init))
    for (key, text) in recorded where key.hasPrefix(Self.keptGroupPrefix) {
      keptGroups[String(key.dropFirst(Self.keptGroupPrefix.count))] = try? Value(json: text)
    }
    for (key, text) in recorded where key.hasPrefix(Self.keptPrefix) {
      guard case .map(let values)? = try? Value(json: text),
        case .map(let outputs)? = values["outputs"]
      else { continue }
      kept[String(key.dropFirst(Self.keptPrefix.count))] = StepValues(
        result: values["result"]?.asText ?? "", outputs: outputs.mapValues(\.asText))
    }
  }

  /// The scope as recorded options.
  package var recorded: [String: String] {
    var recorded: [String: String] = [:]
    recorded["max-parallel"] = maxParallel.map(String.init)
    recorded["only"] = only.isEmpty ? nil : only.joined(separator: " ")
    recorded["from"] = from.isEmpty ? nil : from.joined(separator: " ")
    recorded["to"] = to.isEmpty ? nil : to.joined(separator: " ")
    recorded["durability"] = durability?.rawValue
    for (id, value) in keptGroups { recorded[Self.keptGroupPrefix + id] = value.json }
    for (id, values) in kept {
      let outputs = Value.map(values.outputs.mapValues(Value.text))
      recorded[Self.keptPrefix + id] =
        Value.map(["result": .text(values.result), "outputs": outputs])
        .json
    }
    return recorded
  }
}
