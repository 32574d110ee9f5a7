// `Plan`: the steps of a run, with indices that never change during the run.

/// The steps of a run.
///
/// A run takes another version of its workflow when a step is expanded or the file is reloaded. The
/// steps do not move then: a step keeps its index for the whole run, and a new step gets the next
/// one. So an index is not a position in the file; ``order`` is. The index of a step that is gone
/// stays reserved for its id.
///
/// A value with shared storage: a copy is a snapshot, which is cheap and stays valid.
package struct Plan: Sendable, Equatable {
  /// One version of the plan; a copy of a plan, of which each step makes several, is one reference to it.
  @usableFromInline final class Version: Sendable {
    @usableFromInline let parts: Parts

    init(_ parts: Parts) { self.parts = parts }
  }

  @usableFromInline var version: Version

  // Inlinable, so that a use of one property of the workflow does not copy all of it.

  /// The current version of the workflow, with its steps in file order.
  @inlinable package var workflow: Workflow { version.parts.workflow }
  /// The declarations of the steps by index, also of those that are gone.
  @inlinable package var steps: [Workflow.Step] { version.parts.steps }
  /// The needs of the steps that are present, by index.
  @inlinable package var graph: Graph { version.parts.graph }
  /// The steps under `finally`, in topological order; found once, because each decision asks.
  @inlinable package var finallySteps: [StepIndex] { version.parts.finallySteps }
  /// The groups by number, also those that are gone.
  package var groups: GroupTree { version.parts.groups }

  /// Creates the plan of a run that has not started.
  ///
  /// Constant time without steps under `finally`, else linear.
  ///
  /// - Parameter workflow: The workflow, whose positions become the indices.
  package init(_ workflow: Workflow) {
    version = Version(Parts(workflow))
  }

  package static func == (left: Plan, right: Plan) -> Bool {
    left.version === right.version || left.version.parts == right.version.parts
  }

  /// The declaration of a step.
  @inlinable package subscript(step: StepIndex) -> Workflow.Step { steps[step.position] }

  /// The number of indices in use; arrays by index need this count.
  package var count: Int { steps.count }

  /// The steps that are present, in file order.
  package var order: [StepIndex] { graph.indices }

  /// Whether each step's index is its position in the file.
  package var isInFileOrder: Bool { graph.isInFileOrder }

  /// Returns whether a step is present.
  ///
  /// Constant time.
  package func contains(_ step: StepIndex) -> Bool {
    steps.indices.contains(step.position) && graph.index(of: graph.ids[step.position]) == step
  }

  /// Whether there are steps under `finally`.
  package var hasFinally: Bool { finallyCount > 0 }

  /// The number of steps under `finally`.
  package var finallyCount: Int { version.parts.workflow.finallyCount }

  /// The steps that undo others, in topological order.
  package var undoingSteps: [StepIndex] { finallySteps.filter { self[$0].undoes != nil } }

  /// Returns those of some steps that are not under `finally`.
  package func mainSteps(among steps: [StepIndex]) -> [StepIndex] {
    hasFinally ? steps.filter { self[$0].extrasIfAny?.finally == nil } : steps
  }

  /// Takes another version of the workflow.
  ///
  /// Linear in the number of steps and needs.
  ///
  /// - Parameter next: The workflow. Steps with a known id keep their index.
  package mutating func take(_ next: Workflow) {
    var parts = version.parts
    parts.take(next)
    version = Version(parts)
  }

  /// Returns the innermost group that contains a step.
  package func group(of step: StepIndex) -> GroupIndex {
    let position = steps[step.position].group
    let numbers = version.parts.groupNumbers
    return numbers.isEmpty ? position : numbers[position.position]
  }

  /// Returns the groups around a step, innermost first, without the run.
  package func groups(around step: StepIndex) -> [GroupIndex] { groups.path(from: group(of: step)) }

  /// Returns whether a step is inside of a group.
  package func contains(_ step: StepIndex, in outer: GroupIndex) -> Bool {
    groups.contains(group(of: step), in: outer)
  }

  /// Returns whether a step can use a service: it is in the list of steps to which the service
  /// belongs, or in a group inside of it.
  package func canUse(_ service: StepIndex, _ step: StepIndex) -> Bool {
    contains(step, in: groups.list(around: group(of: service)))
  }

  /// Returns whether a step is a service that may be in use when a group around it is over, because
  /// it belongs to a list around the group.
  package func outlives(_ step: StepIndex, _ outer: GroupIndex) -> Bool {
    guard self[step].action.isService else { return false }
    return !groups.contains(groups.list(around: group(of: step)), in: outer)
  }

  /// Something directly inside of a group.
  package enum Part: Hashable, Sendable {
    case step(StepIndex)
    case group(GroupIndex)
  }

  /// Returns the part of a group that is or contains a step; nil if the step is outside of it.
  package func part(of outer: GroupIndex, with step: StepIndex) -> Part? {
    var part = Part.step(step)
    for inner in groups(around: step) {
      if inner == outer { return part }
      part = .group(inner)
    }
    return outer == .run ? part : nil
  }

  /// Returns whether another step goes on after the failure of a step, because a group with
  /// `continue-on-error` contains that one only.
  package func isTolerated(failureOf step: StepIndex, by other: StepIndex) -> Bool {
    groups(around: step).contains { groups[$0].continuesOnError && !contains(other, in: $0) }
  }

  /// Returns this plan with another version of the workflow.
  package func taking(_ next: Workflow) -> Plan {
    var plan = self
    plan.take(next)
    return plan
  }

  /// Returns the steps to which an id refers: one step, or all steps of a group.
  ///
  /// - Parameter id: The id of a step in the file, or of one of the steps that it was expanded to.
  /// - Returns: The steps in file order; empty if the id is unknown.
  package func steps(named id: String) -> [StepIndex] {
    workflow.indices(named: id).compactMap { graph.index(of: workflow.graph.id(of: $0)) }
  }

  /// Returns the steps to which an id refers.
  ///
  /// - Throws: ``SelectionError`` if there is none.
  package func found(_ id: String) throws(SelectionError) -> [StepIndex] {
    _ = try workflow.found(id)
    return steps(named: id)
  }
}

extension Plan {
  /// What a version of a plan consists of.
  @usableFromInline struct Parts: Sendable, Equatable {
    @usableFromInline var workflow: Workflow
    @usableFromInline var steps: [Workflow.Step]
    @usableFromInline var graph: Graph
    @usableFromInline var finallySteps: [StepIndex] = []
    var groups: GroupTree
    /// The indices of all ids that were ever part of the run; empty until another workflow is taken.
    private var known: [String: Int] = [:]
    /// The numbers of the groups of the current version, by position; empty if they are the same.
    private(set) var groupNumbers: [GroupIndex] = []
    /// The numbers of all groups by name; empty until another workflow is taken.
    private var knownGroups: [String: GroupIndex] = [:]

    init(_ workflow: Workflow) {
      self.workflow = workflow
      steps = workflow.steps
      graph = workflow.graph
      groups = workflow.groups
      findFinallySteps()
    }

    private mutating func findFinallySteps() {
      finallySteps = []
      guard workflow.finallyCount > 0 else { return }
      finallySteps = graph.topologicalOrder.filter {
        steps[$0.position].extrasIfAny?.finally != nil
      }
    }

    /// Takes another version of the workflow; see ``Plan/take(_:)``.
    mutating func take(_ next: Workflow) {
      if known.isEmpty {
        known.reserveCapacity(next.steps.count)
        for (position, id) in graph.ids.enumerated() { known[id] = position }
      }
      var ids = graph.ids
      let numbers = next.steps.map { step in
        let position = known[step.id] ?? steps.count
        if position < steps.count {
          steps[position] = step
        } else {
          known[step.id] = position
          steps.append(step)
          ids.append(step.id)
        }
        return StepIndex(position)
      }
      workflow = next
      graph = next.graph.renumbered(numbers, ids: ids)
      takeGroups(of: next)
      findFinallySteps()
    }

    private mutating func takeGroups(of next: Workflow) {
      guard groups.count > 1 || next.groups.count > 1 else { return }
      if knownGroups.isEmpty {
        for group in groups.indices { knownGroups[groups[group].name] = group }
      }
      groupNumbers = []
      for position in next.groups.indices {
        var group = next.groups[position]
        // The group around it comes before it.
        group.parent = group.parent.map { groupNumbers[$0.position] }
        if let number = knownGroups[group.name] {
          groups[number] = group
          groupNumbers.append(number)
        } else {
          let number = groups.add(group)
          knownGroups[group.name] = number
          groupNumbers.append(number)
        }
      }
    }
  }
}
