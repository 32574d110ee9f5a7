// `JobSubmissions`: decides when the next job may be submitted.

import ChildProcesses
import Reprise

/// The submissions of a runner: a few at a time, and one at a time while the queue is full.
///
/// A scheduler answers in milliseconds, but not to hundreds at once. When a limit of the queue is reached,
/// another one makes sense only after a job of this runner has ended, or after a while.
actor JobSubmissions {
  private static let countMax = 4
  private static let pauseMax = Duration.seconds(60)

  private let pace: Duration
  private let clock: any RunClock
  /// When the next submission may begin.
  private var nextAt: Timestamp?
  private var inFlight = 0
  private var nextID = 1
  private var waiting: [(id: Int, token: AttemptToken, continuation: Continuation)] = []
  /// Why the queue is full; nil if it is not.
  private var limit: String?
  /// How many submissions may be tried although it was full.
  private var credit = 0
  private var pause = GrowingDelay(from: .seconds(1))
  /// The attempts that know why they wait.
  private var informed: Set<AttemptToken> = []
  private var timer: Task<Void, Never>?
  private var paceTimer: Task<Void, Never>?

  private typealias Continuation = CheckedContinuation<Result<Void, RunnerFailure>, Never>

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - pace: The shortest time between two submissions.
  ///   - clock: The source of time.
  init(every pace: Duration, clock: any RunClock) { (self.pace, self.clock) = (pace, clock) }

  /// Waits for the turn of an attempt.
  ///
  /// - Throws: ``RunnerFailure/full(_:)`` for the first time that the attempt must wait for a full
  ///   queue, so that this is shown; ``RunnerFailure/neverBegun(_:)`` if the task was cancelled.
  func enter(_ token: AttemptToken) async throws(RunnerFailure) {
    if let limit, informed.insert(token).inserted { throw .full(limit) }
    if waiting.isEmpty, admit() { return }
    let id = nextID
    nextID += 1
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: Continuation) in
        if Task.isCancelled {
          continuation.resume(returning: .failure(.neverBegun("it was not submitted")))
        } else {
          waiting.append((id, token, continuation))
        }
      }
    } onCancel: {
      Task { await self.giveUp(id) }
    }
    try result.get()
  }

  /// Notes the answer to a submission.
  ///
  /// - Parameters:
  ///   - token: The attempt.
  ///   - full: Why the queue is full; nil if it was not.
  func leave(_ token: AttemptToken, full: String?) {
    inFlight -= 1
    if let full {
      if limit == nil { credit = 0 }
      limit = full
      informed.insert(token)
      tryLater()
    } else if limit != nil {
      // There was room for one, so perhaps for another one.
      pause = GrowingDelay(from: .seconds(1))
      credit = max(credit, 1)
      if waiting.isEmpty { limit = nil }
    }
    next()
  }

  /// Notes that an attempt is over, so that there may be room for another one.
  func ended(_ token: AttemptToken) {
    informed.remove(token)
    guard limit != nil else { return }
    credit += 1
    next()
  }

  private func giveUp(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).continuation
      .resume(returning: .failure(.neverBegun("it was not submitted")))
  }

  /// Lets one submission in, if there may be one now.
  private func admit() -> Bool {
    if let nextAt, clock.now < nextAt {
      waitForPace(until: nextAt)
      return false
    }
    if limit == nil {
      guard inFlight < Self.countMax else { return false }
    } else {
      guard inFlight == 0, credit > 0 else { return false }
      credit -= 1
    }
    inFlight += 1
    if pace > .zero { nextAt = clock.now.advanced(by: pace) }
    return true
  }

  private func waitForPace(until time: Timestamp) {
    guard paceTimer == nil else { return }
    paceTimer = Task { [clock] in
      try? await clock.sleep(for: time - clock.now)
      paceTimer = nil
      next()
    }
  }

  private func next() {
    if let limit {
      // What has only waited for its turn so far waits for the full queue from now on.
      let uninformed = waiting.filter { informed.insert($0.token).inserted }.map(\.id)
      for index in waiting.indices.reversed() where uninformed.contains(waiting[index].id) {
        waiting.remove(at: index).continuation.resume(returning: .failure(.full(limit)))
      }
    }
    while !waiting.isEmpty, admit() {
      waiting.removeFirst().continuation.resume(returning: .success(()))
    }
  }

  private func tryLater() {
    timer?.cancel()
    let time = pause.next(upTo: Self.pauseMax)
    timer = Task { [clock] in
      guard (try? await clock.sleep(for: time)) != nil else { return }
      isDue()
    }
  }

  private func isDue() {
    guard limit != nil else { return }
    credit = max(credit, 1)
    // If none waits just now, the next one tries.
    next()
  }
}
