// `TestClock`: a clock for engines under test, which advances only when a test advances it.

public import Reprise

/// A clock whose time advances only when a test advances it.
///
/// An engine with this clock runs all of its tasks and queues one at a time, so the clock knows when
/// the engine has nothing to do, and then goes on to the next sleeper. Hours of retries, timeouts
/// and waits take milliseconds:
///
///     let clock = TestClock()
///     let run = Engine(clock: clock).start(workflow)
///     await clock.advance(by: .seconds(3600))
///
/// ``WorkflowTest`` does this for one workflow, with crashes, approvals and recorded events.
///
/// Steps in Swift code that wait should sleep on `StepContext.clock`. While an attempt waits for
/// something else, such as a reply or a process, time does not advance, for at most ``patience`` of
/// real time: after that, it does, so that a timeout of the step is reached.
///
/// All members are thread-safe. One task at a time may advance the clock.
public final class TestClock: RunClock {
  /// The time at the beginning of a test, unless it sets another one: 1 January 2026, 00:00 UTC.
  public static let defaultStart = Timestamp(microseconds: 1_767_225_600_000_000)

  /// The real time for which the clock waits for an attempt that waits for something else than the
  /// clock.
  public let patience: Duration
  let executor: TestExecutor
  private let seed: UInt64

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - start: The time that it shows first.
  ///   - seed: Determines the random numbers of the engine, such as the jitter of retries.
  ///   - patience: The real time for which the clock waits for an attempt that waits for something
  ///     else than the clock.
  public convenience init(
    startingAt start: Timestamp = defaultStart, seed: UInt64 = 0, patience: Duration = .seconds(1)
  ) {
    self.init(
      TestExecutor.Settings(now: start, patience: patience, isFrozen: false), seed: seed)
  }

  init(_ settings: TestExecutor.Settings, seed: UInt64) {
    patience = settings.patience
    executor = TestExecutor(settings)
    self.seed = seed
  }

  /// The current virtual time.
  public var now: Timestamp { executor.now }

  /// Suspends until the clock has advanced by a duration.
  ///
  /// - Parameter duration: The duration; returns immediately if it is not positive.
  /// - Throws: `CancellationError`, immediately when the current task is cancelled.
  public func sleep(for duration: Duration) async throws {
    try await executor.sleep(for: duration)
  }

  /// Waits until the engine has nothing to do at the current time.
  ///
  /// Returns early if the current task is cancelled.
  public func idle() async {
    _ = await executor.drive(TestExecutor.Drive(limit: now))
  }

  /// Advances the time by a duration, and wakes all sleepers on the way at their times.
  ///
  /// Returns when the engine has nothing more to do at the new time, or early if the current task is
  /// cancelled.
  ///
  /// - Parameter duration: The duration; not negative.
  public func advance(by duration: Duration) async {
    _ = await executor.drive(TestExecutor.Drive(limit: now.advanced(by: max(.zero, duration))))
  }

  /// Advances the time, from sleeper to sleeper, until a condition holds.
  ///
  /// - Parameter condition: The condition. It is evaluated often, on the thread of the engine: it
  ///   must be quick and must not block.
  /// - Returns: Whether the condition holds; false if nothing more can happen, or if the current
  ///   task is cancelled.
  @discardableResult
  public func advance(until condition: @escaping @Sendable () -> Bool) async -> Bool {
    await executor.drive(TestExecutor.Drive(isOver: condition)) == .over
  }
}

extension TestClock: RuntimeSource {
  /// The queues, tasks and random numbers of engines with this clock.
  package var runtime: Runtime {
    var runtime = Runtime(
      makeQueue: { [executor] label in TestQueue(executor, label: label) },
      randomSource: SeededSource(seed: seed))
    runtime.taskExecutor = executor
    runtime.attempts = executor
    return runtime
  }
}
