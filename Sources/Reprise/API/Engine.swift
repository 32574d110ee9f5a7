// The door to the library: starts runs. Keeps nothing of them: a run belongs to whoever holds it.

public import WorkflowLanguage

/// Runs workflows.
///
/// An engine is a value of settings: where steps run and whose time counts. Any number of runs can
/// be under way, in any number of threads.
///
///     let run = Engine().start(try Workflow(contentsOf: "workflows/coordinator.yaml"))
///     let subscription = run.events.sink { print($0) }
///     let outcome = await run.outcome
public struct Engine: Sendable {
  /// How many steps of a run may run at once where the workflow has no `max-parallel`.
  ///
  /// A limit rather than none, because each takes a process and three descriptors.
  public static let defaultMaxParallel = 256

  /// Who is told of every run from its beginning; nobody when nil.
  public var observer: (any EngineObserver)?
  /// The queues and random numbers of its runs.
  package var runtime = Runtime()
  let executor: any Executor
  let cache: StepCache?
  let clock: any RunClock
  let recorder: (any Recorder)?
  var registry = ActionRegistry()
  // Shared by all copies of the engine: that is what they have in common.
  let sharedWork = SharedWork()
  let succession = Succession()

  /// Makes an engine.
  ///
  /// - Parameters:
  ///   - executor: Where steps run: on this machine when left out.
  ///   - clock: Whose time counts: this machine's when left out.
  ///   - recorder: Who makes the runs durable: nobody when left out.
  ///   - memory: Who remembers what steps were, so that those that are up to date are skipped: nobody
  ///     when left out.
  ///   - rerunsUpToDateSteps: Whether steps run even when they are up to date.
  public init(
    executor: any Executor = LocalExecutor(), clock: any RunClock = SystemClock(),
    recorder: (any Recorder)? = nil, memory: (any StepMemory)? = nil,
    rerunsUpToDateSteps: Bool = false
  ) {
    cache = memory.map { StepCache(memory: $0, isForced: rerunsUpToDateSteps) }
    self.executor = executor
    self.clock = clock
    self.recorder = recorder
  }

  /// Starts a run of a workflow.
  ///
  /// Returns at once; the first event has been recorded by then.
  ///
  /// - Parameters:
  ///   - workflow: What to run.
  ///   - id: The id of the run; a new one when left out.
  ///   - secrets: The values of its secrets; see ``Secrets/gather(for:environment:)``. Where one is missing that
  ///     the workflow declares, the run ends as ``RunOutcome/abandoned(_:)`` before its first step.
  ///   - usualDurations: How long steps took in earlier runs, by their ids, for displays.
  /// - Returns: The run. Keep it: when the last reference is gone, the run is cancelled.
  public func start(
    _ workflow: Workflow, id: RunID = RunID(), secrets: Secrets = Secrets(),
    usualDurations: [String: Duration] = [:]
  ) -> Run {
    Run(workflow, .start(id), secrets: secrets, usualDurations: usualDurations, engine: self)
  }

  /// Starts a run to which somebody listens from before its first event.
  func start(
    _ workflow: Workflow, secrets: Secrets, listening: (RunEvents) -> Void
  ) -> Run {
    var generator = runtime.generator
    return Run(
      workflow, .start(RunID(using: &generator)), secrets: secrets, usualDurations: [:],
      engine: self, listening: listening)
  }

  /// Takes up a run that has ended without success, or whose engine has died: what has succeeded is
  /// kept with its outputs, everything else is run in a new generation.
  ///
  /// Returns at once. Nothing of the old engine may be left: the same run must not be driven twice.
  ///
  /// - Parameters:
  ///   - state: The state of the run, folded from its recorded events.
  ///   - workflow: What to run from now on. Steps of the same id as one that has succeeded are not run.
  ///   - secrets: The values of its secrets.
  ///   - usualDurations: How long steps took in earlier runs, by their ids, for displays.
  /// - Returns: The run, under its old id.
  /// - Throws: ``ResumeError`` when no event of the run has been recorded: start it instead.
  public func resume(
    _ state: RunState, with workflow: Workflow, secrets: Secrets = Secrets(),
    usualDurations: [String: Duration] = [:]
  ) throws(ResumeError) -> Run {
    guard let id = state.run else { throw .neverStarted }
    return Run(
      workflow, .resume(id, state), secrets: secrets, usualDurations: usualDurations, engine: self)
  }
}

/// Why a run cannot be resumed.
public enum ResumeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no event of the run, so it has neither an id nor anything to keep.
  case neverStarted

  /// The reason as a clause.
  public var description: String {
    switch self {
    case .neverStarted: "the run cannot be resumed: it has no recorded event; start it instead"
    }
  }
}
