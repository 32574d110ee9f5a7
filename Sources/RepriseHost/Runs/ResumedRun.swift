// A run that has ended or was interrupted, read again so that it can continue.

package import Reprise
package import RepriseJournal
import RepriseTerminal

/// The state of a run that continues, and the results that are set by hand then.
package struct ResumedState: Sendable {
  let state: RunState
  var results: [String: HandmadeResult] = [:]
  var requester = Requester.api
  /// The attempts that have survived the engine before, and those of their steps that are stopped
  /// before the run goes on.
  var survivors: Survivors?
  var outdated: [String] = []
}

/// What is needed to continue a run where it stopped, or from a step.
package struct ResumedRun: Sendable {
  /// The steps that run again.
  package enum Extent: Sendable, Equatable {
    /// Those that have not succeeded.
    case unfinished
    /// A step and its dependents as well; all steps if it is nil.
    case from(step: String?)
  }

  /// The workflow, reduced to the part that the run executes.
  package let workflow: LoadedWorkflow
  /// The values of its secrets.
  package let secrets: Secrets
  private let whole: LoadedWorkflow
  private let scope: RunScope
  private let id: RunID
  private let extent: Extent
  private let acceptsChanges: Bool
  private let results: [String: HandmadeResult]
  private let requester: Requester

  /// Reads the workflow file of a run again, and fetches its secrets.
  ///
  /// The working directory must be that of the run.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - texts: The parameters that were not recorded because they contain secrets.
  ///   - extent: The steps that run again.
  ///   - acceptsChanges: Whether finished steps that do not run again may have changed.
  ///   - results: Results of unfinished steps that are set by hand, by step id.
  ///   - requester: Who sets them.
  /// - Throws: ``Problem`` if the file has mistakes or a secret cannot be fetched.
  package init(
    _ record: RunRecord, _ texts: [String: String] = [:], _ extent: Extent = .unfinished,
    acceptsChanges: Bool = false, setting results: [String: HandmadeResult] = [:],
    by requester: Requester = .api
  ) async throws {
    whole = try LoadedWorkflow(recorded: record, texts)
    scope = RunScope(recorded: record.request.options)
    workflow = try whole.selecting(scope)
    secrets = try await Secrets.gathered(for: workflow.workflow)
    id = record.id
    self.extent = extent
    self.acceptsChanges = acceptsChanges
    self.results = results
    self.requester = requester
  }

  /// Returns what the file of now changes, for a person.
  ///
  /// - Parameter record: The run.
  /// - Returns: Lines, the first of which introduces the others.
  func changes(since record: RunRecord) -> TerminalSafe {
    let next = workflow.workflow
    guard let parsed = try? record.recordedWorkflow(with: workflow.arguments),
      let old = try? scope.applied(to: parsed)
    else { return "the file of this run cannot be read any more, so changes are not known" }
    let known = Set(old.steps.map(\.id))
    let kept = Set(next.steps.map(\.id))
    var lines = ["the run would go on with:"]
    func add(_ title: String, _ ids: [String]) {
      if !ids.isEmpty { lines.append("  \(title): " + ids.joined(separator: ", ")) }
    }
    add("added", next.steps.map(\.id).filter { !known.contains($0) })
    add("removed", old.steps.map(\.id).filter { !kept.contains($0) })
    let changed = changedSteps(old, next).filter { kept.contains($0.step) }
    if !changed.isEmpty {
      lines.append("  changed:")
      lines += changed.flatMap { $0.text.split(separator: "\n").map { "  " + $0 } }
    }
    if lines.count == 1 { lines = ["no step has changed"] }
    return TerminalSafe(lines: lines.joined(separator: "\n"))
  }

  /// Takes the record of the run, so that this process drives it from now on.
  ///
  /// - Parameter journal: The journal of the run.
  /// - Returns: The record, and the state to resume.
  /// - Throws: ``Problem`` if the run must not be resumed; ``JournalError``.
  package func reopen(in journal: Journal) throws -> (RecordedRun, ResumedState) {
    let isAlone = workflow.workflow.concurrency?.policy == .reject
    var resumed = RunState()
    var repeated: Set<String> = []
    var survivors: Survivors?
    let (recorded, _) = try journal.reopen(id, isAlone: isAlone) { record, state in
      (resumed, repeated) = try checked(record, state)
      survivors = Survivors(record, state)
      return try whole.request(scope.recorded, hiding: secrets)
    }
    // What is set by hand does not go on either.
    repeated.formUnion(results.keys)
    let next = workflow.workflow.expanding(resumed.expansions)
    let outdated = survivors?.outdated(by: next, repeating: repeated) ?? []
    return (
      recorded,
      ResumedState(
        state: resumed, results: results, requester: requester, survivors: survivors,
        outdated: outdated)
    )
  }

  /// Checks that the run may go on, without taking its record.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - state: Its state.
  /// - Returns: The state with which it goes on, and the steps that run again.
  /// - Throws: ``Problem`` if it must not be resumed.
  @discardableResult
  package func checked(
    _ record: RunRecord, _ state: RunState
  ) throws -> (resumed: RunState, repeated: Set<String>) {
    var (resumed, repeated) = (state, Set<String>())
    for step in results.keys.sorted() { try expect(step, state) }
    if let done = results.keys.sorted().first(where: { state[$0]?.phase.isSuccess == true }) {
      throw Problem("error: step \"\(done)\" has already succeeded or been skipped")
    }
    if case .from(let step) = extent {
      try expect(step, state)
      repeated = Set(state.withDependents(of: step))
      resumed = state.restarting(from: step)
    } else if record.status == .succeeded || record.status == .skipped {
      throw Problem("error: run \(record.id) has succeeded: there is nothing to resume")
    }
    if !acceptsChanges && whole.definition != record.request.definition {
      try workflow.expectFinishedSteps(of: record, resumed, scope)
    }
    return (resumed, repeated)
  }

  private func expect(_ step: String?, _ state: RunState) throws(Problem) {
    guard let step else { return }
    do throws(SelectionError) {
      _ = try workflow.workflow.expanding(state.expansions).found(step)
    } catch {
      throw Problem("error: \(error)")
    }
  }
}

/// Two versions of a workflow, compared; a member of the same name hides the function.
private func changedSteps(_ old: Workflow, _ new: Workflow) -> [StepChange] {
  changes(from: old, to: new)
}
