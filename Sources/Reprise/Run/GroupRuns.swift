// `GroupRuns`: the time limits and retries of the groups of a run.

import Workflows

/// A group that waits to run again.
struct PendingGroupRetry: Sendable, Equatable {
  /// The step whose failure is the reason.
  ///
  /// When it runs again or its result is set for another reason, the wait is over.
  let culprit: StepIndex
  /// Distinguishes this wait from earlier and later ones of the group.
  let number: Int
  /// The steps of the group.
  let members: [StepIndex]
}

/// The groups of a run that have a time limit or are retried as a whole.
///
/// A value guarded by the ledger's lock.
struct GroupRuns: Sendable {
  /// A change to the timers, which the caller makes after releasing the lock.
  enum TimerChange: Sendable {
    case start(GroupIndex, number: Int, after: Duration)
    case stop(number: Int)
  }

  private struct Entry {
    let group: Group
    var members: [StepIndex] = []
    /// The groups inside of it that have a time limit or retries, too.
    var inner: Set<GroupIndex> = []
    /// The services among its members for whose end it does not wait.
    var outliving: Set<StepIndex> = []

    /// Whether it is over as far as a step is concerned.
    func isOver(_ step: StepIndex, in state: RunState) -> Bool {
      state[step].phase.isFinal || outliving.contains(step) && state[step].isReady
    }
    /// The number of the timer in progress.
    var timer: Int?
    /// Whether its time is over, until it runs again.
    var isExpired = false
    /// The number of retries so far.
    var retryCount = 0
  }

  private var groups: [GroupIndex: Entry] = [:]
  /// The groups of a step, innermost first.
  private var groupsOfStep: [StepIndex: [GroupIndex]] = [:]
  /// The groups that wait to run again.
  private(set) var retrying: [GroupIndex: PendingGroupRetry] = [:]
  /// The steps of these groups.
  var membersOfRetrying: [StepIndex] { retrying.values.flatMap(\.members) }
  private var timerChanges: [TimerChange] = []
  private var nextTimer = 0
  private var nextRetry = 0
  /// The group whose retry is the generation that begins.
  private var retried: GroupIndex?

  var isEmpty: Bool { groups.isEmpty }

  /// Finds the groups of a plan.
  init(of plan: Plan) {
    let ruled = plan.groups.indices.map {
      plan.groups[$0].timeout != nil || plan.groups[$0].retry != nil
    }
    guard ruled.contains(true) else { return }
    for step in plan.order {
      let around = plan.groups(around: step).filter { ruled[$0.position] }
      guard !around.isEmpty else { continue }
      groupsOfStep[step] = around
      for (depth, group) in around.enumerated() {
        groups[group, default: Entry(group: plan.groups[group])].members.append(step)
        groups[group]?.inner.formUnion(around[..<depth])
        if plan.outlives(step, group) { groups[group]?.outliving.insert(step) }
      }
    }
  }

  /// Takes the groups of another version of the workflow; those that are still part of it go on.
  mutating func take(_ plan: Plan) {
    let old = groups
    var next = GroupRuns(of: plan)
    for (group, entry) in old {
      guard next.groups[group] != nil else {
        if let number = entry.timer { timerChanges.append(.stop(number: number)) }
        continue
      }
      next.groups[group]?.timer = entry.timer
      next.groups[group]?.retryCount = entry.retryCount
      next.groups[group]?.isExpired = entry.isExpired
    }
    groups = next.groups
    groupsOfStep = next.groupsOfStep
    retrying = retrying.filter { plan.contains($0.value.culprit) && groups[$0.key] != nil }
  }

  // MARK: Time limits

  /// Takes the changes that the timers need.
  mutating func takeTimerChanges() -> [TimerChange] {
    guard !timerChanges.isEmpty else { return [] }
    defer { timerChanges = [] }
    return timerChanges
  }

  /// Starts and stops timers after an event.
  mutating func follow(_ event: Event, of step: StepIndex?, in state: RunState) {
    switch event.kind {
    case .step(let id, _, .started), .step(let id, _, .pausing):
      guard let step = step ?? state.steps.index(of: id) else { break }
      for group in groupsOfStep[step] ?? [] { startTimer(of: group) }
    case .step(_, _, .output), .step(_, _, .progress): break
    case .step(let id, _, _):
      guard let step = step ?? state.steps.index(of: id),
        state[step].phase.isFinal || state[step].isReady
      else { break }
      stopTimers(of: groupsOfStep[step] ?? []) { [retrying] entry in
        // The time goes on while a group inside of it waits for its retry.
        entry.inner.allSatisfy { retrying[$0] == nil }
          && entry.members.allSatisfy { entry.isOver($0, in: state) }
      }
    case .generationStarted:
      // That of the groups around a retried one goes on.
      stopTimers(of: Array(groups.keys)) { [retried] entry in
        retried.map(entry.inner.contains) != true
          && entry.members.allSatisfy { !state[$0].phase.isActive || entry.isOver($0, in: state) }
      }
      retried = nil
    case .runEnded:
      stopTimers(of: Array(groups.keys)) { _ in true }
    default: break
    }
  }

  /// Continues the time limits of groups of which steps have survived the engine before.
  mutating func resume(_ state: RunState) {
    guard let now = state.generationStartedAt else { return }
    for (group, entry) in groups.sorted(by: { $0.key.position < $1.key.position }) {
      let steps = entry.members.map { state[$0] }
      guard steps.contains(where: { $0.phase == .running }),
        let start = steps.compactMap(\.startedAt).min()
      else { continue }
      startTimer(of: group, after: now - start)
    }
  }

  private mutating func startTimer(of group: GroupIndex, after elapsed: Duration = .zero) {
    guard let entry = groups[group], let timeout = entry.group.timeout, entry.timer == nil,
      !entry.isExpired
    else { return }
    nextTimer += 1
    groups[group]?.timer = nextTimer
    timerChanges.append(.start(group, number: nextTimer, after: max(.zero, timeout - elapsed)))
  }

  /// Stops the timers of groups that are over.
  private mutating func stopTimers(of list: [GroupIndex], if isOver: (Entry) -> Bool) {
    for group in list {
      guard let entry = groups[group], let number = entry.timer, isOver(entry) else { continue }
      groups[group]?.timer = nil
      timerChanges.append(.stop(number: number))
    }
  }

  /// Returns the steps because of which the time of a group is over, and its limit; nil if its timer
  /// was stopped.
  mutating func expire(
    _ group: GroupIndex, number: Int, in state: RunState
  ) -> (members: [StepIndex], timeout: Duration)? {
    guard let entry = groups[group], entry.timer == number, let timeout = entry.group.timeout else {
      return nil
    }
    groups[group]?.timer = nil
    groups[group]?.isExpired = true
    let members = entry.members.filter {
      state[$0].phase.isFinal || !entry.isOver($0, in: state)
    }
    return (members, timeout)
  }

  // MARK: Retries

  /// Starts the wait of a group for its next attempt, because a step has failed.
  ///
  /// - Returns: The wait, and the number of the retry from 1; nil if there is none left.
  mutating func retry(
    _ group: GroupIndex, becauseOf culprit: StepIndex
  ) -> (wait: PendingGroupRetry, count: Int)? {
    guard let entry = groups[group], let retry = entry.group.retry, entry.retryCount < retry.limit,
      retrying[group] == nil
    else { return nil }
    groups[group]?.retryCount += 1
    // It has its whole time again, and so have the groups inside of it.
    stopTimers(of: [group] + entry.inner) { _ in true }
    nextRetry += 1
    let wait = PendingGroupRetry(culprit: culprit, number: nextRetry, members: entry.members)
    retrying[group] = wait
    return (wait, entry.retryCount + 1)
  }

  /// Ends the waits of groups whose failed steps meet a condition.
  ///
  /// - Returns: Their steps.
  @discardableResult
  mutating func withdraw(where isWithdrawn: (StepIndex) -> Bool) -> [StepIndex] {
    let withdrawn = retrying.filter { isWithdrawn($0.value.culprit) }
    for group in withdrawn.keys { retrying[group] = nil }
    return withdrawn.values.flatMap(\.members)
  }

  /// Records that steps run again.
  ///
  /// Of a group that is retried, the groups inside of it have all their retries again; after any
  /// other restart, all groups of these steps have.
  ///
  /// - Parameters:
  ///   - steps: The steps.
  ///   - retried: The group whose retry this is; nil for another restart.
  mutating func restart(_ steps: [StepIndex], retryOf retried: GroupIndex?) {
    guard !groups.isEmpty else { return }
    self.retried = retried
    for group in Set(steps.flatMap { groupsOfStep[$0] ?? [] }) { groups[group]?.isExpired = false }
    let again =
      retried.map { groups[$0]?.inner ?? [] } ?? Set(steps.flatMap { groupsOfStep[$0] ?? [] })
    for group in again { groups[group]?.retryCount = 0 }
  }

  /// Lets no group run again.
  mutating func giveUp() { retrying = [:] }
}
