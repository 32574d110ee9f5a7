// Execution of one attempt of a step: timeout, observer, work shared with other runs.

import WorkflowLanguage

extension StepPerformer {
  /// Carries out one attempt within its timeout, and then gives the places of its pool back.
  ///
  /// - Returns: The event that ends the attempt.
  func execute(
    _ context: StepContext, _ values: RunValues, by executor: any Executor,
    holding lease: PoolPlaces.Lease?
  ) async -> Event.StepEvent {
    defer { lease?.release() }
    do {
      return .succeeded(try await outputs(context, values, by: executor))
    } catch {
      return ending(of: error)
    }
  }

  /// Returns the event that ends an attempt after an error.
  func ending(of error: any Error) -> Event.StepEvent {
    if Task.isCancelled { return .cancelled(.request) }
    guard let reason = error as? FailureReason else {
      return .failed(.threw(masked(String(describing: error))))
    }
    return .failed(masked(reason))
  }

  /// Carries out one attempt within its timeout.
  ///
  /// - Returns: Its outputs; throws `FailureReason.timedOut` after its timeout.
  private func outputs(
    _ context: StepContext, _ values: RunValues, by executor: any Executor
  ) async throws -> StepOutputs {
    let outputs: StepOutputs
    if context.resolved.action == .wait {
      outputs = [:]
    } else if let timeout = context.step.timeout, !executor.reportsStart {
      guard
        let result = try await withTimeout(
          timeout, { try await carryOut(context, by: executor) })
      else { throw FailureReason.timedOut(after: timeout) }
      outputs = result
    } else {
      outputs = try await carryOut(context, by: executor)
    }
    return try all(outputs, of: context, values)
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

  /// Carries out one attempt, through the observer if there is one.
  private func carryOut(
    _ context: StepContext, by executor: any Executor
  ) async throws -> StepOutputs {
    guard let enclosure = runtime.attempts else { return try await observed(context, by: executor) }
    return try await enclosure.enclose { try await observed(context, by: executor) }
  }

  private func observed(
    _ context: StepContext, by executor: any Executor
  ) async throws -> StepOutputs {
    guard let observer else { return try await performUnobserved(context, by: executor) }
    return try await observer.observe(
      context, StepAttempt { try await performUnobserved($0, by: executor) })
  }

  private func performUnobserved(
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

  /// Runs an operation; on timeout, cancels it and waits until it has returned.
  ///
  /// - Returns: The outputs of the operation; nil on timeout.
  func withTimeout(
    _ timeout: Duration, _ operation: @escaping @Sendable () async throws -> StepOutputs
  ) async throws -> StepOutputs? {
    try await withThrowingTaskGroup(of: StepOutputs?.self) { group in
      group.addTask { try await operation() }
      group.addTask {
        try await clock.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      if let outputs = try await group.next() ?? nil { return outputs }
      group.cancelAll()
      while (try? await group.next()) != nil {}
      return nil
    }
  }

  /// Returns the delay before the next attempt; nil if there is none.
  func delay(
    after event: Event.StepEvent, attempt: Int, of context: StepContext
  ) -> Duration? {
    // An attempt that was interrupted with its engine is made again, as local ones are.
    if context.isAdopted, case .failed(.lost) = event { return .zero }
    let step = context.step
    guard let retry = step.retry, attempt <= retry.limit, case .failed(let reason) = event,
      retry.covers(reason)
    else { return nil }
    var generator = runtime.generator
    return retry.delay(after: attempt, random: .random(in: 0...1, using: &generator))
  }
}
