// Execution of one attempt of a step: timeout, observer, work shared with other runs.

import Workflows

/// The attempt of a service was stopped, so that the service starts again.
private struct ServiceRestart: Error {}

/// The stage in which the work of an attempt is done: by an executor or a runner, within its timeout.
struct WorkStage: StepStage {
  let tools: StageTools
  let values: ValueSource
  let executor: any Executor
  let runners: RunnerRegistry
  let registry: ActionRegistry
  let observer: (any RunObserver)?
  let sharedWork: SharedWork

  /// Returns the executor of an attempt of a step: its runner, or that of the engine.
  ///
  /// - Throws: ``FailureReason`` if the runner cannot be used.
  func executor(
    for step: Workflow.Step, attempt: Int
  ) throws(FailureReason) -> any Executor {
    guard let choice = step.extrasIfAny?.runner, step.action.kind.startsProgram else {
      return executor
    }
    let settled: RunnerChoice
    do throws(EvaluationError) { settled = try choice.settled(for: attempt) } catch {
      let reason = if case .invalid(let error) = error { ": \(error.cause.message)" } else { "" }
      throw .badValue(
        "a setting of runner \"\(choice.name)\" has no value for attempt \(attempt)\(reason)")
    }
    return try runners.executor(of: settled, executor)
  }

  /// Gives back what runners keep for the steps of a run.
  ///
  /// An engine before this one may have died before it had removed the job of a step that was cancelled alone
  /// and does not run again, so its runner looks for it.
  ///
  /// - Returns: What could not be given back, in sentences.
  func releaseRunners(of run: RunID) async -> [String] {
    let cancelled = ledger.decide { page in
      page.plan.order.filter {
        page.state[$0].phase.isCancelledByRequest && page.state[$0].placement != nil
      }.map { (page.plan[$0], page.state[$0].attempt) }
    }
    // One that cannot be used now has nothing that could be given back now.
    for (step, attempt) in cancelled { _ = try? executor(for: step, attempt: attempt) }
    return await runners.release(run)
  }

  /// Carries out one attempt within its timeout, and then gives the places of its pool back.
  ///
  /// - Returns: The event that ends the attempt.
  func execute(
    _ context: StepContext, _ values: RunValues, by executor: any Executor,
    holding lease: PoolPlaces.Lease?
  ) async -> Event.StepEvent {
    defer { lease?.release() }
    do {
      return .succeeded(try await timed(context, values, by: executor))
    } catch is ServiceRestart {
      return .cancelled(.request)
    } catch {
      return ending(of: error)
    }
  }

  /// Carries out one attempt within its timeout.
  ///
  /// - Returns: Its outputs; throws `FailureReason.timedOut` after its timeout.
  private func timed(
    _ context: StepContext, _ values: RunValues, by executor: any Executor
  ) async throws -> StepOutputs {
    let outputs: StepOutputs
    if context.resolved.action == .wait {
      outputs = [:]
    } else if let timeout = context.step.timeout, !executor.reportsStart {
      guard
        let result = try await withTimeout(
          timeout, { try await enclosed(context, by: executor) })
      else { throw FailureReason.timedOut(after: timeout) }
      outputs = result
    } else if context.step.action.isService {
      outputs = try await restartable(context, by: executor)
    } else {
      outputs = try await enclosed(context, by: executor)
    }
    return try self.values.all(outputs, of: context, values)
  }

  /// Carries out one attempt of a service, which ends when the service is to be started again.
  private func restartable(
    _ context: StepContext, by executor: any Executor
  ) async throws -> StepOutputs {
    let ticket = ledger.decide { $0.controls[context.index].awaitRestart() }
    let outputs = try await withInterruption(
      {
        guard await ticket.value() != nil else { throw CancellationError() }
      }, { try await enclosed(context, by: executor) })
    guard let outputs else { throw ServiceRestart() }
    return outputs
  }

  /// Returns the task executor for a step; nil for the global pool.
  ///
  /// The executor's thread also starts processes, so nothing may block it. A step whose task runs
  /// Swift code of the embedding program, or reads files for expressions or the cache, uses the
  /// pool.
  func taskExecutor(for declared: Workflow.Step) -> (any TaskExecutor)? {
    guard declared.action.kind.startsProgram, observer == nil, declared.extrasIfAny?.cache == nil,
      !declared.readsFiles, declared.extrasIfAny?.runner == nil,
      declared.extrasIfAny?.usesTerminal != true
    else { return nil }
    return executor.taskExecutor
  }

  /// Carries out one attempt, inside of what the runtime puts around attempts.
  private func enclosed(
    _ context: StepContext, by executor: any Executor
  ) async throws -> StepOutputs {
    guard let enclosure = runtime.attempts else { return try await observed(context, by: executor) }
    return try await enclosure.enclose { try await observed(context, by: executor) }
  }

  private func observed(
    _ context: StepContext, by executor: any Executor
  ) async throws -> StepOutputs {
    guard let observer else { return try await shared(context, by: executor) }
    return try await observer.observe(
      context, StepAttempt { try await shared($0, by: executor) })
  }

  private func shared(
    _ context: StepContext, by executor: any Executor
  ) async throws -> StepOutputs {
    guard let name = context.resolved.share else {
      return try await context.carryOut(by: executor, registry)
    }
    do {
      let result = try await sharedWork.result(
        of: name, SharedWork.Work(context),
        owner: "step \"\(context.step.id)\" of run \(context.run)",
        // On standard error, because its outputs may be computed from its standard output.
        onWait: { owner in
          context.report("shares the work of \(owner), which is in progress", on: .standardError)
        },
        perform: { try await resultForOthers(of: context, by: executor) })
      context.capture?.take(result.standardOutput)
      return result.outputs
    } catch let failure as SharedWork.Failure {
      if ledger.decide({ $0.state[context.index].written }) != failure.written {
        context.report(written: failure.written)
      }
      throw failure.reason
    }
  }

  /// Carries out work whose result is shared with other runs, and masks the result.
  ///
  /// Other runs do not know the secrets of this one.
  private func resultForOthers(
    of context: StepContext, by executor: any Executor
  ) async throws -> SharedWork.Result {
    do {
      let outputs = try await context.carryOut(by: executor, registry)
      return SharedWork.Result(
        outputs: try masked(outputs), standardOutput: context.capture?.captured ?? .init())
    } catch let error as CancellationError {
      throw error
    } catch {
      let reason = error as? FailureReason ?? .threw(String(describing: error))
      throw SharedWork.Failure(
        reason: masked(reason), written: ledger.decide { $0.state[context.index].written })
    }
  }
}
