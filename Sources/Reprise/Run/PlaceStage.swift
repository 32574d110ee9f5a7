// The slots and the places of a pool that an attempt needs, and its start.

import Workflows

/// The stage in which an attempt waits for its slots, for the steps that it uses, and for its pool.
struct PlaceStage: StepStage {
  let tools: StageTools
  let pools: PoolPlaces
  /// The folder in which pools are shared with other processes.
  let poolFolder: String?

  /// Takes the slots of a step for an attempt, once the steps that it uses are ready.
  ///
  /// A step that an earlier engine has started goes on, also when it was stopped.
  ///
  /// - Throws: ``Withdrawn`` if the step was stopped.
  func takeSlots(_ job: StepJob, attempt: Int, isAdopted: Bool) async throws(Withdrawn) {
    while true {
      let hasSlots = await takeSlots(job, attempt: attempt)
      if isAdopted { return }
      guard hasSlots else { throw Withdrawn() }
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
        page.controls[job.index].wasReady
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

  /// Takes the places of pools for an attempt, of its step and of the groups around it, and records its
  /// start.
  ///
  /// A step that waits for places has not started, and has no slot. In a pause, nothing starts. A step
  /// that an earlier engine has started never waits.
  ///
  /// - Returns: The places, or the result of an attempt that does not start.
  func start(
    _ job: StepJob, attempt: Int, by executor: any Executor, isAdopted: Bool = false
  ) async throws(Withdrawn) -> (places: AttemptPlaces, result: StepResult?) {
    while true {
      let (places, result) = try await takePlaces(job, attempt: attempt, isAdopted: isAdopted)
      if let result { return (places, result) }
      if isAdopted {
        slots.started(job.index)
        return (places, nil)
      }
      // Elsewhere, an attempt may wait for long before it starts.
      switch begin(job, attempt: attempt, isReported: executor.reportsStart) {
      case .begun:
        slots.started(job.index)
        return (places, nil)
      case .paused:
        places.own?.release()
        try await waitInPause(job, attempt: attempt)
      case .stopped:
        places.own?.release()
        throw Withdrawn()
      }
    }
  }

  /// Takes the places of pools that an attempt needs and that the groups around it do not hold yet.
  private func takePlaces(
    _ job: StepJob, attempt: Int, isAdopted: Bool
  ) async throws(Withdrawn) -> (places: AttemptPlaces, result: StepResult?) {
    var places = AttemptPlaces()
    guard job.plan.groups.count > 1 || job.step.extrasIfAny?.pools.isEmpty == false else {
      return (places, nil)
    }
    let wait = PlaceWait(stage: self, job: job, attempt: attempt, isAdopted: isAdopted)
    do {
      for group in job.plan.groups(around: job.index) {
        let claims = job.plan.groups[group].pools
        guard !claims.isEmpty else { continue }
        places.paths += try await take(claims, of: group, wait).paths
      }
      if let claims = job.step.extrasIfAny?.pools, !claims.isEmpty {
        let holder = CallingSteps.holder(job.step.id, of: wait.run)
        places.own = try await wait.take(claims, for: holder)
        if !isAdopted, ledger.decide({ $0.state.isPaused }) {
          // Others can have them until the pause is over.
          places.own?.release()
          places.own = nil
          try await takeSlotsAgain(job)
          places.own = try await wait.take(claims, for: holder)
        }
        places.paths += places.own?.paths ?? []
      }
      try await takeSlotsAgain(job)
    } catch {
      places.own?.release()
      let event = ending(of: error)
      if isAdopted {
        // It runs already, and goes on without them.
        if case .failed(let reason) = event, !(error is Withdrawn) {
          var problem = "\(reason)"
          if case .notStarted(let text) = reason { problem = text }
          wait.noteLackOfPlaces(because: problem)
        }
        return (AttemptPlaces(), nil)
      }
      if let error = error as? Withdrawn { throw error }
      if case .failed = event { try begin(.started(), of: job, attempt: attempt) }
      return (AttemptPlaces(), end(job.index, attempt: attempt, event))
    }
    return (places, nil)
  }

  /// Takes the slots again that a step has given back to wait.
  private func takeSlotsAgain(_ job: StepJob) async throws(Withdrawn) {
    guard await slots.takeAgain(job.index, generation: job.generation) else { throw Withdrawn() }
  }

  /// Takes the places of a group, unless it holds them.
  private func take(
    _ claims: [PoolClaim], of group: GroupIndex, _ wait: PlaceWait
  ) async throws -> PoolPlaces.Lease {
    let name = wait.job.plan.groups[group].shownName
    let holder = CallingSteps.holder(ofGroup: name, of: wait.run)
    let lease = try await slots.groupPlaces.places(
      of: group, take: { try await wait.take(claims, for: holder, isOfGroup: true) },
      onWait: {
        let names = claims.map { "\"\($0.pool)\"" }.joined(separator: ", ")
        let pools = claims.count == 1 ? "pool" : "pools"
        wait.begin(
          claims[0], "waits until group \"\(name)\" has its places of \(pools) \(names)")
      })
    // Another step of the group may have taken them by now.
    guard let lease else { throw Withdrawn() }
    // The group may be over by now, if this step is being stopped.
    guard slots.keepsPlaces(group, around: wait.job.index) else {
      slots.groupPlaces.release(group)
      throw Withdrawn()
    }
    return lease
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
      // Its users have all been stopped in the meantime. During a restart, no one else looks.
      if job.step.action.isService, !page.isNeeded(step) {
        _ = page.controls[step].windDown()
        return .stopped
      }
      // A service that starts again holds no slots to wait with.
      if page.state.isPaused, page.state[step].phase == .waiting,
        !page.controls[step].wasReady
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

/// The places of pools that an attempt has.
struct AttemptPlaces: Sendable {
  /// Those of the step itself, which the attempt gives back.
  var own: PoolPlaces.Lease?
  /// The locks of its places, and of those of the groups around it, for a host that outlives the engine.
  var paths: [String] = []
}

/// How an attempt waits for places.
private struct PlaceWait {
  let stage: PlaceStage
  let job: StepJob
  let attempt: Int
  let isAdopted: Bool

  var run: String { stage.ledger.run.description }

  /// Takes places; the step says that it waits, if it does.
  ///
  /// A step that has survived an engine may hold those of its group.
  ///
  /// - Throws: ``Withdrawn`` if the step was stopped.
  func take(
    _ claims: [PoolClaim], for holder: String, isOfGroup: Bool = false
  ) async throws -> PoolPlaces.Lease {
    let (pools, folder) = (stage.pools, stage.poolFolder)
    if isAdopted {
      let lease = try pools.retake(claims, for: holder, in: folder)
      if folder != nil, !lease.isLocked {
        let names = claims.map { "\"\($0.pool)\"" }.joined(separator: ", ")
        noteLackOfPlaces(because: "others have taken places of \(names)")
      }
      return lease
    }
    if isOfGroup, let kept = try pools.keptPlaces(claims, for: holder, in: folder) { return kept }
    let lease = try await pools.take(
      claims, for: holder, in: folder, stage.clock, onWait: begin)
    guard let lease else { throw Withdrawn() }
    return lease
  }

  /// Says that a step which has survived an engine goes on without its places.
  func noteLackOfPlaces(because reason: String) {
    let text = "step \"\(job.step.id)\" went on without its places in a pool: \(reason)"
    stage.ledger.decide { $0.record(.runNotice(text)) }
  }

  /// Says that the step waits; others use its slot in the meantime.
  func begin(_ claim: PoolClaim, _ reason: String) {
    _ = stage.record(.waitingForPool(claim.pool, text: reason), of: job, attempt: attempt)
    stage.slots.giveBackToWait(job.index)
  }
}
