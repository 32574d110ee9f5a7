// A clock that stands still until a test moves it.

import Synchronization

/// A moment of a manual clock; like the time stamps of the engine.
struct Moment: InstantProtocol {
  var elapsed: Duration

  func advanced(by duration: Duration) -> Moment { Moment(elapsed: elapsed + duration) }
  func duration(to other: Moment) -> Duration { other.elapsed - elapsed }
  static func < (earlier: Moment, later: Moment) -> Bool { earlier.elapsed < later.elapsed }
}

/// The shape of the clocks that the engine has.
protocol TestClock: Sendable {
  var now: Moment { get }
  func sleep(for duration: Duration) async throws
}

/// Virtual time: it passes only when it is told to.
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
    var mostAtOnce = 0
  }

  private let state = Mutex(State())

  var now: Moment { state.withLock { $0.now } }
  /// How many sleep now.
  var sleepers: Int { state.withLock { $0.sleepers.count } }
  /// How often somebody went to sleep.
  var sleeps: Int { state.withLock { $0.sleeps } }
  /// How many have slept at once.
  var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
  /// When the first sleeper wakes.
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
          state.mostAtOnce = max(state.mostAtOnce, state.sleepers.count)
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

  /// Moves the time, and wakes whose time has come.
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
