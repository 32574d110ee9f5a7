// The places of a pool that an attempt needs, and its start.

import WorkflowLanguage

extension StepPerformer {
  /// Takes the places of a step's pool for an attempt, and records its start.
  ///
  /// A step that waits for places has not started; it keeps its slots.
  ///
  /// - Returns: The places, nil without a pool; or the result of an attempt that does not start.
  func start(
    _ job: StepJob, attempt: Int, by executor: any Executor
  ) async throws(Withdrawn) -> (lease: PoolPlaces.Lease?, result: StepResult?) {
    // Elsewhere, an attempt may wait for long before it starts.
    let reportsStart = executor.reportsStart
    guard let claim = job.step.extrasIfAny?.pool else {
      if !reportsStart { try begin(.started(), of: job, attempt: attempt) }
      slots.started(job.place.index)
      return (nil, nil)
    }
    let taken: PoolPlaces.Lease?
    do {
      let run = ledger.decide { $0.state.run?.description ?? "" }
      taken = try await pools.take(
        claim, for: "step \"\(job.step.id)\" of run \(run)", in: poolFolder, clock
      ) { reason in
        _ = record(.waitingForPool(claim.pool, text: reason), of: job, attempt: attempt)
        // The next steps of the queue start in the meantime.
        slots.started(job.place.index)
        slots.startNext()
      }
    } catch {
      let event = ending(of: error)
      if case .failed = event { try begin(.started(), of: job, attempt: attempt) }
      return (nil, end(job.place, attempt: attempt, event))
    }
    guard let lease = taken else { throw Withdrawn() }
    do throws(Withdrawn) {
      if !reportsStart { try begin(.started(), of: job, attempt: attempt) }
    } catch {
      lease.release()
      throw error
    }
    slots.started(job.place.index)
    return (lease, nil)
  }
}
