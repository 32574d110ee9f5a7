// Checks of the attempts that the executor runs.

import Reprise

extension Oracle {
  /// Adds a note of the executor.
  func add(_ note: Note) {
    notes.append(note)
  }

  /// Checks the notes of the executor before a time.
  func readNotes(before time: Int64) {
    forest?.readNotes(before: time)
    while notesRead < notes.count, notes[notesRead].time < time {
      read(notes[notesRead])
      notesRead += 1
    }
    if notesRead > 1000 {
      notes.removeFirst(notesRead)
      notesRead = 0
    }
  }

  private func read(_ note: Note) {
    switch note.kind {
    case .ended(let token):
      guard let attempt = alive.removeValue(forKey: token) else { return }
      if aliveOfStep[attempt.step] == token { aliveOfStep[attempt.step] = nil }
      checkTimeout(attempt, endedAt: note.time)
    case .started(let token, let attempt, let number, let inputs, let durable):
      let position = attempt.step
      let step = steps[position]
      check(phase != .ended, "end", "\(name(position)) runs after the end of the run")
      check(
        aliveOfStep[position] == nil, "one attempt",
        "an attempt of \(name(position)) starts while another one is alive")
      check(
        step.status == .running && step.attempt == number, "started",
        "attempt \(number) of \(name(position)) runs while it is \(step.status) in "
          + "attempt \(step.attempt)")
      check(
        attempt.generation == generation || !blocked.isEmpty || attempt.generation < generation,
        "started", "\(name(position)) runs for generation \(attempt.generation)")
      checkInputs(of: position, inputs, durable: durable)
      alive[token] = attempt
      aliveOfStep[position] = token
      checkSlots(of: position)
    }
  }

  private func checkInputs(of position: Int, _ inputs: [String: StepOutputs], durable: Int) {
    for need in plan.steps[position].needs where steps[need].status == .succeeded {
      check(
        inputs[name(need)] == steps[need].outputs, "inputs",
        "\(name(position)) gets \(inputs[name(need)] ?? [:]) of \(name(need))")
      check(
        steps[need].successNumber <= durable, "durable",
        "\(name(position)) runs before the success of \(name(need)) is recorded")
    }
  }

  /// Checks that a timeout stopped the attempt, if the attempt can be stopped.
  private func checkTimeout(_ attempt: Attempt, endedAt time: Int64) {
    let spec = plan.steps[attempt.step].spec
    guard let timeout = spec.timeout, spec.behaviours.allSatisfy({ $0.lines == 0 }) else { return }
    let stopTimes = spec.behaviours.map { behaviour in
      switch behaviour.onCancel {
      case .stop: 0
      case .stopSlowly(let time): time
      case .ignore: behaviour.length
      }
    }
    let longest = Int64(timeout + (stopTimes.max() ?? 0)) * 1000 + 100_000
    check(
      time - attempt.startedAt <= longest, "timeout",
      "\(name(attempt.step)) ran for \((time - attempt.startedAt) / 1000) ms")
  }

  private func checkSlots(of position: Int) {
    check(
      alive.count <= maxParallel, "slots",
      "\(alive.count) attempts are alive with \(maxParallel) slots")
    let spec = plan.steps[position].spec
    let others = alive.values.map { plan.steps[$0.step] }
    if let mutex = spec.mutex {
      let holders = others.filter { $0.spec.mutex == mutex }.map(\.id).sorted()
      check(holders.count <= 1, "mutex", "\(holders) hold the mutex \(mutex) at once")
    }
    if let limit = spec.groupLimit {
      let members = others.filter { $0.spec.id == spec.id }.map(\.id).sorted()
      check(
        members.count <= limit, "group limit", "\(members) run at once with a limit of \(limit)")
    }
  }

  /// Checks that no slot is free while a step waits for one, when nothing is ready to run.
  func checkIdle() {
    guard phase == .running || phase == .restarting, pausedAt == nil, steps.count <= 400 else {
      return
    }
    let running = steps.count { $0.status == .running } + runningComputed.count
    guard running < maxParallel else { return }
    for (position, step) in steps.enumerated()
    where step.status == .waiting && step.attempt == 0 && !step.awaitsApproval
      && !blocked.contains(position)
    {
      let spec = plan.steps[position].spec
      guard spec.mutex == nil, spec.groupLimit == nil else { continue }
      fail(
        "idle slot",
        "\(name(position)) waits while \(running) steps run with \(maxParallel) slots")
    }
  }

  /// Records a request to a run that could still act on it.
  func note(_ request: Request, at time: Int64) {
    requests.append((request, time))
  }

  /// Checks that the run acted on every request, unless it ended right after the request.
  func checkRequests(at end: Int64) {
    for (request, time) in requests where end - time > slack {
      switch request {
      case .restart, .cancel:
        check(lastSteered > time, "request", "a \(request) was ignored")
      case .kill where plan.steps.contains { $0.spec.writes }:
        // Output waits for slow subscribers, even if the run is killed.
        break
      case .kill:
        fail("request", "the run ended \((end - time) / 1000) ms after it was killed")
      }
    }
    requests = []
  }

  /// Tracks the events that must survive a crash.
  func acknowledge(_ events: ArraySlice<Event>) {
    for event in events {
      switch event.kind {
      case .step(let id, _, .succeeded):
        if let position = plan.positions[id] { durableSuccesses.insert(position) }
      case .runResumed:
        isResumeAcknowledged = true
      case .runRestarting(let ids):
        acknowledgedRestart.formUnion(
          ids.map { $0.compactMap { plan.positions[$0] } } ?? Array(steps.indices))
      case .runCancelling(let cause):
        if !leavesUnfinished(cause) { acknowledgedRestart = [] }
      case .generationStarted(let reset):
        // A resume resets no success, except under `finally` and those that a restart was to reset.
        let positions = reset.map { $0.compactMap { plan.positions[$0] } } ?? Array(steps.indices)
        for position in positions
        where !isResumeAcknowledged || position >= plan.mainCount
          || acknowledgedRestart.contains(position)
        {
          durableSuccesses.remove(position)
        }
        if isResumeAcknowledged, forest == nil {
          check(
            acknowledgedRestart.isSubset(of: positions), "resume",
            "a recorded restart of \(acknowledgedRestart.sorted().map(name)) is lost by a resume")
        }
        isResumeAcknowledged = false
        acknowledgedRestart = []
      default: break
      }
    }
  }

  /// Returns whether a run that is stopped for a cause goes on when it is resumed.
  func leavesUnfinished(_ cause: CancellationCause) -> Bool {
    switch cause {
    case .interrupted, .abandoned: true
    default: false
    }
  }
}
