// Decides what happens to a run as a whole: restart, cancel, kill, the end. Pure.

import WorkflowLanguage

/// The state machine of a run: an input, what is known of the steps, and out come actions.
///
/// Its driver carries the actions out in their order and feeds back what they result in. The
/// invariant that all of it serves: a step belongs to the next generation only when nothing of it is
/// left from the one before.
struct RunMachine: Sendable {
  /// What reaches a run.
  enum Input: Sendable, Equatable {
    /// Begin the first generation.
    case start
    /// Restart from some steps, or from the top when there are none; with the generation in which
    /// that was requested, nil to restart in any case.
    case restart(from: [StepIndex], requestedIn: Int?)
    case cancel(CancellationCause)
    /// Cancel without grace.
    case kill
    /// The steps of the last `stop` can begin nothing any more; these are still in progress.
    case stopped(outstanding: Set<StepIndex>)
    /// The steps of the last `connect…` or `restart` may begin. There may be nothing to wait for: all
    /// may have succeeded before the run was resumed.
    case connected
    /// A step has ended; it is not in progress again.
    case stepEnded(StepIndex)
    /// All that the steps of a generation wrote and left is durable.
    case settled(generation: Int)
    /// The time limit of a generation is over.
    case timedOut(generation: Int)
    /// What the last action needed to be durable is not and never will be.
    case recordFailed
  }

  /// What is known of the steps of the present generation.
  struct Steps: Sendable, Equatable {
    /// Whether all steps but those under `finally` are over.
    var areMainStepsOver: Bool
    /// Whether all steps are over.
    var areOver: Bool
  }

  /// What the driver does.
  enum Action: Sendable, Equatable {
    /// Publish the reason, close the gates of the steps, cancel them, and feed back
    /// ``Input/stopped(outstanding:)``.
    case stop([StepIndex], because: StopReason)
    /// Connect the steps of the first generation.
    case connectFirst([StepIndex])
    /// Begin a generation in which these steps run again, and with them those under `finally`.
    case restart([StepIndex], isWhole: Bool)
    /// Connect the steps under `finally`; a run that is being cancelled ends because of the cause.
    case connectFinally(CancellationCause?)
    /// Kill what is left of all steps.
    case kill
    /// Wait until what the steps wrote and left is durable, and feed back ``Input/settled(generation:)``.
    ///
    /// Requests are taken in the meantime: a slow disk or a slow reader must not make a restart go
    /// unheard.
    case settle
    /// End the run: with what became of its steps, or because of a cause.
    case end(CancellationCause?)
  }

  /// Why steps are stopped.
  enum StopReason: Sendable, Equatable {
    /// A restart of these steps; of the whole run when nil.
    case restart([StepIndex]?)
    case cancel(CancellationCause)
    /// Nothing to publish: the run is being cancelled already.
    case kill
  }

  /// What the run waits for.
  private enum Waiting: Sendable, Equatable {
    /// Its steps.
    case forSteps
    /// The end of the outstanding steps, to restart; nil until it is known which they are.
    case toRestart([StepIndex], isWhole: Bool, outstanding: Set<StepIndex>?)
    /// The end of the outstanding steps, to run the steps under `finally` or end.
    case toEnd(CancellationCause, outstanding: Set<StepIndex>?)
    /// The steps under `finally` of a run that is being cancelled.
    case forFinally(CancellationCause)
  }

  private let graph: Graph
  /// The steps under `finally`, in topological order.
  let finallySteps: [StepIndex]
  private var waiting = Waiting.forSteps
  private(set) var generation: Int
  /// The steps that the last restart has run again; nil for all.
  private var lastRestarted: Set<StepIndex>? = []
  private var isFinallyConnected = false
  private var isSettling = false
  private var isKilled = false

  /// Makes the machine of a run that has not begun.
  ///
  /// - Parameters:
  ///   - graph: The steps; they stay the same through all restarts.
  ///   - finallyCount: How many of the last ones are under `finally`.
  ///   - generation: The generation with which the run begins.
  init(graph: Graph, finallyCount: Int, generation: Int) {
    self.graph = graph
    let mainCount = graph.count - finallyCount
    finallySteps = graph.topologicalOrder.filter { $0.position >= mainCount }
    self.generation = generation
  }

  /// Whether the run can be restarted: not while it is being cancelled.
  var mayRestart: Bool {
    switch waiting {
    case .forSteps, .toRestart: true
    case .toEnd, .forFinally: false
    }
  }

  /// Takes an input in.
  ///
  /// - Parameters:
  ///   - input: What has happened.
  ///   - steps: What is known of the steps after that.
  /// - Returns: What to do, in this order.
  mutating func handle(_ input: Input, _ steps: Steps) -> [Action] {
    switch input {
    case .start:
      return [.connectFirst(mainSteps(of: graph.topologicalOrder))]
    case .restart(let requested, let generation):
      guard mayRestart, !isAnswered(requested, requestedIn: generation) else { return [] }
      return restart(from: requested)
    case .cancel(let cause):
      return cancel(cause)
    case .kill:
      return kill()
    case .connected:
      break
    case .stopped(let outstanding):
      noteOutstanding(outstanding)
    case .stepEnded(let step):
      noteEnd(of: step)
    case .settled(let generation):
      guard isSettling, generation == self.generation, waiting == .forSteps else { return [] }
      return [.end(nil)]
    case .timedOut(let generation):
      guard !isFinallyConnected, generation == self.generation else { return [] }
      return cancel(.runTimedOut)
    case .recordFailed:
      // Nothing more may begin. A run that is not being cancelled is about to be abandoned.
      isKilled = true
      if case .forFinally(let cause) = waiting { waiting = .toEnd(cause, outstanding: []) }
    }
    return next(steps)
  }

  /// What can be done now that could not be done before.
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

  /// Whether a restart that came after the request was made has done what it asks for.
  private func isAnswered(_ requested: [StepIndex], requestedIn generation: Int?) -> Bool {
    guard let generation, generation < self.generation else { return false }
    guard let lastRestarted else { return true }
    return !requested.isEmpty && requested.allSatisfy(lastRestarted.contains)
  }

  private mutating func restart(from requested: [StepIndex]) -> [Action] {
    var isWhole = requested.isEmpty
    var affected = requested
    // Requests that come during a restart are merged into it.
    if case .toRestart(let steps, let wasWhole, _) = waiting {
      isWhole = isWhole || wasWhole
      affected += steps
    }
    // The steps under `finally` depend on all others.
    let steps = isWhole ? graph.topologicalOrder : graph.withDependents(affected + finallySteps)
    waiting = .toRestart(steps, isWhole: isWhole, outstanding: nil)
    return [.stop(steps, because: .restart(isWhole ? nil : steps))]
  }

  private func mainSteps(of steps: [StepIndex]) -> [StepIndex] {
    let count = graph.count - finallySteps.count
    return finallySteps.isEmpty ? steps : steps.filter { $0.position < count }
  }

  // MARK: Cancelling

  private mutating func cancel(_ cause: CancellationCause) -> [Action] {
    guard mayRestart else { return [] }
    waiting = .toEnd(cause, outstanding: nil)
    return [.stop(graph.topologicalOrder, because: .cancel(cause))]
  }

  private mutating func kill() -> [Action] {
    isKilled = true
    // Killed only after its task was cancelled, or else a process would count as failed.
    if case .forFinally(let cause) = waiting {
      waiting = .toEnd(cause, outstanding: nil)
      return [.stop(finallySteps, because: .kill), .kill]
    }
    return cancel(.request) + [.kill]
  }

  // MARK: What is outstanding

  private mutating func noteOutstanding(_ outstanding: Set<StepIndex>) {
    switch waiting {
    case .forSteps, .forFinally:
      break
    case .toRestart(let steps, let isWhole, _):
      waiting = .toRestart(steps, isWhole: isWhole, outstanding: outstanding)
    case .toEnd(let cause, _):
      waiting = .toEnd(cause, outstanding: outstanding)
    }
  }

  private mutating func noteEnd(of step: StepIndex) {
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

extension CancellationCause {
  fileprivate var isAbandonment: Bool {
    if case .abandoned = self { true } else { false }
  }
}
