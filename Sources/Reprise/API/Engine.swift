// `Engine`: the entry point of the library, which starts and resumes runs.

public import Workflows

/// Starts and resumes runs of workflows.
///
/// An engine is a value that holds settings: the executor, the clock, the recorder. Any number of
/// runs can be in progress at the same time, on any thread. The engine does not retain its runs.
///
///     let run = Engine().start(try Workflow(contentsOf: "workflows/coordinator.yaml"))
///     let subscription = run.events.sink { print($0) }
///     let outcome = try await run.outcome
public struct Engine: Sendable {
  /// The maximum number of concurrent steps of a run whose workflow sets no `max-parallel`.
  ///
  /// There is a limit because each running step uses a process and three file descriptors.
  public static let defaultMaxParallel = 256

  /// Observes every run, if set.
  public var observer: (any EngineObserver)?
  /// The absolute path of the folder in which each run gets a folder of its own, named by its id.
  ///
  /// It is `run.dir` in expressions and `REPRISE_RUN_DIR` in the environment of steps. It is created
  /// at the start of a run, kept when the run is resumed, and never removed by the engine. Without it, it is
  /// in the folder of the journal in which a run is recorded, with whose record it is removed; without a
  /// journal, steps whose expressions use `run.dir` fail.
  public var runFolders: String?
  /// The absolute path of the folder in which pools are shared with other processes.
  ///
  /// Without it, it is in the folder of the journal in which a run is recorded; runs without a journal share
  /// pools with the other runs of this engine only.
  public var poolFolder: String?
  /// The queues and the random source that its runs use.
  package var runtime = Runtime()
  /// The seed of a random order in which waiting steps begin; nil for the order of the file.
  package var orderSeed: UInt64?
  /// What watches the files that steps use; nil for nothing.
  package var watch: FileWatch?
  /// The terminal for steps that own one; without it, they run like other steps.
  package var terminal: (any StepTerminal)?
  var executor: any Executor
  var cache: StepCache?
  var clock: any RunClock
  var recorder: (any Recorder)?
  var registry = ActionRegistry()
  var runners = RunnerRegistry()
  // References, so that all copies of the engine share them.
  let sharedWork = SharedWork()
  let pools = PoolPlaces()
  let cancelledRuns = CancelledRuns()
  var liveRuns = LiveRuns()

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - executor: Executes the steps; by default on this machine.
  ///   - clock: The source of time; by default the clock of this machine.
  ///   - recorder: Makes the events of runs durable; without one, nothing is recorded.
  ///   - memory: Remembers the results of steps, so that up-to-date steps are skipped; without one,
  ///     no step is skipped as up to date.
  ///   - rerunsUpToDateSteps: Whether steps run even if they are up to date.
  public init(
    executor: any Executor = LocalExecutor(), clock: any RunClock = SystemClock(),
    recorder: (any Recorder)? = nil, memory: (any StepMemory)? = nil,
    rerunsUpToDateSteps: Bool = false
  ) {
    cache = memory.map { StepCache(memory: $0, isForced: rerunsUpToDateSteps) }
    self.executor = executor
    self.clock = clock
    self.recorder = recorder
    if let replaced = Runtime(of: clock) { runtime = replaced }
  }

  /// Keeps the files that cached steps make, to restore them; nil for none.
  ///
  /// Has no effect without a memory of steps.
  package var store: (any ResultStore)? {
    get { cache?.store }
    set { cache?.store = newValue }
  }

  /// Returns an engine with the actions, runners and observer of this one.
  ///
  /// - Parameters:
  ///   - executor: Executes its steps.
  ///   - clock: Its source of time.
  ///   - recorder: Makes the events of its runs durable.
  /// - Returns: The engine.
  package func replacing(
    executor: any Executor, clock: any RunClock, recorder: (any Recorder)?
  ) -> Engine {
    var engine = self
    engine.executor = executor
    engine.clock = clock
    engine.recorder = recorder
    // The runs of an engine that has crashed do not end.
    engine.liveRuns = LiveRuns()
    if let runtime = Runtime(of: clock) { engine.runtime = runtime }
    return engine
  }

  /// Starts a run of a workflow.
  ///
  /// Returns immediately; the first event is in ``Run/state`` by then.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - id: The id of the run; by default a new one. If it is that of a run of this engine that is
  ///     in progress, the new run does nothing, is not recorded or observed, and ends as
  ///     ``RunOutcome/abandoned(_:)``.
  ///   - secrets: The values of its secrets; see ``Secrets/gather(for:environment:)``. If a secret
  ///     that the workflow declares is missing, the run ends as ``RunOutcome/abandoned(_:)`` before
  ///     its first step.
  ///   - usualDurations: The durations of steps in earlier runs, by step id, for displays.
  /// - Returns: The run. Retain it: releasing the last reference cancels the run.
  public func start(
    _ workflow: Workflow, id: RunID = RunID(), secrets: Secrets = Secrets(),
    usualDurations: [String: Duration] = [:]
  ) -> Run {
    Run(workflow, .start(id), secrets: secrets, usualDurations: usualDurations, engine: self)
  }

  /// Starts a run and calls `listening` with its events before the first one is published.
  func start(
    _ workflow: Workflow, secrets: Secrets, listening: (RunEvents) -> Void
  ) -> Run {
    var generator = runtime.generator
    return Run(
      workflow, .start(RunID(using: &generator)), secrets: secrets, usualDurations: [:],
      engine: self, listening: listening)
  }

  /// Resumes a run that ended without success or whose engine died.
  ///
  /// Steps that have succeeded keep their outputs; all others run in a new generation. In a run that was
  /// interrupted, a step that was refused or cancelled alone stays so.
  ///
  /// Returns immediately. The previous engine must be gone: at most one engine may drive a run at
  /// any time.
  ///
  /// - Parameters:
  ///   - state: The state of the run, folded from its recorded events.
  ///   - workflow: The workflow to run from now on. Steps whose id matches a step that has
  ///     succeeded do not run.
  ///   - secrets: The values of its secrets.
  ///   - usualDurations: The durations of steps in earlier runs, by step id, for displays.
  ///   - results: Results of unfinished steps that are set by hand, by step id; they do not run.
  ///   - requester: Who sets these results.
  /// - Returns: The run, under its existing id.
  /// - Throws: ``ResumeError`` if no event of the run was recorded (start the run instead), or if it
  ///   is in progress on this engine.
  public func resume(
    _ state: RunState, with workflow: Workflow, secrets: Secrets = Secrets(),
    usualDurations: [String: Duration] = [:], setting results: [String: HandmadeResult] = [:],
    by requester: Requester = .api
  ) throws(ResumeError) -> Run {
    guard let id = state.run else { throw .neverStarted }
    guard !liveRuns.has(id) else { throw .inProgress }
    let results = results.mapValues { SetResult(result: $0, by: requester) }
    return Run(
      workflow, .resume(id, state, results), secrets: secrets, usualDurations: usualDurations,
      engine: self)
  }
}

/// The reason that a run cannot be resumed.
public enum ResumeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The run has no recorded event, so it has no id and no results to keep.
  case neverStarted
  /// The run is in progress on the same engine.
  case inProgress

  /// The reason as a clause for error messages.
  public var description: String {
    switch self {
    case .neverStarted: "the run cannot be resumed: it has no recorded event; start it instead"
    case .inProgress: "the run cannot be resumed: it is in progress"
    }
  }
}
