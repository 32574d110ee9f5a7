// An engine as a service that starts and stops with its program. Empty unless the
// trait ServiceLifecycle is asked for.

#if ServiceLifecycle
public import Reprise
public import ServiceLifecycle

/// An engine that is shut down gracefully.
///
///     let workflows = EngineService(Engine())
///     try await ServiceGroup(services: [workflows, server], logger: logger).run()
///
/// Runs that are started through it are ended when the group shuts down, and the group waits until nothing of them
/// is left.
public final class EngineService: Service {
  /// What becomes of runs that are under way when the program is to end.
  public enum Ending: Sendable {
    /// They are cancelled: their steps end within their grace periods.
    case cancelling
    /// They go on to their own end.
    case finishing
  }

  /// The engine is being shut down: nothing starts any more.
  public struct ShuttingDown: Error, CustomStringConvertible {
    /// The reason as a sentence without a full stop.
    public var description: String { "the engine is being shut down" }
  }

  private let engine: Engine
  private let ending: Ending
  private let group = RunGroup<Run>()

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - engine: What runs workflows.
  ///   - ending: What becomes of runs that are under way at the shutdown.
  public init(_ engine: Engine, ending: Ending = .cancelling) {
    self.engine = engine
    self.ending = ending
  }

  /// How many runs are under way.
  public var runCount: Int { group.ids.count }

  /// Starts a run, and keeps it until it is over.
  ///
  /// Returns at once.
  ///
  /// - Parameters:
  ///   - workflow: What to run.
  ///   - secrets: The values of its secrets.
  /// - Returns: The run.
  /// - Throws: ``ShuttingDown`` when nothing starts any more.
  @discardableResult
  public func start(
    _ workflow: Workflow, secrets: Secrets = Secrets()
  ) throws(ShuttingDown) -> Run {
    guard group.begin() else { throw ShuttingDown() }
    defer { group.beginningEnded() }
    let run = engine.start(workflow, secrets: secrets)
    if group.add(run.id, run) { run.cancel() }
    Task { [group] in
      _ = await run.ended()
      group.remove(run.id)
    }
    return run
  }

  /// Waits for the shutdown of its group, and then until nothing is left of its runs.
  ///
  /// When its task is cancelled instead, runs are cancelled whatever the ending says.
  ///
  /// - Throws: `CancellationError` when its task was cancelled.
  public func run() async throws {
    var isCancelled = false
    do {
      try await gracefulShutdown()
    } catch {
      isCancelled = true
    }
    group.close()
    if isCancelled || ending == .cancelling { cancelAll() }
    await withTaskCancellationHandler {
      await group.finish()
    } onCancel: {
      cancelAll()
    }
    if isCancelled { throw CancellationError() }
  }

  private func cancelAll() {
    for run in group.closeToCancel() { run.cancel() }
  }
}
#endif
