// Carries out one attempt of a step: by the executor or here, within its time, alone or for others. Knows nothing
// of the states of steps.

import WorkflowLanguage

extension StepPerformer {
  /// Carries out one attempt, within its time.
  ///
  /// - Returns: What became of it.
  func execute(_ context: StepContext, _ values: RunValues) async -> Event.StepEvent {
    do {
      let outputs: StepOutputs
      if context.resolved.action == .wait {
        outputs = [:]
      } else if let timeout = context.step.timeout {
        guard
          let left = try await withTimeout(
            timeout, { try await carryOut(context) })
        else { return .failed(.timedOut(after: timeout)) }
        outputs = left
      } else {
        outputs = try await carryOut(context)
      }
      return .succeeded(try all(outputs, of: context, values))
    } catch is CancellationError where Task.isCancelled {
      return .cancelled(.request)
    } catch let reason as FailureReason {
      return Task.isCancelled ? .cancelled(.request) : .failed(masked(reason))
    } catch {
      return Task.isCancelled
        ? .cancelled(.request) : .failed(.threw(masked(String(describing: error))))
    }
  }

  /// The executor on which the task of a step runs; nil for the shared pool.
  ///
  /// Where programs are started nothing may block: neither Swift code of embedders nor the reading of
  /// files for expressions and caches runs there.
  func taskExecutor(for step: StepIndex) -> (any TaskExecutor)? {
    let declared = workflow.steps[step.position]
    guard declared.action.kind.startsProgram, observer == nil, declared.extrasIfAny?.cache == nil,
      !declared.readsFiles
    else { return nil }
    return executor.taskExecutor
  }

  /// Carries out one attempt: here or by the executor, alone or together with others.
  private func carryOut(_ context: StepContext) async throws -> StepOutputs {
    guard let observer else { return try await carryOutUnobserved(context) }
    return try await observer.observe(context, StepAttempt { try await carryOutUnobserved($0) })
  }

  private func carryOutUnobserved(_ context: StepContext) async throws -> StepOutputs {
    guard let name = context.resolved.share else {
      return try await context.carryOut(by: executor, registry)
    }
    let result = try await sharedWork.result(
      of: name, SharedWork.Work(context),
      owner: "step \"\(context.step.id)\" of run \(context.run)",
      // Not among what it prints, which its outputs may be made of.
      onWait: { owner in
        context.report("shares the work of \(owner), which is under way", on: .standardError)
      },
      perform: { try await resultForOthers(of: context) })
    context.capture?.take(result.standardOutput)
    return result.outputs
  }

  /// Carries out work that others get the result of: their runs do not know the secrets of this one.
  private func resultForOthers(of context: StepContext) async throws -> SharedWork.Result {
    do {
      let outputs = try await context.carryOut(by: executor, registry)
      return SharedWork.Result(
        outputs: try masked(outputs), standardOutput: context.capture?.text ?? "")
    } catch let error as CancellationError {
      throw error
    } catch let reason as FailureReason {
      throw masked(reason)
    } catch {
      throw FailureReason.threw(masked(String(describing: error)))
    }
  }

  /// Runs an operation and, when it takes too long, cancels it and waits until it is gone.
  ///
  /// - Returns: What the operation returns, or nil when it took too long.
  private func withTimeout(
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
}
