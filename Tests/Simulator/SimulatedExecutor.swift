// The executor of a simulation: steps that take virtual time, fail, write output and stop slowly.

import Reprise
import WorkflowFiles

/// Observes the attempts of the executor.
protocol ExecutorWitness: AnyObject, Sendable {
  /// Called when an attempt starts.
  ///
  /// - Returns: The behaviour of the attempt, and the argument for ``ended(_:)``.
  func started(_ context: StepContext) -> (Scenario.Behaviour, token: Int)
  /// Called when an attempt has ended completely.
  func ended(_ token: Int)
}

/// Runs attempts as the scenario specifies.
struct SimulatedExecutor: Executor {
  let scheduler: Scheduler
  let witness: any ExecutorWitness
  let fault: Fault?
  /// The outputs of the steps that compute items.
  var items: [String: String] = [:]

  func execute(_ context: StepContext) async throws -> StepOutputs {
    let (behaviour, token) = witness.started(context)
    if context.step.action.isService { context.reportReady(outputs: [:]) }
    let result = await work(context, behaviour)
    if fault == .executorReturnsEarly, Task.isCancelled {
      scheduler.enqueue(after: 50_000, .closure { [witness] in witness.ended(token) })
    } else {
      witness.ended(token)
    }
    return try result.get()
  }

  private func work(
    _ context: StepContext, _ behaviour: Scenario.Behaviour
  ) async -> Result<StepOutputs, any Error> {
    let sleeper = Sleeper(scheduler)
    let cleanup = Sleeper(scheduler)
    // A kill may come before its handler is registered. `Task.yield` would leave the simulation.
    await Sleeper(scheduler).sleep(microseconds: 1)
    return await context.withKillHandler {
      sleeper.wake()
      cleanup.wake()
    } operation: {
      await write(behaviour.lines, context)
      if behaviour.length > 0 {
        await withTaskCancellationHandler {
          await sleeper.sleep(microseconds: Int64(behaviour.length) * 1000)
        } onCancel: {
          if behaviour.onCancel != .ignore { sleeper.wake() }
        }
      }
      if Task.isCancelled, behaviour.onCancel != .ignore {
        if case .stopSlowly(let time) = behaviour.onCancel {
          await cleanup.sleep(microseconds: Int64(time) * 1000)
        }
        return .failure(CancellationError())
      }
      return switch behaviour.ending {
      case .success where items[context.step.id] != nil:
        .success(["items": items[context.step.id] ?? ""])
      case .success: .success(["by": "\(context.step.id) \(context.generation).\(context.attempt)"])
      case .exit(let status): .failure(FailureReason.exited(status: status))
      case .error: .failure(SimulatedError())
      }
    }
  }

  private func write(_ lines: Int, _ context: StepContext) async {
    for line in 0..<lines {
      context.report("line \(line)", on: line % 3 == 0 ? .standardError : .standardOutput)
      if line % 7 == 0 { context.report(progress: Double(line) / Double(lines), "working") }
      if line % 5 == 0 { await context.roomForOutput() }
    }
  }
}

private struct SimulatedError: Error {}
