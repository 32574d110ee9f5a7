// An engine as a service that starts and stops with its program. Knows nothing of what it runs; empty unless the
// trait ServiceLifecycle is asked for.

#if ServiceLifecycle
public import Reprise
public import ServiceLifecycle
import Synchronization

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

  private struct State {
    var runs: [RunID: Run] = [:]
    /// How many are being started, and are not among the runs yet.
    var startCount = 0
    var isShuttingDown = false
    /// Whether what is started too late is to be cancelled.
    var cancelsLateRuns = false
    var waiting = Waiters()

    var isIdle: Bool { runs.isEmpty && startCount == 0 }
  }

  private let engine: Engine
  private let ending: Ending
  private let state = Mutex(State())

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
  public var runCount: Int { state.withLock { $0.runs.count } }

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
    let mayStart = state.withLock { state in
      if !state.isShuttingDown { state.startCount += 1 }
      return !state.isShuttingDown
    }
    guard mayStart else { throw ShuttingDown() }
    let run = engine.start(workflow, secrets: secrets)
    let isTooLate = state.withLock { state in
      state.startCount -= 1
      state.runs[run.id] = run
      return state.cancelsLateRuns
    }
    if isTooLate { run.cancel() }
    Task {
      _ = await run.ended()
      remove(run)
    }
    return run
  }

  private func remove(_ run: Run) {
    let waiting = state.withLock { state in
      state.runs[run.id] = nil
      return state.isIdle ? state.waiting.takeAll() : Waiters()
    }
    waiting.wake()
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
    state.withLock { $0.isShuttingDown = true }
    if isCancelled || ending == .cancelling { cancelAll() }
    await withTaskCancellationHandler {
      await state.wait(until: { $0.isIdle }, among: { $0.waiting.add($1) })
    } onCancel: {
      cancelAll()
    }
    if isCancelled { throw CancellationError() }
  }

  private func cancelAll() {
    let runs = state.withLock { state in
      state.cancelsLateRuns = true
      return state.runs.values.map(\.self)
    }
    for run in runs { run.cancel() }
  }
}
#endif
