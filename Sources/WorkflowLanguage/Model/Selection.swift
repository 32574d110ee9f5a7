// Parts of a workflow, for runs of less than all of it. Pure.

extension Workflow {
  /// The workflow reduced to the steps named.
  ///
  /// What they need of the others falls away: the steps are run as if it were there.
  ///
  /// - Parameter ids: The ids of the steps to keep.
  /// - Returns: The smaller workflow, in the same order.
  /// - Throws: ``SelectionError`` when there is no step of one of the ids.
  public func selecting(only ids: [String]) throws(SelectionError) -> Workflow {
    var kept: Set<StepIndex> = []
    for id in ids { kept.formUnion(try found(id)) }
    return keeping(kept)
  }

  /// The workflow reduced to one step and all that depends on it.
  ///
  /// - Parameter id: The id of the step to begin with.
  /// - Returns: The smaller workflow, in the same order.
  /// - Throws: ``SelectionError`` when there is no such step.
  public func selecting(from id: String) throws(SelectionError) -> Workflow {
    try selecting(from: [id])
  }

  /// The workflow reduced to some steps and all that depends on them.
  ///
  /// - Parameter ids: The ids of the steps to begin with.
  /// - Returns: The smaller workflow, in the same order.
  /// - Throws: ``SelectionError`` when there is no step of one of the ids.
  package func selecting(from ids: [String]) throws(SelectionError) -> Workflow {
    var first: [StepIndex] = []
    for id in ids { first += try found(id) }
    let finally = graph.indices.suffix(finallyCount)
    return keeping(Set(graph.withDependents(first)).union(finally))
  }

  /// The steps that an id stands for.
  ///
  /// - Parameter id: The id of a step, or of one that has become several.
  /// - Returns: The steps in file order, at least one.
  /// - Throws: ``SelectionError`` when there is none.
  public func found(_ id: String) throws(SelectionError) -> [StepIndex] {
    let indices = indices(named: id)
    guard indices.isEmpty else { return indices }
    throw .unknownStep(id, suggestion: nearest(to: id, among: graph.ids))
  }

  private func keeping(_ kept: Set<StepIndex>) -> Workflow {
    let positions = graph.indices.filter(kept.contains)
    let ids = Set(positions.map { graph.id(of: $0) })
    let smaller = positions.map { index in
      var step = steps[index.position]
      step.needs.removeAll { !ids.contains($0) }
      return step
    }
    let newPositions = Dictionary(
      uniqueKeysWithValues: positions.enumerated().map { ($0.element, StepIndex($0.offset)) })
    do {
      var workflow = try Workflow(
        name: name, description: description, file: file, shell: shell, timeout: timeout,
        grace: grace, maxParallel: maxParallel, concurrency: concurrency, steps: smaller,
        outline: outline.keeping(newPositions) ?? .sequence([]))
      workflow.failsFast = failsFast
      workflow.durability = durability
      workflow.parameters = parameters
      workflow.scopes = scopes
      workflow.sources = sources
      workflow.warnings = warnings
      return workflow
    } catch {
      preconditionFailure("BUG: a part of a checked graph is no graph: \(error)")
    }
  }
}

extension Outline {
  /// The outline of the steps that are kept, with their new positions; nil when none is.
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

/// What is wrong with the choice of a part of a workflow.
public enum SelectionError: Error, Equatable, CustomStringConvertible {
  /// There is no step of that id; the suggestion is one whose id is near.
  case unknownStep(String, suggestion: String?)

  /// The error as a sentence without a full stop.
  public var description: String {
    switch self {
    case .unknownStep(let id, let suggestion):
      "there is no step \"\(id)\"" + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
    }
  }
}
