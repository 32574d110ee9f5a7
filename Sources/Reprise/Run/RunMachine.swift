// `RunMachine`: a pure state machine that decides on restart, cancel, kill and the end of a run.

import WorkflowLanguage

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
    /// Restart with another graph.
    case reload(Reload)
    case cancel(CancellationCause)
    /// Cancel without grace.
    case kill
    /// Cancel these steps only; the run continues. Without grace if `now` is true.
    case cancelSteps([StepIndex], now: Bool)
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

  /// A restart with another graph.
  struct Reload: Sendable, Equatable {
    /// The steps of the current graph to stop, in topological order.
    ///
    /// Includes those that are being stopped for an earlier restart.
    var stopped: [StepIndex]
    /// The new graph.
    var graph: Graph
    /// The number of steps under `finally` of the new graph; they come last.
    var finallyCount: Int
    /// The steps of the new graph to start, in topological order.
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

  var graph: Graph
  /// The services that have ended or are being stopped; the driver sets it before each input.
  var endedServices: Set<StepIndex> = []
  /// The steps that must run again with any restart, because their work was undone.
  var undoneSteps: [StepIndex] = []
  /// The steps under `finally`, in topological order.
  var finallySteps: [StepIndex]
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
  /// - Parameters:
  ///   - graph: The steps; only a reload replaces them.
  ///   - finallyCount: The number of steps under `finally`; they come last.
  ///   - generation: The initial generation.
  init(graph: Graph, finallyCount: Int, generation: Int) {
    self.graph = graph
    finallySteps = graph.lastSteps(finallyCount)
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
  /// - Returns: The actions to execute, in this order.
  mutating func handle(_ input: Input, _ steps: Steps) -> [Action] {
    switch input {
    case .start:
      return [.connectFirst(mainSteps(of: graph.topologicalOrder))]
    case .restart(let requested, let generation):
      guard mayRestart, !isAnswered(requested, requestedIn: generation) else { return [] }
      return restart(from: requested)
    case .reload(let reload):
      guard mayRestart else { return [] }
      self.reload = reload
      waiting = .toRestart(reload.stopped, isWhole: reload.isWhole, outstanding: nil)
      return [.stop(reload.stopped, because: .restart(reload.isWhole ? nil : reload.stopped))]
    case .cancel(let cause):
      return cancel(cause)
    case .kill:
      return kill()
    case .cancelSteps(let requested, let now):
      let steps = cancellable(requested)
      return steps.isEmpty ? [] : [.cancelSteps(steps, now: now)]
    case .set(let requested, let result):
      let steps = cancellable(requested)
      return steps.isEmpty ? [] : [.set(steps, result)]
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
      return cancel(.runTimedOut)
    case .recordFailed:
      // Nothing more may start. A run that is not being cancelled is about to be abandoned.
      isKilled = true
      if case .forFinally(let cause) = waiting { waiting = .toEnd(cause, outstanding: []) }
    }
    return next(steps)
  }

  /// Returns the actions that are possible in the current state, and changes the state accordingly.
  private mutating func next(_ steps: Steps) -> [Action] {
    switch waiting {
    case .forSteps:
      if mayConnectFinally, steps.areMainStepsOver {
        isFinallyConnected = true
        return [.connectFinally(nil)]
      }
      guard steps.areOver, !isSettling else { return [] }
      isSettling = true
      return [.settle]
    case .toRestart(let steps, let isWhole, let outstanding):
      guard outstanding?.isEmpty == true else { return [] }
      generation += 1
      var steps = steps
      if let reload {
        graph = reload.graph
        finallySteps = graph.lastSteps(reload.finallyCount)
        steps = reload.started
        self.reload = nil
      }
      lastRestarted = isWhole ? nil : Set(steps)
      isFinallyConnected = false
      isSettling = false
      waiting = .forSteps
      return [.restart(mainSteps(of: steps), isWhole: isWhole)]
    case .toEnd(let cause, let outstanding):
      guard outstanding?.isEmpty == true else { return [] }
      guard mayConnectFinally, !cause.isAbandonment else { return [.end(cause)] }
      isFinallyConnected = true
      waiting = .forFinally(cause)
      return [.connectFinally(cause)]
    case .forFinally(let cause):
      return steps.areOver ? [.end(cause)] : []
    }
  }

  private var mayConnectFinally: Bool {
    !finallySteps.isEmpty && !isFinallyConnected && !isKilled
  }

  // MARK: Restarting

  /// Returns whether a restart since the request has already reset the requested steps.
  func isAnswered(_ requested: [StepIndex], requestedIn generation: Int?) -> Bool {
    guard let generation, generation < self.generation else { return false }
    guard let lastRestarted else { return true }
    return !requested.isEmpty && requested.allSatisfy(lastRestarted.contains)
  }

  private mutating func restart(from requested: [StepIndex]) -> [Action] {
    var steps = restartedSteps(from: requested)
    let isWhole = requested.isEmpty || isRestartingWhole
    if var reload {
      reload.start(isWhole ? nil : steps.map { graph.id(of: $0) })
      // Steps that depend on them in the new graph only must be stopped as well.
      let (stopped, started) = (Set(steps), Set(reload.started.map { reload.graph.id(of: $0) }))
      steps = graph.topologicalOrder.filter {
        stopped.contains($0) || started.contains(graph.id(of: $0))
      }
      self.reload = reload
    }
    waiting = .toRestart(steps, isWhole: isWhole, outstanding: nil)
    return [.stop(steps, because: .restart(isWhole ? nil : steps))]
  }

  /// Returns the steps that a restart would reset, including those of a restart in progress.
  func restartedSteps(from requested: [StepIndex]) -> [StepIndex] {
    guard !requested.isEmpty, !isRestartingWhole else { return graph.topologicalOrder }
    var affected = requested + undoneSteps
    // Coalesce requests that arrive during a restart.
    if case .toRestart(let steps, _, _) = waiting { affected += steps }
    // The steps under `finally` depend on all others.
    return graph.withServices(endedServices, of: graph.withDependents(affected + finallySteps))
  }

  private var isRestartingWhole: Bool {
    if case .toRestart(_, isWhole: true, _) = waiting { true } else { false }
  }

  private func mainSteps(of steps: [StepIndex]) -> [StepIndex] {
    let count = graph.count - finallySteps.count
    return finallySteps.isEmpty ? steps : steps.filter { $0.position < count }
  }

  // MARK: Cancelling

  private mutating func cancel(_ cause: CancellationCause) -> [Action] {
    guard mayRestart else { return [] }
    reload = nil
    waiting = .toEnd(cause, outstanding: nil)
    return [.stop(graph.topologicalOrder, because: .cancel(cause))]
  }

  private mutating func kill() -> [Action] {
    isKilled = true
    // Cancel the tasks before killing: otherwise a killed process would count as failed.
    if case .forFinally(let cause) = waiting {
      waiting = .toEnd(cause, outstanding: nil)
      return [.stop(finallySteps, because: .kill), .kill]
    }
    return cancel(.request) + [.kill]
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

extension RunMachine.Input {
  /// Returns the input for a graph that has replaced another one; nil if none of its steps is left.
  func moved(from old: Graph, to new: Graph) -> Self? {
    guard old != new else { return self }
    func moved(_ steps: [StepIndex]) -> [StepIndex]? {
      let moved = steps.compactMap { new.index(of: old.id(of: $0)) }
      return moved.isEmpty && !steps.isEmpty ? nil : moved
    }
    switch self {
    case .restart(let steps, let generation):
      return moved(steps).map { .restart(from: $0, requestedIn: generation) }
    case .cancelSteps(let steps, let now):
      return moved(steps).map { .cancelSteps($0, now: now) }
    case .set(let steps, let result):
      return moved(steps).map { .set($0, result) }
    default:
      return self
    }
  }
}

extension RunMachine.Reload {
  /// Starts further steps, by id, and their dependents; all steps if nil.
  fileprivate mutating func start(_ ids: [String]?) {
    guard let ids else {
      started = graph.topologicalOrder
      isWhole = true
      return
    }
    started = graph.withDependents(started + ids.compactMap(graph.index(of:)))
  }
}

extension CancellationCause {
  fileprivate var isAbandonment: Bool {
    if case .abandoned = self { true } else { false }
  }
}
