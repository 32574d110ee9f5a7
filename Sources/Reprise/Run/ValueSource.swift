// The values of a step: what its expressions can refer to, its outputs, and masking of secrets.

import Masking
import Platform
import Workflows

/// Computes the values of steps.
struct ValueSource: StepStage {
  let tools: StageTools
  let executor: any Executor
  let secrets: Secrets
  /// The engine, for runs that steps start.
  let engine: any ChildEngine
  /// The terminal for steps that own one.
  let terminal: (any StepTerminal)?
  /// The folder of the run, if its engine keeps one.
  let folder: RunFolder?

  /// Returns the settings of a step, with the values of this run.
  func resolved(
    _ job: StepJob, _ values: RunValues
  ) throws(FailureReason) -> ResolvedStep {
    do throws(ResolutionError) {
      return try job.workflow.resolved(job.step, values)
    } catch {
      throw .badValue(error.description)
    }
  }

  /// Returns the context of an attempt.
  func context(
    of job: StepJob, attempt: Int, _ resolved: ResolvedStep, _ values: RunValues,
    reporter: (any StepReporter)? = nil
  ) -> StepContext {
    // Steps that share its work may need its standard output even if this step does not.
    let needsCapture = job.step.needsStandardOutput || resolved.share != nil
    var context = StepContext(
      run: ledger.run, generation: job.generation, attempt: attempt, plan: job.plan,
      step: job.step, resolved: resolved, values: values, masker: secrets.masker,
      secretTexts: secrets.texts, hiddenVariables: secrets.variables, terminal: terminal,
      capture: needsCapture ? OutputCapture() : nil, index: job.index, results: job.results,
      reporter: reporter
        ?? LedgerReporter(
          ledger: ledger, step: job.index, attempt: attempt,
          slots: job.step.action.isService ? slots : nil,
          reportsReadiness: !asksAfterwards(job.step),
          startNext: { [slots] in slots.startNext() }),
      clock: clock, engine: engine)
    if job.step.extrasIfAny?.cache != nil { context.log = OutputCapture() }
    return context
  }

  /// Returns the values that the expressions of a step can refer to.
  func values(for job: StepJob) -> RunValues {
    let workflow = job.workflow
    var values = RunValues(
      run: ledger.run, generation: job.generation, status: job.status, executor, secrets,
      kept: workflow.keptValues,
      state: { [ledger] id in ledger.decide { $0.state[id] } })
    values.stepVariables = StepVariables.values(
      for: job, settersIn: ledger.decide { $0.variableSetters }
    ) { id in values.step(id)?.outputs ?? [:] }
    let kept = workflow.keptVariables
    if !kept.isEmpty {
      let own = kept[job.step.id] ?? job.step.extrasIfAny?.fan.flatMap { kept[$0] } ?? [:]
      values.stepVariables.merge(own) { written, _ in written }
    }
    values.scopeOfVariables = workflow.scope(of: job.step)
    values.directory = folder?.path
    values.directoryProblem = folder?.problem
    if job.isFinally { values.end = { [ledger] in ledger.decide { $0.end } } }
    return values
  }

  /// Returns the outputs that a step has written and those that it declares, with secrets masked.
  func all(
    _ outputs: StepOutputs, of context: StepContext, _ values: RunValues
  ) throws(FailureReason) -> StepOutputs {
    let all: StepOutputs
    do {
      all = try context.workflow.outputs(
        of: context.step, written: outputs, standardOutput: try standardOutput(of: context), values)
    } catch let reason as FailureReason {
      throw reason
    } catch {
      throw .badOutputs(String(describing: error))
    }
    return try masked(all)
  }

  /// Returns the standard output of an attempt, for the expressions of its step.
  ///
  /// - Throws: ``FailureReason`` if a part of it was dropped and an expression needs it.
  func standardOutput(of context: StepContext) throws(FailureReason) -> String {
    guard let captured = context.capture?.captured else { return "" }
    guard !captured.isCut || !context.step.needsStandardOutput else {
      throw .badOutputs(
        "its standard output has more than \(OutputCapture.bytesMax) bytes, which \"stdout\" cannot "
          + "hold; write what is needed to $REPRISE_OUTPUT or to a file")
    }
    return captured.text
  }
}

extension RunValues {
  /// Creates the values for steps that an executor runs.
  ///
  /// `kept` has the values of steps that are not part of the run, `state` the states of others.
  init(
    run: RunID?, generation: Int, status: RunEnding, _ executor: any Executor, _ secrets: Secrets,
    kept: [String: StepValues] = [:],
    state: @escaping @Sendable (_ id: String) -> StepState?
  ) {
    self.init(
      run: run?.description ?? "", generation: generation, environment: executor.environment,
      secrets: { scope, name in secrets[scope, name] },
      step: { id in
        guard let step = state(id) else { return kept[id] }
        // A step that others may use while it runs counts as successful.
        guard step.isReady else { return step.values }
        return StepValues(result: "success", outputs: step.readyOutputs)
      },
      status: status, hashFiles: { patterns in try executor.hash(ofFiles: patterns) })
    files = { patterns in try executor.files(matching: patterns) }
    keepInFile = { text, folder in try ValueFile.write(text, in: folder, secrets) }
    nonUTF8Variables = (executor as? LocalExecutor)?.nonUTF8Variables ?? []
    workingDirectory = (executor as? LocalExecutor)?.directory ?? workingFolder() ?? "/"
  }
}

extension StepState {
  /// The step's result and outputs, as expressions see them.
  ///
  /// A failed or cancelled step has what it wrote before, and what was given with its approval.
  package var values: StepValues {
    var values = phase.values
    switch phase {
    case .failed, .cancelled: values.outputs = written.merging(given) { $1 }
    default: break
    }
    return values
  }
}

extension StepPhase {
  /// The step's result and outputs, as expressions see them.
  package var values: StepValues {
    switch self {
    case .pending, .waiting, .running: StepValues(result: "", outputs: [:])
    case .succeeded(let outputs): StepValues(result: "success", outputs: outputs, status: 0)
    case .skipped(let reason, let outputs):
      StepValues(
        result: reason.isUpToDate || !outputs.isEmpty ? "success" : "skipped", outputs: outputs,
        reason: reason.description)
    case .failed(let reason):
      StepValues(
        result: "failure", outputs: [:], status: reason.exitStatus, reason: reason.description)
    case .cancelled(let cause):
      StepValues(result: "cancelled", outputs: [:], reason: "cancelled \(cause)")
    }
  }
}
