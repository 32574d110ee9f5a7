// The clock, the queues and the random source of a simulated engine.

import Reprise
import RepriseTesting

/// A clock that shows the time of a scheduler.
struct SimulatedClock: RunClock {
  static let epoch: Int64 = 1_700_000_000_000_000
  let scheduler: Scheduler
  let fault: Fault?

  var now: Timestamp {
    let time = scheduler.tick()
    let isWrong = fault == .clockGoesBack && time % 41 == 0
    return Timestamp(microseconds: Self.epoch + time - (isWrong ? 5_000 : 0))
  }

  func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    let sleeper = Sleeper(scheduler)
    let isLost = fault == .timerIsLost && scheduler.now % 11 == 0
    await withTaskCancellationHandler {
      await sleeper.sleep(
        microseconds: Int64(duration / .microseconds(1)), isLost: isLost)
    } onCancel: {
      sleeper.wake()
    }
    try Task.checkCancellation()
  }
}

/// A sleep that can be ended early.
// @unchecked: a simulation runs on one thread.
final class Sleeper: @unchecked Sendable {
  private let scheduler: Scheduler
  private var continuation: UnsafeContinuation<Void, Never>?
  private var timer: Int?
  private var isOver = false

  init(_ scheduler: Scheduler) {
    self.scheduler = scheduler
  }

  /// Waits until the time has passed or ``wake()`` is called; a lost sleep waits for ``wake()``.
  func sleep(microseconds: Int64, isLost: Bool = false) async {
    guard !isOver else { return }
    await withUnsafeContinuation { continuation in
      self.continuation = continuation
      guard !isLost else { return }
      timer = scheduler.enqueue(after: microseconds, .closure { self.wake() })
    }
  }

  /// Ends the sleep, now or before it starts.
  func wake() {
    isOver = true
    if let timer { scheduler.cancel(timer: timer) }
    let continuation = continuation
    self.continuation = nil
    continuation?.resume()
  }
}

/// A serial queue whose items the scheduler runs.
// @unchecked: a simulation runs on one thread.
final class SimulatedQueue: WorkQueue, @unchecked Sendable {
  private let scheduler: Scheduler
  private var items: [@Sendable () -> Void] = []
  private var isBusy = false
  private let fault: Fault?

  init(_ scheduler: Scheduler, fault: Fault?) {
    self.scheduler = scheduler
    self.fault = fault
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    if fault == .queueLosesItem, scheduler.itemCount % 17 == 0 { return }
    items.append(work)
    scheduleNext()
  }

  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    scheduler.enqueue(after: Int64(delay / .microseconds(1)), .closure { self.enqueue(work) })
  }

  private func scheduleNext() {
    guard !isBusy, !items.isEmpty else { return }
    isBusy = true
    scheduler.enqueue(
      .closure {
        let item = self.items.removeFirst()
        item()
        self.isBusy = false
        self.scheduleNext()
      })
  }
}

/// A source of random bits from a seed.
// @unchecked: a simulation runs on one thread.
final class SimulatedRandomSource: RandomSource, @unchecked Sendable {
  private var generator: SplitMix64

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  func next() -> UInt64 { generator.next() }
}
