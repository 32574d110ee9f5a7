// `WallClock`: reading the system's wall clock and waiting for it.

import Dispatch
import Platform

/// The wall clock: it may be set, and it advances while the machine sleeps.
package protocol WallClock: Sendable {
  /// The current wall-clock time.
  var wallTime: Timestamp { get }

  /// Suspends until a wall-clock time.
  ///
  /// - Parameter moment: The time; returns immediately if it has passed.
  /// - Throws: `CancellationError`, immediately when the current task is cancelled.
  func sleep(untilWallTime moment: Timestamp) async throws
}

extension SystemClock: WallClock {
  /// The current wall-clock time.
  package var wallTime: Timestamp { wallClockTime() }

  /// Suspends until a wall-clock time, across clock changes and system sleep.
  ///
  /// - Parameter moment: The time; returns immediately if it has passed.
  /// - Throws: `CancellationError`, immediately when the current task is cancelled.
  package func sleep(untilWallTime moment: Timestamp) async throws {
    while true {
      try Task.checkCancellation()
      let rest = moment.microseconds - wallTime.microseconds
      guard rest > 0 else { return }
      await WallTimer(microseconds: rest).wait()
    }
  }
}

/// A one-shot timer on the wall clock.
private struct WallTimer {
  private let ticket = Ticket<Void>()
  private let source: EventSource

  init(microseconds: Int64) {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "reprise.wall-clock"))
    // A wall deadline follows changes of the clock; the leeway bounds the delay.
    timer.schedule(
      wallDeadline: .now() + .microseconds(Int(clamping: microseconds)), leeway: .milliseconds(1))
    source = EventSource(timer) { [ticket] in ticket.answer(()) }
  }

  /// Waits until the timer fires or the current task is cancelled.
  func wait() async {
    _ = await ticket.value()
    source.cancel()
  }
}

func wallClockTime() -> Timestamp {
  Timestamp(microseconds: nanosecondsSince1970() / 1000)
}
