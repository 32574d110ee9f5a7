// Integrates an engine into a `ServiceGroup`. Empty without the trait `ServiceLifecycle`.

#if ServiceLifecycle
public import Reprise
public import ServiceLifecycle

/// A service that shuts an engine down gracefully.
///
///     let workflows = EngineService(Engine())
///     try await ServiceGroup(services: [workflows, server], logger: logger).run()
///
/// When the group shuts down, the service interrupts, cancels or finishes the runs that it started, and waits
/// until all of their processes are gone.
public final class EngineService: Service {
  /// A policy for live runs at shutdown.
  public enum Ending: Sendable {
    /// Runs are interrupted: their steps end within their grace periods, and recorded runs can be
    /// resumed when the program starts again.
    case interrupting
    /// Runs are cancelled, with their steps under `finally`; they are not resumed.
    case cancelling
    /// Runs continue until they end.
    case finishing
  }

  /// The error for a run that cannot start because the engine is shutting down.
  public struct ShuttingDown: Error, CustomStringConvertible {
    /// The reason as a clause without a period.
    public var description: String { "the engine is being shut down" }
  }

  private let engine: Engine
  private let ending: Ending
  private let group = RunGroup<Run>()

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - engine: The engine that runs workflows.
  ///   - ending: The policy for live runs at shutdown.
  public init(_ engine: Engine, ending: Ending = .interrupting) {
    self.engine = engine
    self.ending = ending
  }

  /// The runs in progress, in the order of their starts.
  public var runs: [Run] { group.controls }

  /// The number of runs in progress.
  public var runCount: Int { group.ids.count }

  /// Starts a run and retains it until it ends.
  ///
  /// Returns immediately.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - secrets: The values of its secrets.
  /// - Returns: The run.
  /// - Throws: ``ShuttingDown`` after the shutdown has started.
  @discardableResult
  public func start(
    _ workflow: Workflow, secrets: Secrets = Secrets()
  ) throws(ShuttingDown) -> Run {
    guard group.begin() else { throw ShuttingDown() }
    defer { group.reservationEnded() }
    let run = engine.start(workflow, secrets: secrets)
    track(run)
    return run
  }

  /// Resumes a run and retains it until it ends.
  ///
  /// Returns immediately.
  ///
  /// - Parameters:
  ///   - state: The state of the run, folded from its recorded events.
  ///   - workflow: The workflow to run from now on.
  ///   - secrets: The values of its secrets.
  /// - Returns: The run.
  /// - Throws: ``ShuttingDown`` after the shutdown has started; `ResumeError` if the run cannot be
  ///   resumed.
  @discardableResult
  public func resume(
    _ state: RunState, with workflow: Workflow, secrets: Secrets = Secrets()
  ) throws -> Run {
    guard group.begin() else { throw ShuttingDown() }
    defer { group.reservationEnded() }
    let run = try engine.resume(state, with: workflow, secrets: secrets)
    track(run)
    return run
  }

  /// Runs a workflow for each event of a publisher, until the shutdown starts.
  ///
  /// The contract is that of `Engine.runs(of:on:whenBusy:secrets:onDrop:)`. At shutdown, runs in
  /// progress end like all others of the service, and later events start none.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - events: The publisher whose events start runs.
  ///   - whenBusy: What happens to an event that arrives while a run is in progress.
  ///   - secrets: The values of its secrets.
  ///   - onDrop: Called with each event that is dropped, and so starts no run, in order.
  /// - Returns: The publisher of the runs.
  public func runs<Events: Publisher>(
    of workflow: Workflow, on events: Events, whenBusy: WhenBusy = .queue(),
    secrets: Secrets = Secrets(), onDrop: @escaping @Sendable (Events.Output) -> Void = { _ in }
  ) -> RunsPublisher where Events.Output: Sendable {
    let runs = engine.runs(on: events, whenBusy: whenBusy, secrets: secrets, onDrop: onDrop) {
      [group] _ in group.isClosed ? nil : workflow
    }
    return RunsPublisher(
      base: runs.handleEvents(receiveOutput: { self.track($0) }).eraseToAnyPublisher())
  }

  /// Retains a run that something else has started until it ends, and ends it at shutdown.
  ///
  /// For runs of a `RunHost`, and those of `Engine.watch`.
  ///
  /// - Parameter run: The run.
  public func track(_ run: Run) {
    if group.add(run.id, run) { end(run) }
    Task { [group] in
      _ = await run.ended()
      group.remove(run.id)
    }
  }

  /// Waits for the shutdown of the group, and then until all runs have ended.
  ///
  /// If the task is cancelled instead, the runs end at once: with ``Ending/finishing``, they are
  /// interrupted.
  ///
  /// - Throws: `CancellationError` if the task was cancelled.
  public func run() async throws {
    var isCancelled = false
    do {
      try await gracefulShutdown()
    } catch {
      isCancelled = true
    }
    group.close()
    if isCancelled || ending != .finishing { endAll() }
    await withTaskCancellationHandler {
      await group.finish()
    } onCancel: {
      endAll()
    }
    if isCancelled { throw CancellationError() }
  }

  private func endAll() {
    for run in group.closeToCancel() { end(run) }
  }

  private func end(_ run: Run) {
    if ending == .cancelling { run.cancel() } else { run.interrupt() }
  }
}
#endif
