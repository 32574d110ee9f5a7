// `Reloader`: reads the workflow file of a live run again, and restarts the run with it.

import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// Reads the workflow file of a live run again.
///
/// The file is read once, by the process that drives the run. It is checked completely, and its
/// secrets are fetched, before anything is stopped.
struct Reloader: Sendable {
  /// The workflow as the run began with it.
  let loaded: LoadedWorkflow
  /// The record of the run, if any.
  let recorded: RecordedRun?

  /// Reloads a run.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - options: What to run again.
  ///   - requester: Who makes the request.
  /// - Returns: What happens now.
  /// - Throws: ``Problem`` if the reload is refused; the run is unchanged then.
  func reload(
    _ run: Run, _ options: ReloadOptions, by requester: Requester
  ) async throws -> InterventionAnswer {
    let next = try await readAgain()
    let secrets = try await Secrets.gathered(for: next.workflow)
    if let problem = secrets.problem(with: next.workflow) { throw Problem("error: \(problem)") }
    let extent = try extent(options, of: run, next.workflow)
    let old = run.workflow
    let decision = Mutex<Decision?>(nil)
    let isAccepted = await run.reload(
      next.workflow, secrets: secrets, extent, by: requester
    ) { plan in
      let generation = run.state.generation + 1
      let made = Decision(
        plan, options, generation: generation,
        hasSameSettings: old.hasSameSettings(as: next.workflow))
      decision.withLock { $0 = made }
      guard case .reloads = made else { return false }
      // Recorded together with the start of the generation, which is still to come.
      recorded?.setDefinitionOfNextGeneration(next.definition)
      return true
    }
    switch decision.withLock({ $0 }) {
    case nil:
      throw Problem("error: the run has ended or is being cancelled", cause: .internalFailure)
    case .reloads(let answer) where !isAccepted:
      throw Problem("error: \(answer.description)")
    case .reloads(let answer), .leaves(let answer):
      var answer = answer
      answer.description = secrets.hidden(in: answer.description)
      return answer
    case .refuses(let text):
      throw Problem(TerminalSafe(lines: secrets.hidden(in: text)))
    }
  }

  private func readAgain() async throws -> LoadedWorkflow {
    guard !loaded.isText else {
      throw Problem("error: the workflow of this run came with a request, not from a file")
    }
    let next = try await blocking { [loaded] in try loaded.readAgain() }
    guard next.workflow.concurrency == loaded.workflow.concurrency else {
      throw Problem(
        """
        error: "concurrency" has changed in \(loaded.path), and a live run stays in its group; \
        cancel the run and start a new one
        """)
    }
    return next
  }

  private func extent(
    _ options: ReloadOptions, of run: Run, _ next: Workflow
  ) throws(Problem) -> ReloadExtent {
    if options.changedOnly { return .changed }
    guard !options.from.isEmpty else { return .whole }
    do throws(SelectionError) {
      var ids: [String] = []
      for selector in options.from {
        // A new step can only be in the new workflow; phases and patterns are about the run.
        let isNamed = !next.indices(named: selector).isEmpty
        let selected = isNamed ? [selector] : try run.ids(selectedBy: selector)
        ids += selected.filter { !next.indices(named: $0).isEmpty }
      }
      return .from(ids)
    } catch {
      throw Problem("error: \(error)")
    }
  }

  /// The decision about a planned reload.
  private enum Decision: Sendable {
    case reloads(InterventionAnswer)
    /// Nothing is done: a dry run, or there is nothing to do.
    case leaves(InterventionAnswer)
    case refuses(String)

    init(_ plan: ReloadPlan, _ options: ReloadOptions, generation: Int, hasSameSettings: Bool) {
      if !options.isForced, !plan.outdated.isEmpty {
        self = .refuses(
          """
          error: steps that have succeeded have changed, and would keep their results:
          \(plan.outdated.map(\.text).joined(separator: "\n"))
            run them again with --changed or --from, or keep their results with --force
          """)
      } else if options.changedOnly, plan.isWithoutChanges, hasSameSettings {
        self = .leaves(InterventionAnswer("no step has changed: the run goes on", steps: []))
      } else if options.isDryRun {
        self = .leaves(
          InterventionAnswer("generation \(generation) would begin with:\n" + plan.text))
      } else {
        self = .reloads(
          InterventionAnswer(
            "reloaded: generation \(generation) begins\n" + plan.text, generation: generation,
            steps: plan.isWhole ? nil : plan.reset))
      }
    }
  }
}

extension Workflow {
  /// Whether settings of the workflow that concern no step in particular are equal.
  fileprivate func hasSameSettings(as other: Workflow) -> Bool {
    maxParallel == other.maxParallel && timeout == other.timeout && failsFast == other.failsFast
      && failFastCount == other.failFastCount && order == other.order
      && name == other.name && groups == other.groups
  }
}

extension ReloadPlan {
  /// The changes, and what happens to the steps, as indented lines.
  fileprivate var text: String {
    var lines: [String] = []
    func add(_ title: String, _ ids: [String]) {
      if !ids.isEmpty { lines.append("  \(title): " + ids.joined(separator: ", ")) }
    }
    if isWithoutChanges { lines.append("  no step has changed") }
    add("added", added)
    add("removed", removed)
    if !changed.isEmpty {
      lines.append("  changed:")
      lines += changed.map { change in
        change.text.split(separator: "\n", omittingEmptySubsequences: false)
          .map { "  " + $0 }.joined(separator: "\n")
      }
    }
    add("stopped, because they are removed", stopped)
    if isWhole {
      lines.append("  all steps run again")
    } else {
      add("run again", runsAgain)
      add("go on running", goesOn.filter { !goesOnOutdated.contains($0) })
      add("go on running with the old definition", goesOnOutdated)
      add("keep results of the old definition", outdated.map(\.step))
    }
    return lines.joined(separator: "\n")
  }
}

extension LoadedWorkflow {
  /// Reads the file again, with the same parameters and the same part of the file.
  ///
  /// - Throws: ``Problem`` with every error in the file.
  fileprivate func readAgain() throws(Problem) -> LoadedWorkflow {
    let source = try LoadedWorkflow.parse(path)
    var arguments = arguments
    let declared = source.parameters
    let names = Set(declared.map(\.name))
    if let new = declared.first(where: { $0.defaultValue == nil && arguments.texts[$0.name] == nil }
    ) {
      throw Problem(
        """
        error: the parameter "\(new.name)" in \(path) is new and has no default, and a live run \
        keeps the parameters of its beginning; add a default, or start a new run
        """)
    }
    // A parameter that is no longer declared is not needed.
    if !declared.isEmpty || arguments.texts.isEmpty {
      arguments.texts = arguments.texts.filter { names.contains($0.key) }
    }
    return try LoadedWorkflow(source, arguments).selecting(scope)
  }
}
