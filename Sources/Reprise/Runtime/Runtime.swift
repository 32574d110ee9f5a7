// `Runtime`: the queues and random numbers of an engine, which a simulator can replace.

package import Dispatch

/// A serial queue: runs closures one at a time, in the order in which they became due.
package protocol WorkQueue: Sendable {
  /// Runs a closure after everything enqueued before it. Returns immediately.
  func enqueue(_ work: @escaping @Sendable () -> Void)

  /// Runs a closure after a delay. Returns immediately.
  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void)
}

extension WorkQueue {
  /// Runs a closure that may block, such as for disk access, and suspends until it has returned.
  ///
  /// No thread of the concurrency pool is blocked.
  package func result<Result: Sendable>(
    of work: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      enqueue { continuation.resume(returning: work()) }
    }
  }
}

extension DispatchQueue: WorkQueue {
  package func enqueue(_ work: @escaping @Sendable () -> Void) {
    async(execute: work)
  }

  package func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let nanoseconds = Int(clamping: Int64(delay / .nanoseconds(1)))
    asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: work)
  }
}

/// A thread-safe source of random bits.
package protocol RandomSource: Sendable {
  /// Returns the next 64 random bits.
  func next() -> UInt64
}

/// The random bits of the operating system.
package struct SystemRandomSource: RandomSource {
  package init() {}

  package func next() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}

/// Knows which attempts of steps are in progress.
package protocol AttemptEnclosure: Sendable {
  /// Carries out an attempt.
  ///
  /// - Parameter attempt: The attempt; called once, in the calling task.
  /// - Returns: Its result.
  /// - Throws: Its error.
  func enclose<Result: Sendable>(
    _ attempt: () async throws -> Result
  ) async throws -> Result

  /// Notes that the attempt of the current task waits for other steps of the engine from now on.
  ///
  /// - Returns: What notes that it does not any more; may be called again.
  func waitForSteps() -> @Sendable () -> Void
}

/// A clock with a runtime of its own, which an engine with this clock uses.
package protocol RuntimeSource {
  /// The runtime.
  var runtime: Runtime { get }
}

/// The queues, tasks and random numbers of an engine.
///
/// A simulator replaces them, so that one seed determines the order of all work.
package struct Runtime: Sendable {
  /// Creates a serial queue; debuggers show the label.
  package var makeQueue: @Sendable (_ label: String) -> any WorkQueue
  /// The randomness for retry delays and for the ids of runs that the engine starts internally.
  package var randomSource: any RandomSource
  /// Runs all tasks of the engine; nil for the shared pool and the executors of steps.
  package var taskExecutor: (any TaskExecutor)?
  /// Encloses each attempt of a step, observers included; nil for nothing.
  package var attempts: (any AttemptEnclosure)?

  /// Creates a runtime, by default with the queues of Dispatch and the system's randomness.
  package init(
    makeQueue: @escaping @Sendable (String) -> any WorkQueue = { DispatchQueue(label: $0) },
    randomSource: any RandomSource = SystemRandomSource()
  ) {
    self.makeQueue = makeQueue
    self.randomSource = randomSource
  }

  /// The runtime that belongs to a clock; nil if it has none.
  init?(of clock: any RunClock) {
    // A search for a conformance goes through all of the executable: 0.1 ms of each run.
    guard !(clock is SystemClock), let source = clock as? any RuntimeSource else { return nil }
    self = source.runtime
  }

  /// Starts a task of the engine.
  @discardableResult
  func startTask(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    // A task without a preference is cheaper than a task with a preference of nil.
    guard let taskExecutor else { return Task { await body() } }
    return Task(executorPreference: taskExecutor) { await body() }
  }

  /// The random source as a generator of the standard library.
  var generator: RandomSourceGenerator { RandomSourceGenerator(source: randomSource) }
}

/// A random source as a generator of the standard library.
struct RandomSourceGenerator: RandomNumberGenerator {
  let source: any RandomSource

  func next() -> UInt64 { source.next() }
}
