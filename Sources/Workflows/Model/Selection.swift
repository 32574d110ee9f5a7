// Selects a subset of the steps of a workflow.

extension Workflow {
  /// Returns a workflow with only the given steps.
  ///
  /// Dependencies on other steps are removed, as if those steps had succeeded; their outputs are
  /// missing. Steps under `finally` are kept only if they are among the ids.
  ///
  /// - Parameter ids: The ids of the steps to keep.
  /// - Returns: The smaller workflow, in the same order.
  /// - Throws: ``SelectionError`` if one of the ids is unknown.
  public func selecting(only ids: [String]) throws(SelectionError) -> Workflow {
    var kept: Set<StepIndex> = []
    for id in ids { kept.formUnion(try found(id)) }
    return keeping(kept)
  }

  /// Returns a workflow with one step, all its dependents, and the steps under `finally`.
  ///
  /// - Parameter id: The id of the step to start from.
  /// - Returns: The smaller workflow, in the same order.
  /// - Throws: ``SelectionError`` if the id is unknown.
  public func selecting(from id: String) throws(SelectionError) -> Workflow {
    try selecting(from: [id])
  }

  /// Returns a workflow with one step, all that it needs, and the steps under `finally` that read
  /// nothing of a step that is left out.
  ///
  /// - Parameter id: The id of the last step.
  /// - Returns: The smaller workflow, in the same order.
  /// - Throws: ``SelectionError`` if the id is unknown.
  public func selecting(to id: String) throws(SelectionError) -> Workflow {
    try selecting(from: [], to: [id], only: [])
  }

  /// Returns a workflow with some steps and all their dependents, plus the steps under `finally`.
  ///
  /// - Parameter ids: The ids of the steps to start from.
  /// - Returns: The smaller workflow, in the same order.
  /// - Throws: ``SelectionError`` if one of the ids is unknown.
  package func selecting(from ids: [String]) throws(SelectionError) -> Workflow {
    try selecting(from: ids, to: [], only: [])
  }

  /// Returns a part of a workflow.
  ///
  /// With `to`, a step under `finally` is left out if it reads values of a step that is left out:
  /// it is about a step that does not run.
  ///
  /// - Parameters:
  ///   - first: The ids of the steps to start from: they and their dependents; empty for all.
  ///   - last: The ids of the steps to run to: they and what they need; empty for all.
  ///   - only: The ids of more steps.
  /// - Returns: The smaller workflow, in the same order: the steps that both `first` and `last`
  ///   allow, those of `only`, and unless only these are given, the steps under `finally`.
  /// - Throws: ``SelectionError`` if one of the ids is unknown.
  package func selecting(
    from first: [String], to last: [String], only: [String]
  ) throws(SelectionError) -> Workflow {
    func found(_ ids: [String]) throws(SelectionError) -> [StepIndex] {
      var steps: [StepIndex] = []
      for id in ids { steps += try self.found(id) }
      return steps
    }
    var kept = Set(try found(only))
    guard !first.isEmpty || !last.isEmpty else { return keeping(kept) }
    var range = Set(graph.indices)
    if !first.isEmpty { range = Set(graph.withDependents(try found(first))) }
    if !last.isEmpty { range.formIntersection(graph.withNeeds(try found(last))) }
    guard !range.isEmpty else { return keeping(kept) }
    kept.formUnion(range)
    var finally = Set(graph.indices.suffix(finallyCount)).subtracting(kept)
    var selected = keeping(kept.union(finally))
    while !last.isEmpty,
      let reader = selected.missingDependencies().lazy.compactMap({ self.graph.index(of: $0.step) })
        .first(where: finally.contains)
    {
      finally.remove(reader)
      selected = keeping(kept.union(finally))
    }
    return selected
  }

  /// Returns the steps to which an id refers.
  ///
  /// - Parameter id: The id of a step, or of a step that was expanded to several.
  /// - Returns: The steps in file order, at least one.
  /// - Throws: ``SelectionError`` if the id is unknown.
  package func found(_ id: String) throws(SelectionError) -> [StepIndex] {
    let indices = indices(named: id)
    guard indices.isEmpty else { return indices }
    throw .unknownStep(id, known: Array(graph.ids))
  }

  private func keeping(_ selected: Set<StepIndex>) -> Workflow {
    let (kept, services) = withServices(selected)
    let positions = graph.indices.filter(kept.contains)
    let ids = Set(positions.map { graph.id(of: $0) })
    let smaller = positions.map { index in
      var step = steps[index.position]
      step.keepNeeds(in: ids)
      step.needs += (services[index] ?? []).map { graph.id(of: $0) }
      return step
    }
    let newPositions = Dictionary(
      uniqueKeysWithValues: positions.enumerated().map { ($0.element, StepIndex($0.offset)) })
    do {
      var workflow = try Workflow(
        name: name, description: description, file: file, shell: shell, timeout: timeout,
        grace: grace, maxParallel: maxParallel, concurrency: concurrency, steps: smaller,
        outline: outline.keeping(newPositions) ?? .sequence([]))
      workflow.groupNames = groupNames
      workflow.failsFast = failsFast
      workflow.failFastCount = failFastCount
      workflow.order = order
      workflow.durability = durability
      workflow.keep = keep
      workflow.onEnd = onEnd
      workflow.condition = condition
      workflow.parameters = parameters
      workflow.scopes = scopes
      workflow.groups = groups
      workflow.sources = sources
      workflow.keptValues = keptValues
      workflow.keptGroups = keptGroups
      workflow.warnings = warnings
      return workflow
    } catch {
      preconditionFailure("BUG: a part of a checked graph is not a graph: \(error)")
    }
  }
}

extension Workflow {
  /// Adds the services that steps use, directly or indirectly.
  ///
  /// - Parameter steps: Some steps.
  /// - Returns: The steps with these services, and for each step the services that it must need
  ///   itself, because the steps by which it uses them are not among the steps.
  private func withServices(
    _ steps: Set<StepIndex>
  ) -> (all: Set<StepIndex>, needs: [StepIndex: [StepIndex]]) {
    guard steps.count < graph.count else { return (steps, [:]) }
    var used: [StepIndex: Set<StepIndex>] = [:]
    for (service, all) in ServiceUsers(of: Plan(self)).users {
      let users = Set(all)
      // Not a service that is there for all steps because none needs it.
      guard graph.dependents(of: service).contains(where: users.contains),
        !users.isDisjoint(with: steps)
      else { continue }
      used[service] = users
    }
    let all = steps.union(used.keys)
    var needs: [StepIndex: [StepIndex]] = [:]
    for service in used.keys.sorted() {
      let users = used[service] ?? []
      for user in users.intersection(all) {
        let isAfter = graph.needs(of: user).contains { need in
          need == service || users.contains(need) && all.contains(need)
        }
        if !isAfter { needs[user, default: []].append(service) }
      }
    }
    return (all, needs)
  }
}

extension Outline {
  /// Returns the steps of the groups with an id.
  ///
  /// Linear in the number of steps.
  package func steps(ofGroup id: String) -> [StepIndex] {
    var found: [StepIndex] = []
    var waiting = [(outline: self, isInside: false)]
    while let (outline, isInside) = waiting.popLast() {
      switch outline {
      case .step(let index): if isInside { found.append(index) }
      case .sequence(let items), .parallel(let items): waiting += items.map { ($0, isInside) }
      case .group(let name, let inner): waiting.append((inner, isInside || name == id))
      }
    }
    return found
  }

  /// Returns the outline of the selected steps with their new positions; nil if none is selected.
  fileprivate func keeping(_ positions: [StepIndex: StepIndex]) -> Outline? {
    switch self {
    case .step(let index):
      return positions[index].map(Outline.step)
    case .sequence(let items):
      let kept = items.compactMap { $0.keeping(positions) }
      return kept.isEmpty ? nil : .sequence(kept)
    case .parallel(let branches):
      let kept = branches.compactMap { $0.keeping(positions) }
      return kept.count > 1 ? .parallel(kept) : kept.first
    case .group(let name, let inner):
      return inner.keeping(positions).map { .group(name, $0) }
    }
  }
}

/// An error in the selection of steps.
public enum SelectionError: Error, Equatable, CustomStringConvertible {
  /// The step id is unknown; these are the known ones.
  case unknownStep(String, known: [String])
  /// The selector is unknown; these are the known ones.
  case unknownSelector(String, known: [String])
  /// No step of the run matches the selector now.
  case noneSelected(String)

  /// The error as a clause without a period.
  public var description: String {
    switch self {
    case .unknownStep(let id, let known): noStepText(id, known: known)
    case .unknownSelector(let selector, let known):
      "there is no selector \"\(selector)\": selectors are \(known.joined(separator: ", ")), and "
        + "patterns of ids such as test-*"
    case .noneSelected(let selector):
      "no step matches \"\(selector)\" now"
    }
  }
}

/// Returns an error about an unknown step id, as a clause: with the most similar id, or else with the
/// first ids that there are.
///
/// - Parameters:
///   - id: The unknown id.
///   - known: The ids of the steps, in file order.
/// - Returns: Such as `there is no step "tow"; did you mean "two"?`
package func noStepText(_ id: String, known: [String]) -> String {
  let text = "there is no step \"\(id)\"; "
  if let near = nearest(to: id, among: known) { return text + "did you mean \"\(near)\"?" }
  let shown = known.prefix(20)
  let rest = known.count - shown.count
  return text + "there are: " + shown.joined(separator: ", ")
    + (rest > 0 ? " and \(rest) more" : "")
}
