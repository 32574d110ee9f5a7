// `StopRequest`: a request to stop an attempt that a runner carries out.

import ChildProcesses
import Synchronization

/// A request to stop an attempt, which is passed on as soon as there is something to stop.
final class StopRequest: Sendable {
  private struct State {
    var grace: Duration?
    var handle: (any RunnerHandle)?
    /// The number of requests so far that have changed something.
    var count = 0
    var interrupt: (@Sendable () -> Void)?
    var isOver = false
  }

  /// The longest pause between two calls of a handle that cannot be reached.
  private static let pauseMax = Duration.seconds(15)

  private let state = Mutex(State())
  private let clock: any RunClock

  init(clock: any RunClock) {
    self.clock = clock
  }

  var isRequested: Bool { grace != nil }

  /// The number of the job of what would be stopped.
  var job: String? { state.withLock { $0.handle }?.job }

  /// The grace period; nil if no stop is requested.
  var grace: Duration? { state.withLock { $0.grace } }

  /// The number of requests so far, to notice a further one.
  var count: Int { state.withLock { $0.count } }

  /// Asks for a stop; a later request can only shorten the grace period.
  func request(grace: Duration) {
    let (handle, interrupt) = state.withLock { state in
      state.grace = min(grace, state.grace ?? grace)
      state.count += 1
      return (state.handle, state.interrupt)
    }
    interrupt?()
    if let handle { pass(grace, to: handle) }
  }

  /// Sets the attempt to stop.
  func found(_ handle: any RunnerHandle) {
    let grace = state.withLock { state -> Duration? in
      state.handle = handle
      return state.grace
    }
    if let grace { pass(grace, to: handle) }
  }

  /// Notes that the attempt is over, so that nothing is left to pass on.
  func end() { state.withLock { $0.isOver = true } }

  /// Runs an operation, and cancels it at the next request.
  ///
  /// - Parameters:
  ///   - seen: The number of requests that the caller knows; with more, it is cancelled at once.
  ///   - operation: The operation, which returns soon after it is cancelled.
  /// - Returns: Its result.
  func interrupting<Result: Sendable>(
    after seen: Int, _ operation: @escaping @Sendable () async -> Result
  ) async -> Result {
    let task = Task { await operation() }
    let isLate = state.withLock { state in
      state.interrupt = { task.cancel() }
      return state.count != seen
    }
    if isLate { task.cancel() }
    let result = await task.value
    state.withLock { $0.interrupt = nil }
    return result
  }

  private func pass(_ grace: Duration, to handle: any RunnerHandle) {
    Task { [self] in
      var pause = GrowingDelay(from: .seconds(1))
      while !state.withLock({ $0.isOver }) {
        do throws(RunnerFailure) {
          return try await handle.stop(grace: grace)
        } catch {
          try? await clock.sleep(for: pause.next(upTo: Self.pauseMax))
        }
      }
    }
  }
}
