// Checks of the events of a run.

import Reprise

extension Oracle {
  /// Checks the next event of the run.
  func receive(_ event: Event) {
    let time = event.time.microseconds - SimulatedClock.epoch
    if checksReplays { readNotes(before: time) }
    eventCount += 1
    check(time >= lastTime, "time", "\(event.kind) is earlier than the previous event")
    lastTime = time
    if let runID { check(event.run == runID, "run id", "an event belongs to run \(event.run)") }
    runID = event.run
    do {
      try folded.apply(event)
    } catch {
      fail("fold", "\(error)")
    }
    let isOutput = event.isWritten
    if !isOutput { recordedCount += 1 }
    switch event.kind {
    case .runStarted(let planned):
      check(phase == .notStarted, "start", "the run starts twice")
      let ids = planned.steps.map(\.id).filter { !Scenario.ComputedItems.contains($0) }
      if let forest {
        forest.begin(ids)
      } else {
        check(ids == plan.steps.map(\.id), "plan", "the plan has the steps \(ids)")
      }
      generation = 1
      phase = .running
    case .generationStarted(let reset):
      check(
        event.generation == generation + 1, "generation",
        "generation \(event.generation) follows \(generation)")
      startGeneration(reset, number: event.generation)
    default:
      check(
        event.generation == generation, "generation",
        "an event of generation \(event.generation) arrives in generation \(generation): "
          + "\(event.kind)")
      receiveOther(event, time)
    }
  }

  private func receiveOther(_ event: Event, _ time: Int64) {
    switch event.kind {
    case .runResumed: resume()
    case .runRestarting(let ids):
      check(phase == .running || phase == .restarting, "restart", "the run restarts while \(phase)")
      phase = .restarting
      let positions = ids.map { $0.compactMap { plan.positions[$0] } } ?? Array(steps.indices)
      check(
        plan.withDependents(positions) == Set(positions), "restart",
        "\(ids ?? []) are restarted without all of their dependents")
      blocked = Set(positions)
      promised.formUnion(positions)
    case .runPaused:
      check(isActive && pausedAt == nil, "pause", "the run is paused while \(phase)")
      pausedAt = time
    case .runUnpaused:
      check(pausedAt != nil, "pause", "the run is unpaused, but not paused")
      pausedAt = nil
    case .runCancelling(let cause):
      pausedAt = nil
      if !leavesUnfinished(cause) { promised = [] }
      check(isActive, "cancel", "the run is cancelled while \(phase)")
      phase = .cancelling
      wasStopped = true
      lastSteered = time
      blocked = Set(0..<plan.mainCount)
    case .runNotice: check(isActive, "ended", "a notice while the run is \(phase)")
    case .runEnded(let outcome): end(outcome, time)
    case .step(let id, _, let stepEvent) where Scenario.ComputedItems.contains(id):
      follow(stepEvent, ofComputed: id)
    case .step(let id, _, let stepEvent) where forest != nil:
      check(isActive, "ended", "\(id) \(stepEvent) while the run is \(phase)")
      forest?.isPaused = pausedAt != nil
      forest?.receive(stepEvent, of: id, time)
      if case .expanded = stepEvent {
        forest?.begin(folded.steps.map(\.id).filter { !Scenario.ComputedItems.contains($0) })
      }
    case .step(let id, let attempt, let stepEvent):
      guard let position = plan.positions[id] else { return fail("plan", "no step \"\(id)\"") }
      check(isActive, "ended", "\(id) \(stepEvent) while the run is \(phase)")
      receive(stepEvent, of: position, attempt: attempt, time, isByHand: event.by != nil)
    default: break
    }
  }

  private var isActive: Bool {
    phase == .running || phase == .restarting || phase == .cancelling
  }

  /// Follows a step that computes items, or one of an item; the checks are about the others.
  private func follow(_ event: Event.StepEvent, ofComputed id: String) {
    switch event {
    case .started:
      check(pausedAt == nil, "pause", "\(id) starts in a pause")
      runningComputed.insert(id)
    case .succeeded, .failed, .cancelled, .skipped: runningComputed.remove(id)
    default: break
    }
  }

  // MARK: The run

  private func startGeneration(_ reset: [String]?, number: Int) {
    check(phase == .restarting, "generation", "a generation starts while the run is \(phase)")
    generation = number
    phase = .running
    blocked = []
    lastSteered = lastTime
    forest?.reset(reset?.filter { !Scenario.ComputedItems.contains($0) }, at: lastTime)
    let positions = reset.map { $0.compactMap { plan.positions[$0] } } ?? Array(steps.indices)
    if !isResuming {
      check(
        plan.withDependents(positions) == Set(positions), "generation",
        "\(reset ?? []) are reset without all of their dependents")
    }
    for position in positions {
      let step = steps[position]
      check(
        !step.status.isActive, "generation", "\(name(position)) is reset while \(step.status)")
      if checksReplays {
        check(
          aliveOfStep[position] == nil, "generation",
          "generation \(number) starts while an attempt of \(name(position)) is alive")
      }
      if isResuming, position < plan.mainCount {
        check(
          step.status != .succeeded && step.status != .skipped || promised.contains(position),
          "resume", "\(name(position)) has succeeded and is reset by a resume")
      }
      steps[position] = Step()
    }
    promised = []
    isResuming = false
  }

  private func resume() {
    check(phase != .notStarted, "resume", "a run that never started is resumed")
    for position in steps.indices where steps[position].status.isActive {
      steps[position].status = .cancelled
    }
    forest?.resume()
    phase = .restarting
    pausedAt = nil
    isResuming = true
    wasStopped = false
    outcome = nil
  }

  private func end(_ outcome: RunOutcome, _ time: Int64) {
    check(isActive, "end", "the run ends while \(phase)")
    phase = .ended
    self.outcome = outcome
    endTime = time
    endNumber = recordedCount
    for (position, step) in steps.enumerated() where !step.status.isFinal && forest == nil {
      fail("end", "the run ends while \(name(position)) is \(step.status)")
    }
    if checksReplays {
      let left = alive.values.map { name($0.step) }.sorted()
      check(left.isEmpty, "end", "the run ends while attempts are alive: \(left)")
    }
    if checksReplays { checkRequests(at: time) }
    if let forest {
      forest.checkEnd(outcome)
      return
    }
    let failed = steps.indices.filter {
      steps[$0].status == .failed && !plan.steps[$0].spec.continuesOnError
    }
    switch outcome {
    case .skipped: fail("outcome", "no plan has a condition")
    case .succeeded:
      check(failed.isEmpty, "outcome", "the run has succeeded with \(failed.map(name)) failed")
      check(!wasStopped, "outcome", "the run has succeeded after a cancel")
      let missing = steps.indices.filter { steps[$0].status == .cancelled }
      check(
        missing.isEmpty, "outcome",
        "the run has succeeded without \(missing.map(name))")
    case .failed(let id, _):
      check(
        failed.map(name).contains(id), "outcome", "the outcome names \(id), which has not failed")
      check(!wasStopped, "outcome", "the run has failed after a cancel")
    case .cancelled, .interrupted, .timedOut, .abandoned:
      let isUnrecorded = if case .abandoned = outcome { fillsDisk } else { false }
      let hasCancelledStep =
        outcome == .cancelled && failed.isEmpty && steps.contains { $0.status == .cancelled }
      check(
        wasStopped || isUnrecorded || hasCancelledStep, "outcome",
        "the run ends as \(outcome) without a cancel")
    }
  }

  // MARK: Steps

  private func receive(
    _ event: Event.StepEvent, of position: Int, attempt: Int, _ time: Int64, isByHand: Bool
  ) {
    let old = steps[position].status
    func expect(_ statuses: Status...) {
      check(statuses.contains(old), "transition", "\(name(position)): \(event) while \(old)")
    }
    switch event {
    case .waiting:
      expect(.pending)
      checkNeeds(of: position, "waits")
      steps[position].status = .waiting
      steps[position].waitingSince = time
      steps[position].awaitsApproval = plan.steps[position].spec.approval
    case .awaitingApproval:
      expect(.waiting)
      check(steps[position].awaitsApproval, "approval", "\(name(position)) needs no approval")
    case .approved:
      expect(.waiting)
      check(steps[position].awaitsApproval, "approval", "\(name(position)) was not waiting")
      steps[position].awaitsApproval = false
      steps[position].waitingSince = time
    case .started:
      expect(.waiting)
      start(position, attempt: attempt, time)
    case .cancelling:
      expect(.waiting, .running)
      // If its engine dies now, no event says that it was cancelled.
      wereCancelled.insert(name(position))
    case .pausing:
      fail("transition", "\(name(position)) does not wait")
    case .retrying, .repeating:
      expect(.running)
      steps[position].status = .waiting
      lastRelease = time
    case .succeeded(let outputs):
      if isByHand { expect(.pending, .waiting, .running) } else { expect(.running) }
      end(position, .succeeded, time)
      steps[position].outputs = outputs
      steps[position].successNumber = recordedCount
    case .failed:
      expect(.running)
      everFailed.insert(name(position))
      end(position, .failed, time)
    case .cancelled(let cause):
      if case .failure(let id) = cause {
        check(
          everFailed.contains(id), "cause", "\(name(position)) is \(event), which has not failed")
      }
      if case .cancellation(let id) = cause {
        check(
          wereCancelled.contains(id), "cause",
          "\(name(position)) is \(event), which was not cancelled")
      }
      if cause == .request { wereCancelled.insert(name(position)) }
      check(!old.isFinal, "transition", "\(name(position)): \(event) while \(old)")
      end(position, .cancelled, time)
    case .skipped:
      check(!old.isFinal, "transition", "\(name(position)): \(event) while \(old)")
      if !isByHand {
        checkNeeds(of: position, "is skipped")
        check(
          plan.steps[position].spec.condition != nil, "skipped",
          "\(name(position)) has no condition")
      }
      end(position, .skipped, time)
    default:
      expect(.running)
    }
  }

  private func end(_ position: Int, _ status: Status, _ time: Int64) {
    // A rejected step starts and fails without a slot.
    if steps[position].status == .running, !plan.steps[position].spec.approval {
      lastRelease = time
    }
    steps[position].status = status
    if checksReplays {
      check(
        aliveOfStep[position] == nil, "step end",
        "\(name(position)) is \(status) while its attempt is alive")
    }
  }

  private func start(_ position: Int, attempt: Int, _ time: Int64) {
    check(
      attempt == steps[position].attempt + 1, "attempt",
      "attempt \(attempt) of \(name(position)) follows \(steps[position].attempt)")
    check(
      !blocked.contains(position), "gate",
      "\(name(position)) starts after it was stopped by a restart or cancel")
    if attempt == 1 { checkNeeds(of: position, "starts") }
    if !steps[position].awaitsApproval {
      check(pausedAt == nil, "pause", "\(name(position)) starts in a pause")
    }
    // A rejected step starts without a slot.
    if !steps[position].awaitsApproval {
      if attempt == 1 { checkOrder(of: position) }
      lastStart = time
    }
    steps[position].status = .running
    steps[position].attempt = attempt
    steps[position].awaitsApproval = false
  }

  /// Checks that the needs of a step have succeeded.
  private func checkNeeds(of position: Int, _ what: String) {
    let testsStatus = ["always()", "failure()", "success()"].contains(
      plan.steps[position].spec.condition)
    if plan.steps[position].isFinally {
      for other in 0..<plan.mainCount {
        check(
          steps[other].status.isFinal, "finally",
          "\(name(position)) \(what) while \(name(other)) is \(steps[other].status)")
      }
    }
    for need in plan.steps[position].needs {
      let status = steps[need].status
      let isEnough =
        testsStatus || plan.steps[position].isFinally
        ? status.isFinal
        : status == .succeeded || status == .skipped
          || (status == .failed && plan.steps[need].spec.continuesOnError)
      check(
        isEnough, "needs",
        "\(name(position)) \(what) while \(name(need)), which it needs, is \(status)")
    }
  }

  /// Waiting steps get their slots in plan order, the order of the file.
  ///
  /// A step gets its slot, at the earliest, when it waits and the previous step has started.
  /// From then on, no step ahead of it in the plan may be waiting.
  private func checkOrder(of position: Int) {
    let spec = plan.steps[position].spec
    guard spec.mutex == nil, spec.groupLimit == nil else { return }
    let mine = steps[position].waitingSince
    let since = max(mine, lastStart, maxParallel == 1 ? lastRelease : mine)
    let ahead = steps.indices.filter { other in
      let step = steps[other]
      return step.status == .waiting && step.attempt == 0 && !step.awaitsApproval
        && step.waitingSince < since && other < position
        && plan.steps[other].spec.mutex == nil && plan.steps[other].spec.groupLimit == nil
        && !blocked.contains(other)
    }
    check(
      ahead.isEmpty, "plan order",
      "\(name(position)) starts while \(ahead.map(name)), ahead of it in the plan, wait for a slot")
  }
}

extension Event {
  /// Whether the recorder receives the event separately, or not at all.
  var isWritten: Bool {
    switch kind {
    case .step(_, _, .output), .step(_, _, .progress): true
    default: false
    }
  }
}
