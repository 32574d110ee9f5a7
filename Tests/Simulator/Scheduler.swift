// The scheduler runs jobs, queue items and timers of a simulation one by one, in a seeded order.

import RepriseTesting
import WorkflowFiles

/// The order in which the scheduler chooses ready work.
public enum SchedulePolicy: String, Codable, Sendable, CaseIterable {
  /// Any item, with equal probability.
  case random
  /// Mostly the oldest item.
  case oldestFirst
  /// Mostly the newest item.
  case newestFirst
}

/// Chooses the next work to run, and owns the virtual time.
///
/// Time advances when nothing is ready, and by one microsecond for each reading of the clock: all
/// times of a simulation are distinct, in the order of events.
// @unchecked: a simulation runs on one thread.
final class Scheduler: @unchecked Sendable {
  /// A unit of work.
  enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  /// Microseconds of virtual time.
  private(set) var now: Int64 = 0
  /// The number of items that have run.
  private(set) var itemCount = 0
  /// A hash of all choices.
  private(set) var trace = Trace()
  /// Whether enqueued work is discarded, because the process has crashed.
  private(set) var isDead = false

  private var ready: [Work] = []
  // Also ready, but rarely chosen while there is other work.
  private var lazy: [Work] = []
  private var timers = Heap<Timer>()
  private var timerCount = 0
  private var cancelled: Set<Int> = []
  private var countdowns: [(item: Int, work: @Sendable () -> Void)] = []
  private var generator: SplitMix64
  private let policy: SchedulePolicy
  private let isStrict: Bool
  private let lazyChance: Double
  /// Called before the time advances, if no thread is blocked.
  var onIdle: () -> Void = {}
  private var isInJob = false
  private var depth = 0

  private struct Timer: Comparable {
    let time: Int64
    let number: Int
    let work: Work

    static func < (left: Timer, right: Timer) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }

    static func == (left: Timer, right: Timer) -> Bool { left.number == right.number }
  }

  /// Creates a scheduler at time 0.
  init(seed: UInt64, policy: SchedulePolicy, isStrict: Bool, lazyChance: Double) {
    generator = SplitMix64(seed: seed)
    self.isStrict = isStrict
    self.policy = policy
    self.lazyChance = lazyChance
  }

  // MARK: Enqueuing

  /// Adds work that is ready to run.
  func enqueue(_ work: Work) {
    guard !isDead else { return }
    if lazyChance > 0, generator.chance(lazyChance) {
      lazy.append(work)
    } else {
      ready.append(work)
    }
  }

  /// Adds work that becomes ready after a time.
  ///
  /// - Returns: The number of the timer, for ``cancel(timer:)``.
  @discardableResult
  func enqueue(after microseconds: Int64, _ work: Work) -> Int {
    guard !isDead else { return 0 }
    timerCount += 1
    timers.insert(Timer(time: now + max(0, microseconds), number: timerCount, work: work))
    return timerCount
  }

  /// Removes a timer that has not fired.
  func cancel(timer: Int) {
    cancelled.insert(timer)
  }

  /// Runs a closure between two items, after a number of items or when nothing else is ready.
  func enqueue(afterItems count: Int, _ work: @escaping @Sendable () -> Void) {
    countdowns.append((itemCount + count, work))
  }

  /// Returns the current time, which is later for each call.
  func tick() -> Int64 {
    now += 1
    return now
  }

  /// Mixes a value into the trace.
  func note(_ value: UInt64) {
    trace.mix(value)
  }

  // MARK: Running

  /// Runs the next item, and advances the time first if nothing is ready.
  ///
  /// - Returns: Whether there was an item.
  func step() -> Bool {
    if let position = countdowns.firstIndex(where: { $0.item <= itemCount }) {
      countdowns.remove(at: position).work()
      return true
    }
    fireTimers()
    if ready.isEmpty, lazy.isEmpty {
      if !countdowns.isEmpty {
        countdowns.removeFirst().work()
        return true
      }
      guard let next = nextTimer() else { return false }
      if depth == 0 { onIdle() }
      now = max(now, next)
      fireTimers()
    }
    run(choose())
    return true
  }

  /// Blocks the caller for a time while other work runs, as a waiting thread does.
  ///
  /// Returns immediately in a job, because a task must not block.
  func block(for microseconds: Int64) {
    guard microseconds > 0, !isInJob, !isDead, depth < 8 else { return }
    let isOver = Flag()
    enqueue(after: microseconds, .closure { isOver.isSet = true })
    depth += 1
    while !isOver.isSet, !isDead, step() {}
    depth -= 1
  }

  private func fireTimers() {
    while let timer = timers.smallest, timer.time <= now {
      timers.popSmallest()
      if cancelled.remove(timer.number) == nil { ready.append(timer.work) }
    }
  }

  private func nextTimer() -> Int64? {
    while let timer = timers.smallest {
      guard cancelled.remove(timer.number) != nil else { return timer.time }
      timers.popSmallest()
    }
    return nil
  }

  private func choose() -> Work {
    if ready.isEmpty || (!lazy.isEmpty && generator.chance(0.02)) {
      return lazy.remove(at: generator.below(lazy.count))
    }
    let position: Int
    switch policy {
    case .oldestFirst where isStrict: position = 0
    case .random: position = generator.below(ready.count)
    case .oldestFirst: position = generator.chance(0.1) ? generator.below(ready.count) : 0
    case .newestFirst:
      position = generator.chance(0.1) ? generator.below(ready.count) : ready.count - 1
    }
    trace.mix(UInt64(position) << 32 | UInt64(ready.count))
    return ready.remove(at: position)
  }

  private func run(_ work: Work) {
    itemCount += 1
    switch work {
    case .closure(let closure): closure()
    case .job(let job):
      let wasInJob = isInJob
      isInJob = true
      runJob(job)
      isInJob = wasInJob
    }
  }

  // MARK: Crashes

  /// Discards all work, and all work that is enqueued before ``revive()``.
  func crash() {
    isDead = true
    // Retained forever: a process that crashes runs no deinitializers either.
    _ = Unmanaged.passRetained(Grave(ready, lazy, timers, countdowns.map(\.work)))
    ready = []
    lazy = []
    timers = Heap()
    countdowns = []
    cancelled = []
  }

  /// Accepts work again.
  func revive() {
    isDead = false
  }

  private final class Grave {
    let contents: [Any]

    init(_ contents: Any...) { self.contents = contents }
  }
}

/// A Boolean that closures share.
// @unchecked: a simulation runs on one thread.
final class Flag: @unchecked Sendable {
  var isSet = false
}
