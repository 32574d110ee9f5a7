// The system's wall clock: the one place where the engine reads it and waits for it.

import Dispatch
import Platform

/// The time that hangs on the wall: it may be set, and it goes on while the machine sleeps.
package protocol WallClock: Sendable {
  /// The present moment.
  var wallTime: Timestamp { get }

  /// Waits until a moment has come, without occupying a thread.
  ///
  /// - Parameter moment: When to go on; at once where it has passed.
  /// - Throws: `CancellationError` at once when the surrounding task is cancelled.
  func sleep(untilWallTime moment: Timestamp) async throws
}

extension SystemClock: WallClock {
  /// The present moment.
  package var wallTime: Timestamp { wallClockTime() }

  /// Waits for the wall clock: through changes of it, and through the machine's sleep.
  ///
  /// - Parameter moment: When to go on.
  /// - Throws: `CancellationError` at once when the surrounding task is cancelled.
  package func sleep(untilWallTime moment: Timestamp) async throws {
    while true {
      try Task.checkCancellation()
      let rest = moment.microseconds - wallTime.microseconds
      guard rest > 0 else { return }
      await WallTimer(microseconds: rest).wait()
    }
  }
}

/// A timer on the wall clock, which fires once.
private struct WallTimer {
  private let ticket = Ticket<Void>()
  private let source: EventSource

  init(microseconds: Int64) {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "reprise.wall-clock"))
    // Against the wall clock, so that a change of it counts; nothing is late by more than the leeway.
    timer.schedule(
      wallDeadline: .now() + .microseconds(Int(clamping: microseconds)), leeway: .milliseconds(1))
    source = EventSource(timer) { [ticket] in ticket.answer(()) }
  }

  /// Waits until it fires, or until the surrounding task is cancelled.
  func wait() async {
    _ = await ticket.value()
    source.cancel()
  }
}

func wallClockTime() -> Timestamp {
  Timestamp(microseconds: nanosecondsSince1970() / 1000)
}
