// A clock that advances only when a test advances it.

import Synchronization

/// An instant of a manual clock, like the timestamps of the engine.
struct Moment: InstantProtocol {
  var elapsed: Duration

  func advanced(by duration: Duration) -> Moment { Moment(elapsed: elapsed + duration) }
  func duration(to other: Moment) -> Duration { other.elapsed - elapsed }
  static func < (earlier: Moment, later: Moment) -> Bool { earlier.elapsed < later.elapsed }
}

/// The interface of the clocks of the engine.
protocol TestClock: Sendable {
  var now: Moment { get }
  func sleep(for duration: Duration) async throws
}

/// A virtual clock, which only a test advances.
final class ManualClock: TestClock {
  private struct Sleeper {
    var end: Moment
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Moment(elapsed: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var sleeps = 0
    var sleepersMax = 0
  }

  private let state = Mutex(State())

  var now: Moment { state.withLock { $0.now } }
  /// The number of tasks that are sleeping.
  var sleepers: Int { state.withLock { $0.sleepers.count } }
  /// The total number of sleeps.
  var sleeps: Int { state.withLock { $0.sleeps } }
  /// The maximum number of concurrent sleeps.
  var sleepersMax: Int { state.withLock { $0.sleepersMax } }
  /// The time at which the first sleeper wakes.
  var firstEnd: Duration? { state.withLock { $0.sleepers.values.map(\.end.elapsed).min() } }

  func sleep(for duration: Duration) async throws {
    let number = state.withLock { state in
      state.sleeps += 1
      return state.sleeps
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Void, any Error>? in
          guard !state.cancelled.contains(number) else { return .failure(CancellationError()) }
          guard duration > .zero else { return .success(()) }
          state.sleepers[number] = Sleeper(
            end: state.now.advanced(by: duration), continuation: continuation)
          state.sleepersMax = max(state.sleepersMax, state.sleepers.count)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(number)
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances the time, and wakes the sleepers that are due.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let woken = state.sleepers.filter { $0.value.end <= state.now }
      for number in woken.keys { state.sleepers[number] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }
}
