// The slots and the places of a pool that an attempt needs, and its start.

import WorkflowLanguage

/// The stage in which an attempt waits for its slots, for the steps that it uses, and for its pool.
struct PlaceStage: StepStage {
  let tools: StageTools
  let pools: PoolPlaces
  /// The folder in which pools are shared with other processes.
  let poolFolder: String?

  /// Takes the slots of a step for an attempt, once the steps that it uses are ready.
  ///
  /// - Throws: ``Withdrawn`` if the step was stopped.
  func takeSlots(_ job: StepJob, attempt: Int, isAdopted: Bool) async throws(Withdrawn) {
    while true {
      guard await takeSlots(job, attempt: attempt) else { throw Withdrawn() }
      if isAdopted { return }
      guard try await waitForUsedSteps(job) else { return }
    }
  }

  /// Takes the slots of a step for an attempt.
  ///
  /// A service that is started again holds none: the steps that wait for it may hold all of them.
  ///
  /// - Returns: Whether the attempt may start; false if the step was stopped.
  private func takeSlots(_ job: StepJob, attempt: Int) async -> Bool {
    if attempt > 1, job.step.action.isService,
      ledger.decide({ page in
        page.controls[job.index].wasAvailable
      })
    {
      return !Task.isCancelled
    }
    return await slots.take(job.index, generation: job.generation)
  }

  /// Waits while a step that this one uses is between two of its attempts, such as a service that is
  /// started again.
  ///
  /// The step gives its slots back before: what it waits for may need them.
  ///
  /// - Returns: Whether it had to wait, and has no slots.
  /// - Throws: ``Withdrawn`` if the step was stopped.
  func waitForUsedSteps(_ job: StepJob) async throws(Withdrawn) -> Bool {
    var hasWaited = false
    while let ticket = ledger.decide({ $0.waitForUsedSteps(of: job) }) {
      slots.release(job.index)
      slots.startNext()
      guard await ticket.value() != nil else { throw Withdrawn() }
      hasWaited = true
    }
    return hasWaited
  }

  /// Takes the places of a step's pool for an attempt, and records its start.
  ///
  /// A step that waits for places has not started; it keeps its slots. In a pause, nothing starts. A
  /// step that an earlier engine has started never waits.
  ///
  /// - Returns: The places, nil without a pool; or the result of an attempt that does not start.
  func start(
    _ job: StepJob, attempt: Int, by executor: any Executor, isAdopted: Bool = false
  ) async throws(Withdrawn) -> (lease: PoolPlaces.Lease?, result: StepResult?) {
    while true {
      let (lease, result) = try await takePlaces(job, attempt: attempt, isAdopted: isAdopted)
      if let result { return (nil, result) }
      if isAdopted {
        slots.started(job.index)
        return (lease, nil)
      }
      // Elsewhere, an attempt may wait for long before it starts.
      switch begin(job, attempt: attempt, isReported: executor.reportsStart) {
      case .begun:
        slots.started(job.index)
        return (lease, nil)
      case .paused:
        lease?.release()
        try await waitInPause(job, attempt: attempt)
      case .stopped:
        lease?.release()
        throw Withdrawn()
      }
    }
  }

  /// Takes the places of a step's pool, if it has one.
  private func takePlaces(
    _ job: StepJob, attempt: Int, isAdopted: Bool
  ) async throws(Withdrawn) -> (lease: PoolPlaces.Lease?, result: StepResult?) {
    guard let claim = job.step.extrasIfAny?.pool else { return (nil, nil) }
    let taken: PoolPlaces.Lease?
    do {
      let run = ledger.decide { $0.state.run?.description ?? "" }
      let holder = CallingSteps.holder(job.step.id, of: run)
      if isAdopted { return (try pools.retake(claim, for: holder, in: poolFolder), nil) }
      taken = try await pools.take(claim, for: holder, in: poolFolder, clock) { reason in
        _ = record(.waitingForPool(claim.pool, text: reason), of: job, attempt: attempt)
        // The next steps of the queue start in the meantime.
        slots.started(job.index)
        slots.startNext()
      }
    } catch {
      let event = ending(of: error)
      if case .failed = event { try begin(.started(), of: job, attempt: attempt) }
      return (nil, end(job.index, attempt: attempt, event))
    }
    guard let lease = taken else { throw Withdrawn() }
    return (lease, nil)
  }

  /// What happens to an attempt that is about to start.
  enum Beginning {
    case begun
    /// Nothing starts in the pause; the attempt must ask again.
    case paused
    /// The step is being stopped.
    case stopped
  }

  /// Records the start of an attempt, unless the run is paused.
  ///
  /// The step may have got its slots before the pause.
  ///
  /// - Parameters:
  ///   - job: The step.
  ///   - attempt: The number of the attempt.
  ///   - isReported: Whether its executor reports the start.
  /// - Returns: What happens to it.
  func begin(_ job: StepJob, attempt: Int, isReported: Bool = false) -> Beginning {
    ledger.decide { page in
      guard isReported || page.mayContinue(job) else { return .stopped }
      let step = job.index
      // A service that starts again holds no slots to wait with.
      if page.state.isPaused, page.state[step].phase == .ready,
        !page.controls[step].wasAvailable
      {
        return .paused
      }
      guard !isReported else { return .begun }
      return page.record(.started(), of: step, attempt: attempt) ? .begun : .stopped
    }
  }

  /// Gives the slots of a step back, and takes them again after the pause.
  func waitInPause(_ job: StepJob, attempt: Int) async throws(Withdrawn) {
    slots.release(job.index)
    slots.startNext()
    try await takeSlots(job, attempt: attempt, isAdopted: false)
  }
}
