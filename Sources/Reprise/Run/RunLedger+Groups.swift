// Groups of steps in a run: what happens when their time is over, and when they are retried.

import Synchronization
import WorkflowLanguage

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
  fileprivate func timeOut(_ group: String, number: Int) {
    let futures = decide { $0.timeOut(group, number: number) }
    for future in futures { future.interrupt() }
  }
}

/// A group that is to run again.
struct GroupRetry: Sendable {
  let group: String
  /// The ids of its steps.
  let steps: [String]
  /// The generation in which it failed.
  let generation: Int
  let delay: Duration
  /// Whether the delay is over.
  var isDue = false
}

/// The decision to run a group again.
struct GroupDecision: Sendable {
  let group: String
  let steps: [String]
  let generation: Int
  let rule: Retry
  /// The number of the retry, from 1.
  let number: Int
  /// The futures to interrupt.
  let futures: [StepFuture]
}

extension RunLedger.Page {
  /// Stops the steps of a group whose time is over: those in progress fail.
  ///
  /// If none is in progress, the first that has not ended fails.
  ///
  /// - Returns: The futures to interrupt.
  fileprivate mutating func timeOut(_ group: String, number: Int) -> [StepFuture] {
    guard let (members, timeout) = groups.expire(group, number: number) else { return [] }
    let open = members.filter { controls[$0].isOpen && !state.steps[$0].phase.isFinal }
    guard let first = open.first(where: { state.steps[$0].phase == .running }) ?? open.first else {
      return []
    }
    let id = state.steps[first].id
    return open.compactMap { step in
      step == first || state.steps[step].phase == .running
        ? controls[step].fail(because: .timedOut(after: timeout))
        : controls[step].stop(.failure(ofStep: id))
    }
  }

  /// Lets the innermost group of a failed step run again that has retries left.
  ///
  /// Closes the gates of its steps and of those that depend on them, so that nothing else happens
  /// to them before.
  ///
  /// - Returns: The decision; nil if no group runs again.
  mutating func retryGroup(of step: StepIndex, _ reason: FailureReason) -> GroupDecision? {
    guard let extras = workflow.steps[step.position].extrasIfAny, !extras.rules.isEmpty,
      controls[step.position].isOpen
    else { return nil }
    for rule in extras.rules.reversed() {
      guard let retry = rule.retry, extras.tolerantGroups.count <= rule.tolerantCount,
        retry.covers(reason), let (members, number) = groups.retry(rule.group)
      else { continue }
      slots?.hold(step.position, toRetry: members)
      let id = state.steps[step.position].id
      var futures: [StepFuture] = []
      for other in workflow.graph.withDependents(members.map { StepIndex($0) }) {
        controls[other.position].close()
        guard other != step, state.steps[other.position].phase.isActive,
          let future = controls[other.position].stop(.failure(ofStep: id))
        else { continue }
        futures.append(future)
      }
      return GroupDecision(
        group: rule.group, steps: members.map { state.steps[$0].id },
        generation: state.generation, rule: retry, number: number, futures: futures)
    }
    return nil
  }
}

extension RunDriver {
  /// Returns the restart of a group that runs again; nil while its delay lasts.
  mutating func inputForRetry(_ retry: GroupRetry) -> RunMachine.Input? {
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
    let steps = retry.steps.compactMap(workflow.graph.index(of:))
    guard !steps.isEmpty else { return nil }
    asker = Requester(.retry, name: retry.group)
    return .restart(from: steps, requestedIn: retry.generation)
  }
}

extension Retry {
  /// Returns whether a failure is retried.
  func covers(_ reason: FailureReason) -> Bool {
    guard let statuses else { return true }
    guard case .exited(let status) = reason else { return false }
    return statuses.contains(status)
  }
}
