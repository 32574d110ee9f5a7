// The critical path of a run: the chain of steps that determined when it ended. Pure.

/// A step of a critical path.
package struct CriticalStep: Sendable, Equatable {
  /// The id of the step.
  package let step: String
  /// The duration of its work, with all attempts and rounds and what is between them; of a service, until it
  /// could be used.
  package let duration: Duration
  /// What it waited for before, once its needs were over.
  package let waits: [StepWait]

  /// The time that it waited for all of that.
  package var wait: Duration { waits.reduce(.zero) { $0 + $1.duration } }
}

/// What a step waited for between the end of its needs and its start.
package struct StepWait: Sendable, Equatable {
  /// What it waited for.
  package enum Cause: Sendable, Equatable {
    /// One of the slots of the run: `max-parallel`, not the order of steps, was the limit.
    case slot
    /// Places of a pool.
    case pool(String)
    /// Its runner, such as a queue of Slurm.
    case runner(String)
    /// The answer of a person.
    case approval
    /// The end of a pause of the run.
    case pause

    /// The kind in reports.
    package var kind: String {
      switch self {
      case .slot: "slot"
      case .pool: "pool"
      case .runner: "runner"
      case .approval: "approval"
      case .pause: "pause"
      }
    }

    /// The name of the pool or runner.
    package var name: String? {
      switch self {
      case .pool(let name), .runner(let name): name
      case .slot, .approval, .pause: nil
      }
    }

    /// The words after "waited 5.7 s ".
    package var words: String {
      switch self {
      case .slot: "for a slot"
      case .pool(let name): "for pool \"\(name)\""
      case .runner(let name): "on \(name)"
      case .approval: "for approval"
      case .pause: "while the run was paused"
      }
    }
  }

  package let cause: Cause
  package let duration: Duration
}

extension RunState {
  /// The chain of steps that determined when the run ended; empty before any step has ended.
  ///
  /// The critical path method over measured times: starting from the step that ended last, follows the
  /// need that ended last, or was ready last if it only had to be ready. Goes through what did not run, such
  /// as skipped steps, and from the steps under `finally` to the others. Linear in the number of steps and needs.
  package var criticalPath: [CriticalStep] {
    guard let plan else { return [] }
    return CriticalWalk(self, plan).path
  }

  /// The duration of the critical path, with what its steps waited for.
  ///
  /// - Parameter path: The path.
  /// - Returns: The sum.
  package static func total(of path: [CriticalStep]) -> Duration {
    path.reduce(.zero) { $0 + $1.duration + $1.wait }
  }
}

/// Finds the critical path of a state.
private struct CriticalWalk {
  /// A step, with the end of what others waited for.
  struct Link {
    let position: Int
    let end: Timestamp
  }

  private let state: RunState
  private let plan: RunPlan
  private let mainCount: Int
  /// The needs of each step, by position.
  private let needs: [[Int]]

  init(_ state: RunState, _ plan: RunPlan) {
    self.state = state
    self.plan = plan
    mainCount = state.steps.count - max(0, min(plan.finallyCount, state.steps.count))
    needs = state.steps.indices.map { position in
      plan.steps[position].needs.compactMap { state.position(ofStep: $0) }
    }
  }

  var path: [CriticalStep] {
    var path: [CriticalStep] = []
    var origins: [Int: Link?] = [:]
    var next = last(of: state.steps.indices)
    // Needs have no cycles in the plan of a workflow, but a plan can come from anywhere.
    while let link = next, path.count < state.steps.count {
      path.append(step(link))
      next = predecessor(of: link.position, &origins)
    }
    return path.reversed()
  }

  private func step(_ link: Link) -> CriticalStep {
    let step = state.steps[link.position]
    let waits = step.waits(state.pauses)
    let start = waits.reduce(step.waitingSince ?? step.startedAt ?? link.end) {
      $0.advanced(by: $1.duration)
    }
    return CriticalStep(step: step.id, duration: max(.zero, link.end - start), waits: waits)
  }

  /// The one of some steps that ended last; services only if there is nothing else, since they end when
  /// the others have.
  private func last(of positions: Range<Int>) -> Link? {
    let ended = positions.compactMap { link($0, for: nil) }
    let others = ended.filter { plan.steps[$0.position].isService != true }
    return (others.isEmpty ? ended : others).max { $0.end < $1.end }
  }

  /// Returns the end of a step that has run, for one that needs it; nil if it has not run.
  private func link(_ position: Int, for dependent: StepState?) -> Link? {
    let step = state.steps[position]
    guard step.startedAt != nil, let end = step.endedAt, plan.steps[position].items == nil
    else { return nil }
    if let ready = step.readyAt, let start = dependent?.waitingSince, start < end {
      return Link(position: position, end: ready)
    }
    return Link(position: position, end: end)
  }

  /// Returns the step that determined when another could start; nil if nothing did.
  private func predecessor(of position: Int, _ origins: inout [Int: Link?]) -> Link? {
    if let own = origin(of: position, &origins) { return own }
    return position < mainCount ? nil : last(of: 0..<mainCount)
  }

  /// Returns the last end among the needs of a step, through needs that have not run themselves.
  ///
  /// Not recursive: chains may be long.
  private func origin(of position: Int, _ origins: inout [Int: Link?]) -> Link? {
    var stack = [position]
    // Those whose own needs come first; with a cycle, one of them is met again.
    var expanded: Set<Int> = []
    while let top = stack.last {
      let dependent = state.steps[top]
      if origins[top] != nil {
        stack.removeLast()
        continue
      }
      guard !expanded.insert(top).inserted else {
        stack += needs[top].filter { need in
          origins[need] == nil && link(need, for: dependent) == nil && !expanded.contains(need)
        }
        continue
      }
      stack.removeLast()
      origins[top] = needs[top].compactMap { link($0, for: dependent) ?? origins[$0] ?? nil }
        .max { $0.end < $1.end }
    }
    return origins[position] ?? nil
  }
}

extension StepState {
  /// What the step waited for between the end of its needs and its start.
  ///
  /// Of a step with several attempts or rounds only the wait for approval is known, and the rest counts as
  /// work; so does the wait of a step that only waits.
  ///
  /// - Parameter pauses: The pauses of the run.
  /// - Returns: The waits in order, without those below a millisecond.
  func waits(_ pauses: [RunState.Pause]) -> [StepWait] {
    guard var time = waitingSince, let startedAt else { return [] }
    var waits: [StepWait] = []
    func add(_ cause: StepWait.Cause, until end: Timestamp) {
      let duration = end - time
      if duration >= .milliseconds(1) { waits.append(StepWait(cause: cause, duration: duration)) }
      time = max(time, end)
    }
    for intervention in interventions {
      if case .approved = intervention.kind, intervention.time <= startedAt {
        add(.approval, until: intervention.time)
      }
    }
    guard attempt <= 1, round == nil, waitEnd == nil else { return waits }
    let slotEnd = min(lastPoolWait?.since ?? placement?.queuedAt ?? startedAt, startedAt)
    for pause in pauses where pause.start < slotEnd && pause.end > time {
      add(.slot, until: max(time, pause.start))
      add(.pause, until: min(slotEnd, pause.end))
    }
    add(.slot, until: slotEnd)
    if let pool = lastPoolWait {
      add(.pool(pool.pool), until: min(placement?.queuedAt ?? startedAt, startedAt))
    }
    if let placement { add(.runner(placement.place.runner), until: startedAt) }
    return waits
  }
}
