// `GroupRuns`: the time limits and retries of the groups of a run.

import WorkflowLanguage

/// The groups of a run that have a time limit or are retried as a whole.
///
/// A value guarded by the ledger's lock.
struct GroupRuns: Sendable {
  /// A change to the timers, which the caller makes after releasing the lock.
  enum TimerChange: Sendable {
    case start(group: String, number: Int, after: Duration)
    case stop(number: Int)
  }

  private struct Group {
    let rule: GroupRule
    var members: [Int] = []
    /// The names of the groups inside of it.
    var inner: Set<String> = []
    /// The number of the timer in progress.
    var timer: Int?
    /// The number of retries so far.
    var retryCount = 0
  }

  private var groups: [String: Group] = [:]
  /// The groups of a step, outermost first.
  private var groupsOfStep: [Int: [String]] = [:]
  /// The groups that wait to run again.
  private(set) var retrying: Set<String> = []
  private var timerChanges: [TimerChange] = []
  private var nextTimer = 0

  var isEmpty: Bool { groups.isEmpty }

  /// Finds the groups of a workflow.
  init(of workflow: Workflow) {
    for (position, step) in workflow.steps.enumerated() {
      guard let rules = step.extrasIfAny?.rules, !rules.isEmpty else { continue }
      let names = rules.map(\.group)
      groupsOfStep[position] = names
      for (depth, rule) in rules.enumerated() {
        groups[rule.group, default: Group(rule: rule)].members.append(position)
        groups[rule.group]?.inner.formUnion(names[(depth + 1)...])
      }
    }
  }

  /// Takes the groups of another version of the workflow; those with the same name go on.
  mutating func replace(with workflow: Workflow) {
    let old = groups
    var next = GroupRuns(of: workflow)
    for (name, group) in old {
      guard next.groups[name] != nil else {
        if let number = group.timer { timerChanges.append(.stop(number: number)) }
        continue
      }
      next.groups[name]?.timer = group.timer
      next.groups[name]?.retryCount = group.retryCount
    }
    groups = next.groups
    groupsOfStep = next.groupsOfStep
    retrying = retrying.filter { groups[$0] != nil }
  }

  // MARK: Time limits

  /// Takes the changes that the timers need.
  mutating func takeTimerChanges() -> [TimerChange] {
    guard !timerChanges.isEmpty else { return [] }
    defer { timerChanges = [] }
    return timerChanges
  }

  /// Starts and stops timers after an event.
  mutating func follow(_ event: Event, ofStepAt step: Int?, in state: RunState) {
    switch event.kind {
    case .step(let id, _, .started):
      guard let position = step ?? state.position(ofStep: id) else { break }
      for name in groupsOfStep[position] ?? [] { startTimer(of: name) }
    case .step(_, _, .output), .step(_, _, .progress): break
    case .step(let id, _, _):
      guard let position = step ?? state.position(ofStep: id), state.steps[position].phase.isFinal
      else { break }
      stopTimers(of: groupsOfStep[position] ?? []) { state.steps[$0].phase.isFinal }
    case .generationStarted:
      stopTimers(of: Array(groups.keys)) { !state.steps[$0].phase.isActive }
    case .runEnded:
      stopTimers(of: Array(groups.keys)) { _ in true }
    default: break
    }
  }

  private mutating func startTimer(of name: String) {
    guard let group = groups[name], let timeout = group.rule.timeout, group.timer == nil else {
      return
    }
    nextTimer += 1
    groups[name]?.timer = nextTimer
    timerChanges.append(.start(group: name, number: nextTimer, after: timeout))
  }

  /// Stops the timers of groups of which all steps meet a condition.
  private mutating func stopTimers(of names: [String], if isOver: (Int) -> Bool) {
    for name in names {
      guard let group = groups[name], let number = group.timer, group.members.allSatisfy(isOver)
      else { continue }
      groups[name]?.timer = nil
      timerChanges.append(.stop(number: number))
    }
  }

  /// Returns the steps of a group whose time is over, and its limit; nil if its timer was stopped.
  mutating func expire(_ name: String, number: Int) -> (members: [Int], timeout: Duration)? {
    guard let group = groups[name], group.timer == number, let timeout = group.rule.timeout else {
      return nil
    }
    groups[name]?.timer = nil
    return (group.members, timeout)
  }

  // MARK: Retries

  /// Starts the wait of a group for its next attempt.
  ///
  /// - Returns: Its steps, and the number of the retry from 1; nil if there is none left.
  mutating func retry(_ name: String) -> (members: [Int], number: Int)? {
    guard let group = groups[name], let retry = group.rule.retry, group.retryCount < retry.limit,
      retrying.insert(name).inserted
    else { return nil }
    groups[name]?.retryCount += 1
    return (group.members, group.retryCount + 1)
  }

  /// Records that steps run again.
  ///
  /// Of a group that is retried, the groups inside of it have all their retries again; after any
  /// other restart, all groups of these steps have.
  mutating func restart(_ steps: [Int]) {
    guard !groups.isEmpty else { return }
    let steps = Set(steps)
    let retried = retrying.filter { groups[$0]?.members.allSatisfy(steps.contains) ?? true }
    if retrying.isEmpty {
      for name in steps.flatMap({ groupsOfStep[$0] ?? [] }) { groups[name]?.retryCount = 0 }
    }
    for name in retried {
      for inner in groups[name]?.inner ?? [] { groups[inner]?.retryCount = 0 }
    }
    retrying.subtract(retried)
  }

  /// Lets no group run again.
  mutating func giveUp() { retrying = [] }
}
