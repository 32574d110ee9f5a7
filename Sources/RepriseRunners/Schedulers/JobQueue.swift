// `JobQueue`: what a scheduler says of the jobs of this user.

import Reprise

/// The jobs of this user, asked for together for all attempts.
///
/// At first twice a second, and less and less often while nothing changes.
actor JobQueue {
  private static let intervalMin = Duration.milliseconds(500)
  /// The interval while a job runs of which its host gives no sign.
  private static let intervalInDoubt = Duration.seconds(2)
  /// How long a job must be missing in answers until they are believed.
  private static let doubt = Duration.seconds(2)
  private static let commandTimeMax = Duration.seconds(30)

  private let scheduler: any Scheduler
  private let intervalMax: Duration
  private let clock: any RunClock
  private var interval = JobQueue.intervalMin
  private var jobs: [String: SchedulerJob] = [:]
  private var askedAt: Timestamp?
  private var problem: RunnerFailure?
  private var isAsking = false
  /// Those that wait for the answer, by number.
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var nextID = 1
  /// The attempts that were asked for.
  private var wanted: Set<String> = []
  /// When attempts were submitted: what is newer than the answer is not absent in it.
  private var submittedAt: [AttemptToken: Timestamp] = [:]
  /// Since when answers do not list attempts: a single one may be wrong.
  private var missingSince: [AttemptToken: Timestamp] = [:]

  init(_ scheduler: any Scheduler, poll: Duration, clock: any RunClock) {
    self.scheduler = scheduler
    intervalMax = max(poll, Self.intervalMin)
    self.clock = clock
  }

  /// Whether a job of this user was listed that may still run.
  var hasActiveJobs: Bool {
    get async {
      await refresh()
      return Task.isCancelled || jobs.values.contains(where: \.isActive)
    }
  }

  func submitted(_ token: AttemptToken) {
    submittedAt[token] = clock.now
    interval = Self.intervalMin
  }

  func forget(_ token: AttemptToken) {
    submittedAt[token] = nil
    missingSince[token] = nil
    if let key = scheduler.key(of: token) { wanted.remove(key) }
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    // Its submission was never answered: a job that comes all the same finds that the claim is taken.
    guard let key = scheduler.key(of: token) else { return .absent }
    wanted.insert(key)
    if askedAt.map({ clock.now - $0 >= interval }) ?? true {
      await refresh()
      if Task.isCancelled { throw .cannotAsk("\(scheduler.name) has not answered yet") }
    }
    if let problem { throw problem }
    guard let job = jobs[key] else {
      guard let askedAt else { return .present }
      if let submitted = submittedAt[token], submitted > askedAt { return .present }
      let since = missingSince[token] ?? askedAt
      missingSince[token] = since
      interval = Self.intervalMin
      if askedAt - since >= Self.doubt { return .absent }
      throw .cannotAsk("\(scheduler.name) does not list the job")
    }
    missingSince[token] = nil
    switch job.phase {
    case .queued: return .queued(job.reason)
    case .running, .ending:
      interval = min(interval, Self.intervalInDoubt)
      return .present
    case .ended, .refused: return .absent
    }
  }

  func job(of token: AttemptToken) -> SchedulerJob? {
    scheduler.key(of: token).flatMap { jobs[$0] }
  }

  /// Asks now, together with all that ask at the same time; returns early if the task is cancelled.
  func refresh() async {
    if !isAsking {
      isAsking = true
      Task { await ask() }
    }
    let id = nextID
    nextID += 1
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        if Task.isCancelled { continuation.resume() } else { waiting[id] = continuation }
      }
    } onCancel: {
      Task { await self.giveUp(id) }
    }
  }

  private func giveUp(_ id: Int) { waiting.removeValue(forKey: id)?.resume() }

  private func ask() async {
    defer {
      isAsking = false
      let all = waiting.values
      waiting = [:]
      for continuation in all { continuation.resume() }
    }
    let before = clock.now
    let known = jobs.filter { wanted.contains($0.key) }
    do throws(RunnerFailure) {
      // Of several jobs of a token, the one that may still run counts.
      jobs = try await scheduler.jobs(within: Self.commandTimeMax).compactMapValues { jobs in
        jobs.first { $0.phase == .running } ?? jobs.last
      }
      problem = nil
    } catch {
      problem = .cannotAsk(error.description)
    }
    askedAt = before
    let isSame = known == jobs.filter { wanted.contains($0.key) }
    interval = isSame ? min(interval * 3 / 2, intervalMax) : Self.intervalMin
  }
}
