// `RunHistory`: all generations of a run with their attempts and approvals, folded from its events.

/// The history of a run.
///
/// A ``RunState`` contains only the last attempt of each step. This fold keeps all of them, for
/// reports and timelines; its size grows with the number of attempts. It accepts any sequence of
/// events: a recap leads to a history that lacks what the recap omits.
package struct RunHistory: Sendable, Equatable {
  /// How a generation came about.
  package enum Beginning: Sendable, Equatable {
    /// The run started.
    case started
    /// The run was restarted from these steps; from the top if nil.
    case restarted(from: [String]?)
    /// The run was resumed.
    case resumed
    /// The generation started before the first known event.
    case unknown
  }

  /// One attempt of a step.
  package struct Attempt: Sendable, Equatable {
    /// The id of the step.
    package let step: String
    /// The attempt in its generation, from 1.
    package let number: Int
    /// The time from which the step waited for its start, in the first attempt of a generation.
    package let waitingSince: Timestamp?
    /// The start of the attempt.
    package let startedAt: Timestamp
    /// The end of the attempt; nil while it is running.
    package fileprivate(set) var endedAt: Timestamp?
    /// The state at its end; `running` until then.
    package fileprivate(set) var phase = StepPhase.running
    /// The delay before the next attempt, if the attempt failed and is retried.
    package fileprivate(set) var retryDelay: Duration?
  }

  /// A question that a step asked before it started.
  package struct Approval: Sendable, Equatable {
    /// The answer to the question.
    package enum Answer: String, Sendable {
      case approved, rejected
      /// The step was stopped before an answer.
      case withdrawn
    }

    /// The id of the step.
    package let step: String
    /// The question.
    package let text: String
    /// The time of the question.
    package let askedAt: Timestamp
    /// The time of the answer; nil while the step waits for it.
    package fileprivate(set) var answeredAt: Timestamp?
    /// The answer; nil while the step waits for it.
    package fileprivate(set) var answer: Answer?
    /// Who answered; nil if there was no answer, or in old records.
    package fileprivate(set) var by: Requester?
  }

  /// One generation of the run.
  package struct Generation: Sendable, Equatable {
    /// The number of the generation, from 1.
    package let number: Int
    /// How it came about.
    package let beginning: Beginning
    /// The time at which the restart was requested or the run was resumed; nil for the first.
    package let requestedAt: Timestamp?
    /// Who requested the restart, if the event says so.
    package let requester: Requester?
    /// What another version of the workflow has changed; nil if it is the same one.
    package let changes: WorkflowChanges?
    /// The start of the generation: all stopped steps of the one before are gone.
    package let startedAt: Timestamp
    /// The end of the generation; nil while it is running.
    package fileprivate(set) var endedAt: Timestamp?
    /// The outcome of the run if it ended in this generation.
    package fileprivate(set) var outcome: RunOutcome?
    /// The attempts that started in this generation, in the order of their starts.
    package fileprivate(set) var attempts: [Attempt] = []
    /// The questions of steps in this generation, in the order in which they were asked.
    package fileprivate(set) var approvals: [Approval] = []
    /// The number of steps that ended in each state in this generation.
    package fileprivate(set) var counts = StepCounts()
  }

  private struct Place: Equatable {
    let generation: Int
    let offset: Int
  }

  /// What leads to the next generation.
  private struct Next: Equatable {
    let beginning: Beginning
    let requestedAt: Timestamp
    var requester: Requester?
    var changes: WorkflowChanges?
  }

  /// The plan of the run; nil before the first event.
  package private(set) var plan: RunPlan?
  /// The generations in order.
  package private(set) var generations: [Generation] = []
  private var next: Next?
  private var lastEventAt: Timestamp?
  private var waitingSince: [String: Timestamp] = [:]
  private var runningAttempts: [String: Place] = [:]
  private var openQuestions: [String: Place] = [:]
  /// The steps that were expanded to items.
  private var expanded: Set<String> = []

  /// Creates an empty history.
  package init() {}

  /// Adds an event.
  package mutating func apply(_ event: Event) {
    switch event.kind {
    case .runStarted(let plan):
      self.plan = plan
      start(event, .started)
    case .runResumed(let plan):
      self.plan = plan
      close()
      next = Next(beginning: .resumed, requestedAt: event.time)
    case .runReloaded(let plan, let changes):
      self.plan = plan
      next?.changes = changes
    case .runRestarting:
      next =
        next
        ?? Next(beginning: .restarted(from: nil), requestedAt: event.time, requester: event.by)
    case .generationStarted(let reset):
      endGeneration(at: event.time)
      var beginning = next?.beginning ?? .unknown
      if case .restarted = beginning { beginning = .restarted(from: reset.map(roots)) }
      start(event, beginning)
    case .runEnded(let outcome):
      endGeneration(at: event.time, outcome)
    case .step(let id, let attempt, let stepEvent):
      apply(stepEvent, id, attempt, event)
    default:
      break
    }
    // Neither output nor progress is recorded, so a recorded history does not depend on them.
    if !event.isTransient { lastEventAt = event.time }
  }

  /// Ends what is still running, if the engine of the run has died.
  ///
  /// The time of its death is unknown; uses the time of the last event.
  package mutating func close() {
    guard let lastEventAt else { return }
    for id in Array(runningAttempts.keys) {
      endAttempt(of: id, .cancelled(.interrupted), at: lastEventAt)
    }
    for id in Array(openQuestions.keys) { answer(id, .withdrawn, at: lastEventAt) }
    endGeneration(at: lastEventAt)
  }

  private mutating func start(_ event: Event, _ beginning: Beginning) {
    generations.append(
      Generation(
        number: event.generation, beginning: beginning, requestedAt: next?.requestedAt,
        requester: next?.requester, changes: next?.changes, startedAt: event.time))
    next = nil
    waitingSince = [:]
  }

  private mutating func endGeneration(at time: Timestamp, _ outcome: RunOutcome? = nil) {
    guard let last = generations.indices.last, generations[last].endedAt == nil else { return }
    generations[last].endedAt = time
    generations[last].outcome = outcome
  }

  /// Returns the steps that need no other of the steps, in order.
  private func roots(of steps: [String]) -> [String] {
    let chosen = Set(steps)
    let needs = Dictionary((plan?.steps ?? []).map { ($0.id, $0.needs) }) { first, _ in first }
    return steps.filter { !(needs[$0] ?? []).contains(where: chosen.contains) }
  }

  private mutating func apply(
    _ stepEvent: Event.StepEvent, _ id: String, _ attempt: Int, _ event: Event
  ) {
    let time = event.time
    guard let last = generations.indices.last else { return }
    switch stepEvent {
    case .expanded(let items):
      if let position = plan?.steps.firstIndex(where: { $0.id == id }) {
        plan?.expand(stepAt: position, to: items)
      }
      expanded.insert(id)
    case .waiting:
      waitingSince[id] = time
    case .awaitingApproval(let text):
      openQuestions[id] = Place(generation: last, offset: generations[last].approvals.count)
      generations[last].approvals.append(Approval(step: id, text: text, askedAt: time))
    case .approved:
      answer(id, .approved, at: time, by: event.by)
      waitingSince[id] = time
    case .started:
      // A rejected step starts and fails at once, without an answer in between.
      answer(id, .rejected, at: time)
      runningAttempts[id] = Place(generation: last, offset: generations[last].attempts.count)
      generations[last].attempts.append(
        Attempt(
          step: id, number: attempt, waitingSince: waitingSince.removeValue(forKey: id),
          startedAt: time))
    case .retrying(let reason, let delay):
      endAttempt(of: id, .failed(reason), at: time, retryDelay: delay)
    case .repeating:
      endAttempt(of: id, .succeeded([:]), at: time)
    case .succeeded(let outputs):
      end(id, .succeeded(outputs), time)
    case .failed(let reason):
      if reason == .rejected,
        let own = generations[last].approvals.lastIndex(where: { $0.step == id })
      {
        generations[last].approvals[own].by = event.by
      }
      end(id, .failed(reason), time)
    case .cancelled(let cause):
      end(id, .cancelled(cause), time)
    case .skipped(let reason, let outputs):
      end(id, .skipped(reason, outputs), time)
    default:
      break
    }
  }

  private mutating func end(_ id: String, _ phase: StepPhase, _ time: Timestamp) {
    answer(id, .withdrawn, at: time)
    endAttempt(of: id, phase, at: time)
    // What was expanded does not count: its items do.
    let isExpanded = expanded.contains(id)
    if let last = generations.indices.last, !isExpanded { generations[last].counts.add(phase, 1) }
  }

  private mutating func endAttempt(
    of id: String, _ phase: StepPhase, at time: Timestamp, retryDelay: Duration? = nil
  ) {
    guard let place = runningAttempts.removeValue(forKey: id) else { return }
    generations[place.generation].attempts[place.offset].endedAt = time
    generations[place.generation].attempts[place.offset].phase = phase
    generations[place.generation].attempts[place.offset].retryDelay = retryDelay
  }

  private mutating func answer(
    _ id: String, _ answer: Approval.Answer, at time: Timestamp, by requester: Requester? = nil
  ) {
    guard let place = openQuestions.removeValue(forKey: id) else { return }
    generations[place.generation].approvals[place.offset].answeredAt = time
    generations[place.generation].approvals[place.offset].answer = answer
    generations[place.generation].approvals[place.offset].by = requester
  }
}

extension RunHistory.Generation {
  /// What started the generation, such as `restarted from build after 3.1 s`.
  ///
  /// - Parameter previous: The generation before it.
  /// - Returns: The words.
  package func words(after previous: RunHistory.Generation?) -> String {
    let elapsed = requestedAt.flatMap { time in previous.map { time - $0.startedAt } }
    switch beginning {
    case .started: return "started"
    case .unknown: return "restarted"
    case .restarted(let steps):
      let after = elapsed.map { " after \(durationText($0))" } ?? ""
      let by = requester.map { " by \($0)" } ?? ""
      let reloaded = changes.map { "; the file has changed (\($0))" } ?? ""
      return "restarted from \(steps.map(Self.some) ?? "the top")" + after + by + reloaded
    case .resumed:
      let pause = requestedAt.flatMap { time in previous?.endedAt.map { time - $0 } }
      let after = pause.map { ", \(durationText($0)) after generation \(number - 1) ended" } ?? ""
      return "resumed" + after
    }
  }

  private static func some(of steps: [String]) -> String {
    let rest = steps.count - 3
    return steps.prefix(3).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
