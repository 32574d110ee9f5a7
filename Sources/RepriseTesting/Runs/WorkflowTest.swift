// `WorkflowTest`: a run under test, in virtual time, with crashes.

public import Reprise
import Synchronization

/// A run of a workflow under test.
///
/// The run is frozen, except while a method of the test that advances it is awaited; then its tasks
/// run one at a time, and the clock advances to the next sleeper when nothing else is left to do. So
/// a test sees the same states each time, and hours pass in milliseconds:
///
///     let test = try WorkflowTest(release)
///     try await test.advance(until: .retrying("upload"))
///     test.crash()
///     try test.resume()
///     try await test.approve("publish")
///     #expect(try await test.outcome() == .succeeded)
///     #expect(test.events.starts(of: "build") == 1)
///
/// ``run`` is the run itself. What is requested from it, as with `test.run.cancel()`, happens with the
/// next advance; to await a method of the run, use ``perform(_:)``. Do not await `run.outcome`:
/// ``outcome()`` advances the run as well.
///
/// All members are thread-safe; one task at a time may advance the run.
public final class WorkflowTest: Sendable {
  private struct Life {
    var run: Run
    var clock: TestClock
  }

  private let workflow: Workflow
  private let engine: Engine
  private let secrets: Secrets
  private let settings: Settings
  private let record = TestRecord()
  private let start: Timestamp
  private let life: Mutex<Life>

  private struct Settings: Sendable {
    /// Executes commands; nil to refuse them.
    var executor: (any Executor)?
    var seed: UInt64
    /// Determines the order of ready work.
    var order: UInt64?
    var patience: Duration
    var disturbance: (any Disturbance)?
  }

  /// Starts a run for a test.
  ///
  /// - Parameters:
  ///   - workflow: The workflow. Without an `executor`, none of its steps may run a command: see
  ///     ``Reprise/Workflows/Workflow/replacing(_:with:)``.
  ///   - engine: The engine under test: its actions, runners and observer are used. Its executor,
  ///     clock and recorder are replaced.
  ///   - executor: Executes commands; by default, commands are refused.
  ///   - secrets: The secrets of the run.
  ///   - seed: Determines the random numbers of the engine, such as the jitter of retries.
  ///   - patience: See ``TestClock/patience``.
  /// - Throws: ``ReplacementError`` if the workflow has commands and there is no executor.
  public convenience init(
    _ workflow: Workflow, engine: Engine = Engine(), executor: (any Executor)? = nil,
    secrets: Secrets = Secrets(), seed: UInt64 = 0, patience: Duration = .seconds(1)
  ) throws(ReplacementError) {
    try self.init(
      workflow, engine, secrets,
      Settings(executor: executor, seed: seed, patience: patience))
  }

  /// Starts a run; see the public initializer.
  convenience init(
    _ workflow: Workflow, engine: Engine, secrets: Secrets, seed: UInt64,
    disturbance: any Disturbance
  ) throws(ReplacementError) {
    try self.init(
      workflow, engine, secrets,
      Settings(seed: seed, order: seed, patience: .seconds(1), disturbance: disturbance))
  }

  private init(
    _ workflow: Workflow, _ engine: Engine, _ secrets: Secrets, _ settings: Settings
  ) throws(ReplacementError) {
    let commands = workflow.stepsThatStartPrograms.map { workflow.graph.id(of: $0) }
    if settings.executor == nil, let first = commands.first {
      throw ReplacementError(
        description: "a test starts no programs, and these steps run commands: "
          + commands.joined(separator: ", ")
          + "; use workflow.replacing(\"\(first)\") { context in … }, or pass an executor")
    }
    self.workflow = workflow
    self.engine = engine
    self.secrets = secrets
    self.settings = settings
    start = TestClock.defaultStart
    let clock = Self.clock(at: start, settings, number: 0)
    var generator = SplitMix64(seed: settings.seed, purpose: 2)
    let id = RunID(using: &generator)
    let run = Self.engine(engine, settings, record, clock)
      .start(workflow, id: id, secrets: secrets)
    life = Mutex(Life(run: run, clock: clock))
  }

  private static func clock(at time: Timestamp, _ settings: Settings, number: UInt64) -> TestClock {
    TestClock(
      TestExecutor.Settings(
        now: time, order: settings.order.map { $0 &+ number }, patience: settings.patience,
        isFrozen: true),
      seed: settings.seed &+ number)
  }

  private static func engine(
    _ engine: Engine, _ settings: Settings, _ record: TestRecord, _ clock: TestClock
  ) -> Engine {
    var tested = engine.replacing(
      executor: settings.executor ?? RefusingExecutor(), clock: clock,
      recorder: TestRecorder(record: record))
    tested.observer = TestObserver(
      record: record, disturbance: settings.disturbance, next: engine.observer)
    return tested
  }

  // MARK: Inspecting

  /// The run; another object after ``resume(with:)``.
  public var run: Run { life.withLock { $0.run } }

  /// The clock of the run; another one after ``resume(with:)``, which shows the same time.
  public var clock: TestClock { life.withLock { $0.clock } }

  /// The current state of the run.
  public var state: RunState { run.state }

  /// The virtual time since the start of the test.
  public var elapsed: Duration { clock.now - start }

  /// The events of the run so far, those before a crash included.
  public var events: RecordedEvents { RecordedEvents(record.seen) }

  // MARK: Advancing

  /// Advances the run to a moment, and leaves it there.
  ///
  /// What was requested from the run before is carried out first.
  ///
  /// - Parameter milestone: The moment; returns immediately if it is now: a step that has started and waits
  ///   for its third attempt has started. See ``Milestone/started(_:attempt:)`` and
  ///   ``Milestone/retrying(_:after:)``.
  /// - Throws: ``WorkflowTestError`` if the run ends, crashes, or can do nothing more, before that moment;
  ///   `CancellationError` if the current task is cancelled.
  public func advance(until milestone: Milestone) async throws {
    let run = run
    try await drive(
      to: milestone,
      TestExecutor.Drive(isOver: {
        guard !run.hasOpenRequests else { return false }
        let state = run.state
        return milestone.isReached(state) || Milestone.ended.isReached(state)
      }))
  }

  /// Advances the time of the run by a duration.
  ///
  /// - Parameter duration: The duration; not negative. With zero, the run does what it can do now.
  /// - Throws: `CancellationError` if the current task is cancelled.
  public func advance(by duration: Duration) async throws {
    await clock.advance(by: duration)
    try Task.checkCancellation()
  }

  /// Advances the run to its end.
  ///
  /// - Returns: The outcome of the run.
  /// - Throws: ``WorkflowTestError`` if the run can do nothing more before its end, for example
  ///   because a step waits for approval; `CancellationError` if the current task is cancelled.
  public func outcome() async throws -> RunOutcome {
    try await advance(until: .ended)
    return try await perform { try await $0.outcome }
  }

  /// Advances the run until a step waits for approval, and approves it.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - values: The values that the approval asks for, by name.
  /// - Throws: ``WorkflowTestError`` if the step does not come to wait for approval, or if the values
  ///   are not accepted.
  public func approve(_ step: String, values: [String: String] = [:]) async throws {
    // A restart that was requested before may take the approval away.
    try await advance(by: .zero)
    try await advance(until: .waitingForApproval(step))
    guard try run.approve(step, values: values) else {
      throw WorkflowTestError(
        "the values \(values) are not accepted", before: .succeeded(step), state, events)
    }
  }

  /// Advances the run until a step waits for approval, and refuses it.
  ///
  /// - Parameter step: The id of the step.
  /// - Throws: ``WorkflowTestError`` if the step does not come to wait for approval.
  public func refuse(_ step: String) async throws {
    try await advance(by: .zero)
    try await advance(until: .waitingForApproval(step))
    try run.refuse(step)
  }

  /// Restarts the run, or one step and its dependents, and advances until the restart is complete.
  ///
  /// - Parameter step: The id of the step; nil for the whole run.
  /// - Throws: `SelectionError` if there is no such step; ``WorkflowTestError`` if the run cannot be
  ///   restarted, for example because it has ended.
  public func restart(from step: String? = nil) async throws {
    let run = run
    let generation = run.state.generation
    if let step { try run.restart(from: step) } else { run.restart() }
    try await advance(
      until: .when("the next generation has started") { $0.generation > generation })
    guard run.state.generation > generation else {
      throw WorkflowTestError(
        "the run has ended", before: .when("the next generation has started") { _ in false }, state,
        events)
    }
  }

  /// Performs an action on the run while the run advances, for actions that wait for the run.
  ///
  ///     let isAccepted = try await test.perform { try await $0.restart(with: changed) }
  ///
  /// - Parameter action: The action.
  /// - Returns: The result of the action.
  /// - Throws: The error of the action; ``WorkflowTestError`` if the run can do nothing more before
  ///   the action returns.
  public func perform<Result: Sendable>(
    _ action: @escaping @Sendable (Run) async throws -> Result
  ) async throws -> Result {
    let (run, executor) = (run, clock.executor)
    let answer = Answer<Result>()
    Task(executorPreference: executor) {
      do {
        answer.set(.success(try await action(run)))
      } catch {
        answer.set(.failure(error))
      }
    }
    try await drive(
      to: .when("the action returns") { _ in false },
      TestExecutor.Drive(isOver: { answer.value != nil }))
    guard let result = answer.value else { throw CancellationError() }
    return try result.get()
  }

  private func drive(to milestone: Milestone, _ drive: TestExecutor.Drive) async throws {
    let problem: String
    switch await clock.executor.drive(drive) {
    case .over:
      let state = state
      guard Milestone.ended.isReached(state), !milestone.isReached(state), milestone.step != nil
      else { return }
      problem = "the run has ended"
    case .limit: return
    case .cancelled:
      guard clock.executor.isStopped else { throw CancellationError() }
      problem = "the engine has crashed, and nothing goes on before resume()"
    case .stuck: problem = "nothing more can happen"
    case .busy: problem = "the run does not come to rest"
    }
    throw WorkflowTestError(problem, before: milestone, state, events)
  }

  // MARK: Crashing

  /// Returns the state of the run by its record.
  ///
  /// - Throws: `InvalidTransition` if the recorded events do not form a run.
  func recordedState() throws -> RunState { try record.state() }

  /// Ends the engine as the death of its process does.
  ///
  /// Nothing of it runs any more, not even code that reacts to a cancellation. What has happened
  /// until now is recorded.
  ///
  /// The memory of the engine is not released. Call ``resume(with:)`` to go on.
  public func crash() {
    clock.executor.stop()
    record.crash()
  }

  /// Resumes the run after a crash, or after its end without success, with a new engine.
  ///
  /// Also one that was cancelled, like the command `reprise resume`, but unlike a `RunHost`.
  ///
  /// - Parameter workflow: The workflow from now on; by default the same.
  /// - Throws: ``WorkflowTestError`` if the run goes on, or has succeeded, so that there is nothing to
  ///   resume; `ResumeError` if nothing of it was recorded before the crash.
  public func resume(with workflow: Workflow? = nil) throws {
    switch try record.state().phase {
    case .ended(.succeeded):
      throw WorkflowTestError("the run has succeeded, and there is nothing to resume")
    case .ended: break
    case .notStarted, .running, .restarting, .cancelling:
      guard clock.executor.isStopped else {
        throw WorkflowTestError("the run goes on: end its engine with crash() before resume()")
      }
    }
    let clock = life.withLock { life in
      life.clock.executor.stop()
      return Self.clock(at: life.clock.now, settings, number: UInt64(record.seen.count))
    }
    let run = try Self.engine(engine, settings, record, clock)
      .resume(try record.state(), with: workflow ?? self.workflow, secrets: secrets)
    life.withLock { life in
      // Releasing a run cancels it, which must not happen to one that has crashed.
      _ = Unmanaged.passRetained(life.run)
      life = Life(run: run, clock: clock)
    }
  }
}

/// The result of an action.
private final class Answer<Success: Sendable>: Sendable {
  private let result = Mutex<Result<Success, any Error>?>(nil)

  var value: Result<Success, any Error>? { result.withLock { $0 } }

  func set(_ value: Result<Success, any Error>) { result.withLock { $0 = value } }
}

/// The reason why a run under test cannot advance, or be resumed, as a test asks.
public struct WorkflowTestError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, the steps that are not over, and the events of the run.
  public let description: String

  init(_ description: String) { self.description = description }

  init(_ problem: String, before milestone: Milestone, _ state: RunState, _ events: RecordedEvents)
  {
    var text = "\(problem) before \(milestone)"
    if let step = milestone.step, state[step] == nil {
      text += "; the run has no step \"\(step)\""
    }
    let waiting = state.steps.filter { !$0.phase.isFinal }.map { step in
      if step.approval != nil { return "step \"\(step.id)\" waits for approval" }
      return "step \"\(step.id)\" is \(step.phase)"
    }
    if !waiting.isEmpty { text += "; " + waiting.prefix(10).joined(separator: ", ") }
    let lines = events.description.split(separator: "\n")
    text += "\nits last events:\n" + lines.suffix(20).joined(separator: "\n")
    description = text
  }
}
