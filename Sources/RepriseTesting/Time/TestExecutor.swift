// The executor of an engine under test: runs its tasks and queues one at a time, in virtual time.

import Dispatch
import Reprise
import Synchronization

/// Runs all work of an engine one item at a time, and owns the time of its clock.
///
/// Time advances only during a drive.
final class TestExecutor: TaskExecutor {
  /// Identifies an attempt of a step.
  private final class Attempt: Sendable {}

  /// The settings of an executor.
  struct Settings {
    /// The time at the beginning.
    var now: Timestamp
    /// Determines the order of ready work; nil for the order of arrival.
    var order: UInt64?
    /// The real time for which attempts may wait for something that is not the clock, before the
    /// time advances nevertheless.
    var patience: Duration
    /// Whether work runs only during a drive.
    var isFrozen: Bool
  }

  /// What must happen, and how far the time may advance for it.
  struct Drive: Sendable {
    /// Asked after each item of work; the drive is over when it returns true.
    var isOver: @Sendable () -> Bool = { false }
    /// The time that must not be exceeded: it is reached if nothing else ends the drive.
    var limit: Timestamp?
    /// The number of items that may run.
    var itemsMax = 2_000_000
  }

  /// How a drive has ended.
  enum DriveEnd: Sendable {
    /// The condition holds.
    case over
    /// The limit of the time is reached, and nothing is left to do at that time.
    case limit
    /// Nothing can happen any more.
    case stuck
    /// The maximum number of items has run.
    case busy
    /// The driving task was cancelled, or the executor was stopped.
    case cancelled
  }

  private struct State {
    var now: Timestamp
    var ready: WorkList
    /// Ready work that runs before all other work.
    var urgent = WorkList(seed: nil)
    /// Work that a queue runs after a short delay: once nothing else is ready.
    var later: [Work] = []
    var timers = Timers()
    var drive: (Drive, CheckedContinuation<DriveEnd, Never>)?
    /// The number of drives so far.
    var driveCount = 0
    var itemsLeft = 0
    var itemCount = 0
    /// Whether the loop runs or is about to.
    var isRunning = false
    var isStopped = false
    /// The attempts in progress, with the numbers of their sleepers.
    var attempts: [ObjectIdentifier: Int] = [:]
    /// The number of attempts without a sleeper.
    var awakeCount = 0
    /// Counts arrivals of work.
    var activity = 0
    var isPatienceOver = false
  }

  @TaskLocal private static var attempt: Attempt?

  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "reprise.testing")
  private let patience: Duration
  private let isFrozen: Bool
  /// Whether work runs in the order of its arrival.
  let isInOrder: Bool

  init(_ settings: Settings) {
    state = Mutex(State(now: settings.now, ready: WorkList(seed: settings.order)))
    patience = settings.patience
    isFrozen = settings.isFrozen
    isInOrder = settings.order == nil
  }

  var now: Timestamp { state.withLock { $0.now } }

  /// Whether no work runs any more.
  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// The number of items of work that drives have run.
  var itemCount: Int { state.withLock { $0.itemCount } }

  // MARK: Work

  func enqueue(_ job: consuming ExecutorJob) {
    add(.job(UnownedJob(job)))
  }

  /// Adds work that is ready.
  ///
  /// - Parameters:
  ///   - work: The work.
  ///   - isUrgent: Whether it runs before all other work, and before the condition of a drive is
  ///     evaluated.
  func add(_ work: Work, isUrgent: Bool = false) {
    let mustRun = state.withLock { state in
      guard !state.isStopped else {
        // A process that is gone frees nothing.
        _ = Unmanaged.passRetained(Grave(work))
        return false
      }
      if isUrgent {
        state.urgent.append(work)
      } else {
        state.ready.append(work)
      }
      return mustStart(&state)
    }
    if mustRun { run() }
  }

  /// Adds work that waits until nothing else is ready.
  func addLater(_ work: Work) {
    let mustRun = state.withLock { state in
      guard !state.isStopped else {
        _ = Unmanaged.passRetained(Grave(work))
        return false
      }
      state.later.append(work)
      return mustStart(&state)
    }
    if mustRun { run() }
  }

  /// Notes activity.
  ///
  /// - Returns: Whether the caller must start the loop.
  private func mustStart(_ state: inout State) -> Bool {
    state.activity += 1
    state.isPatienceOver = false
    guard !state.isRunning, !isFrozen || state.drive != nil else { return false }
    state.isRunning = true
    return true
  }

  private func run() {
    queue.async { self.loop() }
  }

  /// Discards all work, now and in the future, as the end of a process does.
  func stop() {
    let driver = state.withLock { state in
      state.isStopped = true
      _ = Unmanaged.passRetained(Grave(state.urgent, state.ready, state.later, state.timers))
      state.urgent = WorkList(seed: nil)
      state.ready = WorkList(seed: nil)
      state.later = []
      state.timers = Timers()
      defer { state.drive = nil }
      return state.drive?.1
    }
    driver?.resume(returning: .cancelled)
  }

  /// Keeps work that never runs: releasing it could run code of an engine that is gone.
  private final class Grave {
    let contents: [Any]

    init(_ contents: Any...) { self.contents = contents }
  }

  // MARK: Sleeping

  /// Waits until the time has advanced by a duration.
  func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    try Task.checkCancellation()
    let ticket = Ticket<Void>()
    let attempt = Self.attempt.map(ObjectIdentifier.init)
    let number = state.withLock { state in
      if let attempt { change(attempt, by: 1, &state) }
      return state.timers.add(
        Timers.Entry(attempt: attempt) { ticket.answer(()) },
        at: state.now.advanced(by: duration))
    }
    let isOver = await ticket.value() != nil
    state.withLock { state in
      guard state.timers.remove(number) != nil, let attempt else { return }
      change(attempt, by: -1, &state)
    }
    guard isOver else { throw CancellationError() }
  }

  private func change(_ attempt: ObjectIdentifier, by difference: Int, _ state: inout State) {
    guard let count = state.attempts[attempt] else { return }
    state.attempts[attempt] = count + difference
    if count == 0 { state.awakeCount -= 1 }
    if count + difference == 0 { state.awakeCount += 1 }
  }

  // MARK: Driving

  /// Runs work, and advances the time whenever nothing is ready, until the end of a drive.
  ///
  /// One task at a time may drive.
  func drive(_ drive: Drive) async -> DriveEnd {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isPossible, mustRun) = state.withLock { state -> (Bool, Bool) in
          guard !state.isStopped, !Task.isCancelled else { return (false, false) }
          precondition(state.drive == nil, "two tasks advance a test clock at the same time")
          state.drive = (drive, continuation)
          state.driveCount += 1
          state.itemsLeft = drive.itemsMax
          return (true, mustStart(&state))
        }
        if !isPossible { continuation.resume(returning: .cancelled) }
        if mustRun { run() }
      }
    } onCancel: {
      let driver = state.withLock { state in
        defer { state.drive = nil }
        return state.drive?.1
      }
      driver?.resume(returning: .cancelled)
    }
  }

  private func loop() {
    while true {
      let (isOver, number) = state.withLock {
        ($0.urgent.isEmpty ? $0.drive?.0.isOver : nil, $0.driveCount)
      }
      if let isOver, isOver() { end(.over) }
      switch state.withLock({ nextStep(&$0, checked: number) }) {
      case .run(.closure(let closure)): closure()
      case .run(.job(let job)): job.runSynchronously(on: asUnownedTaskExecutor())
      case .end(let reason): end(reason)
      case .again: continue
      case .wait: return
      }
    }
  }

  private func end(_ reason: DriveEnd) {
    let driver = state.withLock { state in
      defer { state.drive = nil }
      return state.drive?.1
    }
    driver?.resume(returning: reason)
  }

  private enum NextStep {
    case run(Work)
    case end(DriveEnd)
    case again
    /// The loop ends; more work, a drive, or the end of the patience start it again.
    case wait
  }

  /// Decides what the loop does next.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - number: The number of the drive whose condition was evaluated.
  /// - Returns: The next step.
  private func nextStep(_ state: inout State, checked number: Int) -> NextStep {
    guard !state.isStopped, !isFrozen || state.drive != nil else { return pause(&state) }
    if let work = state.urgent.next() { return .run(work) }
    // The next drive may have begun since; its condition must be evaluated before work runs.
    if state.drive != nil, state.driveCount != number { return .again }
    if let work = state.ready.next() {
      if state.drive != nil {
        guard state.itemsLeft > 0 else {
          state.ready.append(work)
          return .end(.busy)
        }
        state.itemsLeft -= 1
        state.itemCount += 1
      }
      return .run(work)
    }
    if !state.later.isEmpty {
      state.ready.append(contentsOf: state.later)
      state.later = []
      return .again
    }
    guard let (drive, _) = state.drive else { return pause(&state) }
    if state.awakeCount > 0, !state.isPatienceOver {
      watch(state.activity)
      return pause(&state)
    }
    if let limit = drive.limit, limit <= state.now { return .end(.limit) }
    return advance(drive, &state)
  }

  /// Advances the time to the next sleeper or to the limit.
  private func advance(_ drive: Drive, _ state: inout State) -> NextStep {
    let next = state.timers.nextTime()
    if let limit = drive.limit, next.map({ $0 > limit }) ?? true {
      state.now = limit
      return .end(.limit)
    }
    guard let next else { return state.awakeCount > 0 ? pause(&state) : .end(.stuck) }
    state.now = max(state.now, next)
    for entry in state.timers.takeDue(at: state.now) {
      if let attempt = entry.attempt { change(attempt, by: -1, &state) }
      state.ready.append(.closure(entry.wake))
    }
    state.isPatienceOver = false
    return .again
  }

  private func pause(_ state: inout State) -> NextStep {
    state.isRunning = false
    return .wait
  }

  /// Lets the time advance although attempts wait, if nothing happens for long.
  private func watch(_ activity: Int) {
    let nanoseconds = Int(clamping: Int64(patience / .nanoseconds(1)))
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
      guard let self else { return }
      let mustRun = state.withLock { state in
        guard state.activity == activity, state.drive != nil, !state.isRunning else { return false }
        state.isPatienceOver = true
        state.isRunning = true
        return true
      }
      if mustRun { loop() }
    }
  }
}

extension TestExecutor: AttemptEnclosure {
  func enclose<Result: Sendable>(
    _ attempt: () async throws -> Result
  ) async throws -> Result {
    let mark = Attempt()
    let id = ObjectIdentifier(mark)
    state.withLock { state in
      state.attempts[id] = 0
      state.awakeCount += 1
    }
    defer {
      state.withLock { state in
        if state.attempts.removeValue(forKey: id) == 0 { state.awakeCount -= 1 }
      }
    }
    return try await Self.$attempt.withValue(mark) { try await attempt() }
  }

  func waitForSteps() -> @Sendable () -> Void {
    guard let attempt = Self.attempt.map(ObjectIdentifier.init) else { return {} }
    state.withLock { change(attempt, by: 1, &$0) }
    let isOver = Mutex(false)
    return { [self] in
      let isFirst = isOver.withLock { isOver in
        defer { isOver = true }
        return !isOver
      }
      guard isFirst else { return }
      state.withLock { change(attempt, by: -1, &$0) }
    }
  }
}
