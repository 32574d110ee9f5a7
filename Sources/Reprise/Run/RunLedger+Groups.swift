// Groups of steps in a run: what happens when their time is over, and when they are retried.

import Synchronization
import Workflows

/// The timers of the groups of a run.
final class GroupTimers: Sendable {
  private let clock: any RunClock
  private let runtime: Runtime
  /// The timers by number; nil for one that was stopped before it was started.
  private let tasks = Mutex<[Int: Task<Void, Never>?]>([:])

  init(clock: any RunClock, runtime: Runtime) {
    self.clock = clock
    self.runtime = runtime
  }

  /// Starts and stops timers.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - ledger: The ledger, in which groups end when their time is over.
  func apply(_ changes: [GroupRuns.TimerChange], _ ledger: RunLedger) {
    for change in changes {
      switch change {
      case .start(let group, let number, let duration):
        tasks.withLock { tasks in
          guard tasks.removeValue(forKey: number) == nil else { return }
          tasks[number] = runtime.startTask { [weak ledger, clock] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            ledger?.timeOut(group, number: number)
          }
        }
      case .stop(let number):
        let task = tasks.withLock { tasks in
          let task = tasks.removeValue(forKey: number)
          // Another thread is about to start it.
          if task == nil { tasks[number] = .some(nil) }
          return task ?? nil
        }
        task?.cancel()
      }
    }
  }
}

extension RunLedger {
  /// Stops the steps of a group whose time is over.
  fileprivate func timeOut(_ group: GroupIndex, number: Int) {
    let futures = decide { $0.timeOut(group, number: number) }
    for future in futures { future.interrupt() }
  }
}

/// A group that is to run again.
struct GroupRetry: Sendable {
  let group: GroupIndex
  let wait: PendingGroupRetry
  let delay: Duration
  /// Whether the delay is over.
  var isDue = false
}

/// The decision to run a group again.
struct GroupDecision: Sendable {
  let group: GroupIndex
  let wait: PendingGroupRetry
  let rule: Retry
  /// The number of the retry, from 1.
  let count: Int
  /// The futures to interrupt.
  let futures: [StepFuture]
}

extension RunLedger.Page {
  /// Stops the steps of a group whose time is over: those in progress fail.
  ///
  /// Services only fail if no other step is in progress: what has used up the time are the steps
  /// that use them. If nothing is in progress, the first step that has not ended fails. The steps under
  /// `finally` of a used file run all the same, unless the time is theirs.
  ///
  /// - Returns: The futures to interrupt.
  fileprivate mutating func timeOut(_ group: GroupIndex, number: Int) -> [StepFuture] {
    guard let (members, timeout) = groups.expire(group, number: number, in: state) else {
      return []
    }
    let isOfFinally = members.allSatisfy { plan[$0].extrasIfAny?.cleanUp != nil }
    // A group inside of it that waits for its retry does not run again: it has failed.
    let culprits = groups.retrying.values.map(\.culprit).filter { plan.contains($0, in: group) }
    giveUpRetries { [plan] in plan.contains($0, in: group) }
    let held = Set(released)
    let open = members.filter {
      (controls[$0].isOpen || held.contains($0)) && !state[$0].phase.isFinal
        && (isOfFinally || plan[$0].extrasIfAny?.cleanUp == nil)
    }
    let running = open.filter { state[$0].phase == .running }
    let others = running.filter { !plan[$0].action.isService }
    var failing = Set(others.isEmpty ? running : others)
    // The group has failed, although a group inside of it tolerates the failures of its own steps.
    let counted = open.filter { !isTolerated($0, inside: group) }
    let failed = culprits.first { !isTolerated($0, inside: group) }
    if failed == nil, let first = counted.first, failing.isDisjoint(with: counted) {
      failing.insert(first)
    }
    guard let cause = open.first(where: failing.contains) ?? failed ?? open.first else { return [] }
    let id = state[cause].id
    return open.compactMap { step in
      step == cause || failing.contains(step)
        ? controls[step].stop(.failed(.timedOut(after: timeout), in: group))
        : controls[step].stop(.cancelled(.failure(ofStep: id)))
    }
  }

  /// Returns whether the failure of a step means nothing outside of it, or of a group around it inside
  /// of another one.
  private func isTolerated(_ step: StepIndex, inside outer: GroupIndex) -> Bool {
    plan[step].extrasIfAny?.continuesOnError == true
      || plan.groups(around: step).prefix { $0 != outer }.contains {
        plan.groups[$0].continuesOnError
      }
  }

  /// Returns whether a group runs again after the failure of a step.
  private func isRetried(
    _ group: GroupIndex, after step: StepIndex, _ reason: FailureReason
  ) -> Bool {
    guard plan.groups[group].isRepeated else {
      return plan.groups[group].retry?.covers(reason) == true
    }
    guard plan.group(of: step) == group, case .unmet = reason else { return false }
    return true
  }

  /// Lets the innermost group of a failed step run again that has retries left.
  ///
  /// Closes the gates of its steps and of those that depend on them, so that nothing else happens
  /// to them before.
  ///
  /// - Returns: The decision; nil if no group runs again.
  mutating func retryGroup(of step: StepIndex, _ reason: FailureReason) -> GroupDecision? {
    guard !groups.isEmpty, controls[step].isOpen else { return nil }
    var around = plan.groups(around: step)[...]
    switch controls[step].stop {
    // It was being cancelled when it failed.
    case .cancelled: return nil
    // The groups inside of the one whose time is over have no time left.
    case .failed(_, let outer): around = around.drop { $0 != outer }
    case .set, .unused, nil: break
    }
    for group in around {
      guard let retry = plan.groups[group].retry, isRetried(group, after: step, reason),
        let (wait, count) = groups.retry(group, becauseOf: step)
      else {
        // Outside of it, this is no failure.
        if plan.groups[group].continuesOnError { return nil }
        continue
      }
      slots?.hold(step.position, toRetry: wait.members.map(\.position))
      let id = state[step].id
      var futures: [StepFuture] = []
      for other in plan.graph.withDependents(wait.members) {
        controls[other].close()
        guard other != step, state[other].phase.isActive,
          let future = controls[other].stop(.cancelled(.failure(ofStep: id)))
        else { continue }
        futures.append(future)
      }
      return GroupDecision(
        group: group, wait: wait, rule: retry, count: count, futures: futures)
    }
    return nil
  }
}

extension RunLedger.Page {
  /// The steps of groups that wait to run again, and those that depend on them.
  ///
  /// Nothing happens to them before the group runs again.
  var stepsHeldForRetry: Set<StepIndex> {
    let members = groups.membersOfRetrying
    return members.isEmpty ? [] : Set(plan.graph.withDependents(members))
  }

  /// Gives up the waits of groups whose failed steps meet a condition: their failures are final.
  ///
  /// The futures of the steps that the waits have held are then connected again.
  mutating func giveUpRetries(where isGivenUp: (StepIndex) -> Bool) {
    let members = groups.withdraw(where: isGivenUp)
    guard !members.isEmpty else { return }
    slots?.endHold(of: members.map(\.position))
    let held = stepsHeldForRetry
    released += plan.graph.withDependents(members).filter { !held.contains($0) }
  }

  /// Takes the steps that were held for groups to run again which now do not.
  mutating func takeReleased() -> [StepIndex] {
    guard !released.isEmpty else { return [] }
    defer { released = [] }
    return released
  }

  /// What a retry of a group leaves as it is: the results that were set by hand, and the steps that
  /// were cancelled alone.
  func decidedByHand(among steps: [StepIndex]) -> [DecidedStep] {
    steps.compactMap { step in
      guard let by = state[step].interventions.last?.by else { return nil }
      return switch state[step].phase {
      case .succeeded(let outputs) where state[step].isSetByHand:
        DecidedStep(step: step, event: .succeeded(outputs), by: by)
      case .skipped(.request, let outputs):
        DecidedStep(step: step, event: .skipped(.request, outputs), by: by)
      case .cancelled(.request): DecidedStep(step: step, event: .cancelled(.request), by: by)
      default: nil
      }
    }
  }
}

/// The end of a step that was decided by hand.
struct DecidedStep: Sendable {
  let step: StepIndex
  let event: Event.StepEvent
  let by: Requester
}

extension RunDriver {
  /// Returns the restart of a group that runs again; nil while its delay lasts, and if it need not
  /// run again any more.
  mutating func inputForRetry(_ retry: GroupRetry) -> RunMachine.Input? {
    guard ledger.decide({ $0.groups.retrying[retry.group] }) == retry.wait else { return nil }
    guard retry.isDue || retry.delay <= .zero else {
      retryDelays.append(
        performer.runtime.startTask { [clock, requester] in
          guard (try? await clock.sleep(for: retry.delay)) != nil else { return }
          var due = retry
          due.isDue = true
          requester.yield(.retry(due))
        })
      return nil
    }
    let steps = retry.wait.members.filter(plan.contains)
    guard !steps.isEmpty else { return nil }
    asker = Requester(.retry, name: plan.groups[retry.group].shownName)
    groupToRetry = retry.group
    return .restart(from: steps, requestedIn: nil)
  }

  /// Connects the steps again that a retry has held which was given up, unless steps are being
  /// stopped.
  ///
  /// - Returns: Whether there were any.
  mutating func releaseHeldSteps() -> Bool {
    guard machine.mayExpand, !released.isEmpty else { return false }
    let held = Set(released)
    released = []
    let plan = plan
    // A restart in the meantime has connected those that it has reset.
    let steps = ledger.decide { page in
      plan.graph.topologicalOrder.filter { step in
        held.contains(step)
          && !(page.state[step].phase == .pending && page.controls[step].isOpen)
      }
    }
    reconnect(steps)
    return true
  }
}

extension Retry {
  /// Returns whether a failure is retried.
  func covers(_ reason: FailureReason) -> Bool {
    guard let failures else { return true }
    if let status = reason.exitStatus, failures.contains(.status(status)) { return true }
    return reason.lossCause.map { failures.contains(.lost($0)) } ?? false
  }
}
