// `RunMachine`: a pure state machine that decides on restart, cancel, kill and the end of a run.

import Workflows

/// The state machine of a run: turns an input and a summary of the steps into actions.
///
/// The driver executes the actions in order and feeds their results back. The central invariant: a
/// step joins the next generation only when nothing of it is left from the previous one.
struct RunMachine: Sendable {
  /// A request to the run, or a report from its driver.
  enum Input: Sendable, Equatable {
    /// Start the first generation.
    case start
    /// Restart some steps and their dependents; all steps if the list is empty.
    ///
    /// `requestedIn` is the generation in which the restart was requested, so that a restart that
    /// has already happened is not repeated; nil to restart in any case.
    case restart(from: [StepIndex], requestedIn: Int?)
    /// Restart what depends on these steps, whose results were set by hand.
    case restartAfter([StepIndex])
    /// Restart with another version of the workflow.
    case reload(Reload)
    case cancel(CancellationCause)
    /// Cancel without grace.
    case kill
    /// Cancel these steps only; the run continues. Without grace if `now` is true.
    case cancelSteps([StepIndex], now: Bool)
    /// Start these services again, while what uses them goes on.
    case restartServices([StepIndex])
    /// Set the results of these steps by hand.
    case set([StepIndex], HandmadeResult)
    /// Start nothing new from now on, or start steps again.
    case pause(Bool)
    /// The steps of the last `cancelSteps` are being stopped, or have ended without having started.
    case stepsCancelled
    /// The steps of the last `stop` can no longer start; these are still in progress.
    case stopped(outstanding: Set<StepIndex>)
    /// The steps of the last `connect…` or `restart` may start.
    ///
    /// Possibly none will: all of them may have succeeded before the run was resumed.
    case connected
    /// A step has ended and has not been restarted since.
    case stepEnded(StepIndex)
    /// All output and results of a generation's steps are durable.
    case settled(generation: Int)
    /// The time limit of a generation has passed.
    case timedOut(generation: Int)
    /// Recording failed: the events that the last action depends on will never be durable.
    case recordFailed
  }

  /// A restart with another version of the workflow.
  struct Reload: Sendable, Equatable {
    /// The steps of the current plan to stop, in topological order.
    ///
    /// Includes those that are being stopped for an earlier restart.
    var stopped: [StepIndex]
    /// The plan of the next generation.
    var plan: Plan
    /// The steps of the new plan to start, in topological order.
    var started: [StepIndex]
    /// Whether all steps are started.
    var isWhole: Bool
  }

  /// A summary of the steps of the current generation.
  struct Steps: Sendable, Equatable {
    /// Whether all steps except those under `finally` have ended.
    var areMainStepsOver: Bool
    /// Whether all steps have ended.
    var areOver: Bool
  }

  /// An action for the driver to execute.
  enum Action: Sendable, Equatable {
    /// Publish the reason, close the gates of the steps, cancel them, and send the `stopped` input.
    case stop([StepIndex], because: StopReason)
    /// Connect the steps of the first generation.
    case connectFirst([StepIndex])
    /// Start a generation in which these steps and those under `finally` run again.
    case restart([StepIndex], isWhole: Bool)
    /// Connect the steps under `finally`; the cause is set if the run is being cancelled.
    case connectFinally(CancellationCause?)
    /// Kill the remaining processes of all steps.
    case kill
    /// Cancel these steps, of which the pending ones end at once, and send `stepsCancelled`.
    case cancelSteps([StepIndex], now: Bool)
    /// Set the results of these steps. If some have ended, restart from them, else send
    /// Start these services again.
    case restartServices([StepIndex])
    /// `stepsCancelled`.
    case set([StepIndex], HandmadeResult)
    /// Let nothing new start, or let steps start again.
    case pause(Bool)
    /// Wait until all output and results are durable, then send ``Input/settled(generation:)``.
    ///
    /// The driver keeps handling requests in the meantime, so a slow disk or reader does not delay
    /// a restart.
    case settle
    /// End the run with the outcome of its steps, or with that of a cause.
    case end(CancellationCause?)
  }

  /// The reason that steps are stopped.
  enum StopReason: Sendable, Equatable {
    /// A restart of these steps; nil for the whole run.
    case restart([StepIndex]?)
    case cancel(CancellationCause)
    /// A kill; there is nothing to publish because the run is already being cancelled.
    case kill

    /// Whether only some steps are restarted.
    var isPartialRestart: Bool { if case .restart(.some) = self { true } else { false } }
  }

  /// What the run is waiting for.
  enum Waiting: Sendable, Equatable {
    /// The steps.
    case forSteps
    /// The end of the outstanding steps, in order to restart; nil until they are known.
    case toRestart([StepIndex], isWhole: Bool, outstanding: Set<StepIndex>?)
    /// The end of the outstanding steps, in order to run the `finally` steps or end the run.
    case toEnd(CancellationCause, outstanding: Set<StepIndex>?)
    /// The steps under `finally`, in a run that is being cancelled.
    case forFinally(CancellationCause)
  }

  /// The rules for restarts; the driver sets them before each input.
  var restartRules = RestartRules()
  /// The reload for which the run is restarting, if any.
  private var reload: Reload?
  private(set) var waiting = Waiting.forSteps
  private(set) var generation: Int
  /// The steps that the last restart reset; nil for all.
  var lastRestarted: Set<StepIndex>? = []
  private var isFinallyConnected = false
  private var isSettling = false
  private var isKilled = false

  /// Creates the machine of a run that has not started.
  ///
  /// - Parameter generation: The initial generation.
  init(generation: Int) {
    self.generation = generation
  }

  /// The steps that are being stopped for a restart, if the run is restarting.
  var restarting: Set<StepIndex> {
    if case .toRestart(let steps, _, _) = waiting { Set(steps) } else { [] }
  }

  /// Whether the run can be restarted; false while it is being cancelled.
  var mayRestart: Bool {
    switch waiting {
    case .forSteps, .toRestart: true
    case .toEnd, .forFinally: false
    }
  }

  /// Returns the steps that may be cancelled alone: those that are not being stopped anyway.
  func cancellable(_ requested: [StepIndex]) -> [StepIndex] {
    switch waiting {
    case .forSteps:
      return requested
    case .toRestart(let stopped, _, _):
      let stopped = Set(stopped)
      return requested.filter { !stopped.contains($0) }
    case .toEnd, .forFinally:
      return []
    }
  }

  /// Handles an input.
  ///
  /// - Parameters:
  ///   - input: The request or report.
  ///   - steps: A summary of the steps after it.
  ///   - plan: The plan of the run.
  /// - Returns: The actions to execute, in this order.
  mutating func handle(_ input: Input, _ steps: Steps, _ plan: Plan) -> [Action] {
    switch input {
    case .start:
      return [.connectFirst(plan.mainSteps(among: plan.graph.topologicalOrder))]
    case .restart(let requested, let generation):
      guard mayRestart, !isAnswered(requested, requestedIn: generation) else { return [] }
      return restart(from: requested, plan)
    case .restartAfter(let steps):
      return mayRestart ? restart(from: steps, isSet: true, plan) : []
    case .reload(let reload):
      guard mayRestart else { return [] }
      self.reload = reload
      waiting = .toRestart(reload.stopped, isWhole: reload.isWhole, outstanding: nil)
      return [.stop(reload.stopped, because: .restart(reload.isWhole ? nil : reload.stopped))]
    case .cancel(let cause):
      return cancel(cause, plan)
    case .kill:
      return kill(plan)
    case .cancelSteps(let requested, let now):
      let steps = cancellable(requested)
      return steps.isEmpty ? [] : [.cancelSteps(steps, now: now)]
    case .set(let requested, let result):
      let steps = cancellable(requested)
      return steps.isEmpty ? [] : [.set(steps, result)]
    case .restartServices(let requested):
      let steps = cancellable(requested)
      return steps.isEmpty ? [] : [.restartServices(steps)]
    case .pause(let isPaused):
      return mayRestart ? [.pause(isPaused)] : []
    case .connected, .stepsCancelled:
      break
    case .stopped(let outstanding):
      setOutstanding(outstanding)
    case .stepEnded(let step):
      removeOutstanding(step)
    case .settled(let generation):
      guard isSettling, generation == self.generation, waiting == .forSteps else { return [] }
      return [.end(nil)]
    case .timedOut(let generation):
      guard !isFinallyConnected, generation == self.generation else { return [] }
      return cancel(.runTimedOut, plan)
    case .recordFailed:
      // Nothing more may start. A run that is not being cancelled is about to be abandoned.
      isKilled = true
      if case .forFinally(let cause) = waiting { waiting = .toEnd(cause, outstanding: []) }
    }
    return next(steps, plan)
  }

  /// Returns the actions that are possible in the current state, and changes the state accordingly.
  private mutating func next(_ steps: Steps, _ plan: Plan) -> [Action] {
    switch waiting {
    case .forSteps:
      if mayConnectFinally(of: plan), steps.areMainStepsOver {
        isFinallyConnected = true
        return [.connectFinally(nil)]
      }
      guard steps.areOver, !isSettling else { return [] }
      isSettling = true
      return [.settle]
    case .toRestart(let steps, let isWhole, let outstanding):
      guard outstanding?.isEmpty == true else { return [] }
      generation += 1
      let (steps, plan) = reload.map { ($0.started, $0.plan) } ?? (steps, plan)
      reload = nil
      lastRestarted = isWhole ? nil : Set(steps)
      isFinallyConnected = false
      isSettling = false
      waiting = .forSteps
      return [.restart(plan.mainSteps(among: steps), isWhole: isWhole)]
    case .toEnd(let cause, let outstanding):
      guard outstanding?.isEmpty == true else { return [] }
      guard mayConnectFinally(of: plan), cause.runsFinally else { return [.end(cause)] }
      isFinallyConnected = true
      waiting = .forFinally(cause)
      return [.connectFinally(cause)]
    case .forFinally(let cause):
      return steps.areOver ? [.end(cause)] : []
    }
  }

  private func mayConnectFinally(of plan: Plan) -> Bool {
    plan.hasFinally && !isFinallyConnected && !isKilled
  }

  // MARK: Restarting

  /// Returns whether a restart since the request has already reset the requested steps.
  func isAnswered(_ requested: [StepIndex], requestedIn generation: Int?) -> Bool {
    guard let generation, generation < self.generation else { return false }
    guard let lastRestarted else { return true }
    return !requested.isEmpty && requested.allSatisfy(lastRestarted.contains)
  }

  private mutating func restart(
    from requested: [StepIndex], isSet: Bool = false, _ plan: Plan
  ) -> [Action] {
    var steps = restartedSteps(from: requested, isSet: isSet, plan)
    let isWhole = requested.isEmpty || isRestartingWhole
    if var reload {
      reload.start(isWhole ? nil : steps)
      // Steps that depend on them in the new plan only must be stopped as well.
      let stopped = Set(steps + reload.started)
      steps = plan.graph.topologicalOrder.filter(stopped.contains)
      self.reload = reload
    }
    waiting = .toRestart(steps, isWhole: isWhole, outstanding: nil)
    return [.stop(steps, because: .restart(isWhole ? nil : steps))]
  }

  /// Returns the steps that a restart would reset, including those of a restart in progress.
  ///
  /// - Parameters:
  ///   - requested: The steps from which to restart; all if it is empty.
  ///   - isSet: Whether their results were set by hand, so that the other steps of a group that waits
  ///     to run again keep theirs.
  ///   - plan: The plan.
  /// - Returns: The steps, in topological order.
  func restartedSteps(
    from requested: [StepIndex], isSet: Bool = false, _ plan: Plan
  ) -> [StepIndex] {
    let graph = plan.graph
    guard !requested.isEmpty, !isRestartingWhole else { return graph.topologicalOrder }
    var affected = requested + restartRules.undoneSteps
    // Coalesce requests that arrive during a restart.
    if case .toRestart(let steps, _, _) = waiting { affected += steps }
    // The steps under `finally` depend on all others.
    affected += plan.finallySteps
    var steps = graph.withDependents(affected)
    while true {
      let reached = Set(steps)
      let group = restartRules.retrying.first {
        let members = isSet ? $0.filter(restartRules.unended.contains) : $0
        return $0.contains(where: reached.contains) && !members.allSatisfy(reached.contains)
      }
      let members = isSet ? group?.filter(restartRules.unended.contains) : group
      let stopped = restartRules.culprits.filter {
        !reached.contains($0.key) && reached.contains($0.value)
      }
      guard members != nil || !stopped.isEmpty else { break }
      affected += (members ?? []) + stopped.keys
      steps = graph.withDependents(affected)
    }
    return graph.withServices(restartRules.endedServices, of: steps)
  }

  /// Whether the program has interrupted the run.
  private var isInterrupted: Bool {
    if case .toEnd(.interrupted, _) = waiting { true } else { false }
  }

  private var isRestartingWhole: Bool {
    if case .toRestart(_, isWhole: true, _) = waiting { true } else { false }
  }

  // MARK: Cancelling

  /// Stops all steps, and then runs those under `finally` that have not begun.
  ///
  /// Steps under `finally` that are running go on: only a kill stops them. What they would still undo
  /// is not undone. A run that is being interrupted can still be cancelled, but not the reverse: what is
  /// final stays so.
  private mutating func cancel(_ cause: CancellationCause, _ plan: Plan) -> [Action] {
    let isRequested = cause == .request
    guard mayRestart || isInterrupted && isRequested else { return [] }
    reload = nil
    if case .toRestart = waiting {
      // It has stopped those under `finally` that were in progress.
      isFinallyConnected = false
    } else if isFinallyConnected, isRequested, !isKilled {
      waiting = .forFinally(cause)
      let undos = plan.undoingSteps
      return [.stop([], because: .cancel(cause))]
        + (undos.isEmpty ? [] : [.cancelSteps(undos, now: false)])
    }
    waiting = .toEnd(cause, outstanding: nil)
    return [.stop(plan.graph.topologicalOrder, because: .cancel(cause))]
  }

  private mutating func kill(_ plan: Plan) -> [Action] {
    isKilled = true
    // Cancel the tasks before killing: otherwise a killed process would count as failed.
    if case .forFinally(let cause) = waiting {
      waiting = .toEnd(cause, outstanding: nil)
      return [.stop(plan.finallySteps, because: .kill), .kill]
    }
    return cancel(.request, plan) + [.kill]
  }

  // MARK: Outstanding steps

  private mutating func setOutstanding(_ outstanding: Set<StepIndex>) {
    switch waiting {
    case .forSteps, .forFinally:
      break
    case .toRestart(let steps, let isWhole, _):
      waiting = .toRestart(steps, isWhole: isWhole, outstanding: outstanding)
    case .toEnd(let cause, _):
      waiting = .toEnd(cause, outstanding: outstanding)
    }
  }

  private mutating func removeOutstanding(_ step: StepIndex) {
    switch waiting {
    case .forSteps, .forFinally:
      break
    case .toRestart(let steps, let isWhole, var outstanding):
      waiting = .forSteps  // Releases the set, so that it is changed in place.
      outstanding?.remove(step)
      waiting = .toRestart(steps, isWhole: isWhole, outstanding: outstanding)
    case .toEnd(let cause, var outstanding):
      waiting = .forSteps
      outstanding?.remove(step)
      waiting = .toEnd(cause, outstanding: outstanding)
    }
  }
}
