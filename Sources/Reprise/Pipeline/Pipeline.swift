// `Pipeline`: compiles a plan into futures, one per step.

import Workflows

/// The results that a step begins with.
struct NeedResults: Sendable {
  /// Those of the steps that it needs, in their order.
  let needs: [StepResult]
  /// Those of other steps, which only had to be ready to be used before it begins.
  let waits: [StepResult]

  /// Divides results, of which the last ones are those of waits.
  init(_ results: [StepResult], waitCount: Int) {
    needs = Array(results.dropLast(waitCount))
    waits = results.suffix(waitCount)
  }
}

/// Compiles a plan into futures: a step is the zip of its needs, flat-mapped to its work.
///
/// One execution: the future of each step that is connected. Steps are connected in topological
/// order and disconnected in the opposite order, so that nothing recurses along the graph: a chain of
/// 100,000 steps needs as much stack as a chain of two.
///
/// Not `Sendable`: one task owns it.
final class Pipeline {
  /// Does the work of one step, given the results that it begins with.
  typealias Perform = @Sendable (StepIndex, NeedResults) async -> StepResult

  private var futures: [StepFuture?] = []

  deinit {
    disconnect()
  }

  /// Starts steps: each begins when its needs have their results and its turn in the queue comes.
  ///
  /// Linear in the number of steps and needs.
  ///
  /// - Parameters:
  ///   - steps: The steps in topological order. Their needs are among them or already connected.
  ///   - plan: The plan.
  ///   - needs: The needs of steps whose order is decided during the run, instead of those of the
  ///     plan.
  ///   - waits: For each step, others that must be ready to be used before it begins, besides those
  ///     that it needs.
  ///   - queue: Decides when a step whose needs have their results begins.
  ///   - perform: Does the work of one step. Only steps that need its result wait for it.
  func connect(
    _ steps: [StepIndex], of plan: Plan, needs: [StepIndex: [StepIndex]] = [:],
    waits: [StepIndex: [StepIndex]] = [:], in queue: any StepQueue, perform: @escaping Perform
  ) {
    let (alternatives, earlyNeeds) = (plan.alternatives, plan.earlyNeeds)
    while futures.count < plan.count { futures.append(nil) }
    for step in steps {
      let all = needs[step].map { $0[...] } ?? plan.graph.needs(of: step)
      let needs = all.filter { futures[$0] != nil }
      let anyOf = alternatives[step].map { alternatives in
        Set(needs.indices.filter { alternatives.contains(needs[$0]) })
      }
      let early = earlyNeeds[step] ?? []
      let awaited = needs.compactMap { need in
        early.contains(need) ? futures[need]?.readiness : futures[need]
      }
      let others = (waits[step] ?? []).compactMap { futures[$0]?.readiness }
      let future = StepFuture.zip(awaited + others, anyOf: anyOf ?? []).flatMap { results in
        await perform(step, NeedResults(results, waitCount: others.count))
      }
      futures[step] = future
      future.connect(as: step, waitCount: others.count, in: queue)
    }
    queue.startNext(after: nil)
  }

  /// Stops steps: waiting steps never begin, and the tasks of running steps are cancelled.
  ///
  /// Returns without waiting for the tasks to end.
  ///
  /// - Parameter steps: The steps in topological order, with all of their dependents.
  func disconnect(_ steps: [StepIndex]) {
    for step in steps.reversed() where futures.indices.contains(step.position) {
      futures[step]?.cancel()
      futures[step] = nil
    }
  }

  /// Stops all steps.
  func disconnect() {
    // First cancel all of them, so that each has released its needs when the last reference goes.
    for future in futures.reversed() { future?.cancel() }
    futures = []
  }
}
