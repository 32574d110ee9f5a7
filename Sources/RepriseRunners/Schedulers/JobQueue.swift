// `JobQueue`: what a scheduler says of the jobs of this user.

import Reprise

/// The jobs of this user, asked for together for all attempts.
///
/// At first twice a second, and less and less often while nothing changes.
actor JobQueue {
  private static let intervalMin = Duration.milliseconds(500)
  /// The interval while a job runs of which its host gives no sign.
  private static let intervalInDoubt = Duration.seconds(2)
  private static let commandTimeMax = Duration.seconds(30)

  private let scheduler: any Scheduler
  private let times: SubmissionTimes
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
  /// What the attempts that were asked for are listed by.
  private var wanted: [AttemptToken: String] = [:]
  /// Those of them that answers do not list.
  private var missing: [AttemptToken: MissingJob] = [:]

  init(_ scheduler: any Scheduler, _ times: SubmissionTimes, poll: Duration, clock: any RunClock) {
    self.scheduler = scheduler
    self.times = times
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

  /// Notes that an attempt was submitted: answers change soon, and those from before, about an earlier
  /// submission that was not answered, say nothing of it.
  func submitted(_ token: AttemptToken) {
    interval = Self.intervalMin
    missing.removeValue(forKey: token)
    if let key = scheduler.key(of: token) { jobs[key] = nil }
  }

  func forget(_ token: AttemptToken) {
    missing[token] = nil
    wanted[token] = nil
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    // Its submission was never answered: a job that comes all the same finds that the claim is taken.
    guard let key = scheduler.key(of: token) else { return .absent }
    wanted[token] = key
    if askedAt.map({ clock.now - $0 >= interval }) ?? true {
      await refresh()
      if Task.isCancelled { throw .cannotAsk("\(scheduler.name) has not answered yet") }
    }
    if let problem { throw problem }
    guard let job = jobs[key] else {
      // An answer that would list it comes later.
      guard let missing = missing[token] else { return .present }
      switch missing.verdict(of: scheduler.name) {
      case .gone: return .absent
      case .doubtful(let text): throw .cannotAsk(text)
      }
    }
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

  /// Whether the last answer was too early to list the job of an attempt, which a later one may show.
  func isTooEarly(for token: AttemptToken) -> Bool {
    guard let askedAt, scheduler.key(of: token) != nil, job(of: token) == nil else { return false }
    return !times.isListed(token, at: askedAt)
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
    let keys = Set(wanted.values)
    let known = jobs.filter { keys.contains($0.key) }
    do throws(RunnerFailure) {
      // Of several jobs of a token, the one that may still run counts.
      jobs = try await scheduler.jobs(within: Self.commandTimeMax).compactMapValues { jobs in
        jobs.first { $0.phase == .running } ?? jobs.last
      }
      problem = nil
      await noteMissing(at: before)
    } catch {
      problem = .cannotAsk(error.description)
    }
    askedAt = before
    let isSame = known == jobs.filter { keys.contains($0.key) }
    interval = isSame ? min(interval * 3 / 2, intervalMax) : Self.intervalMin
    if missing.values.contains(where: { !$0.isConfirmed }) { interval = Self.intervalMin }
  }

  /// Notes which attempts the last answer does not list, though it should, and what accounts say of them.
  private func noteMissing(at time: Timestamp) async {
    for (token, key) in wanted {
      if jobs[key] != nil {
        missing[token] = nil
      } else if times.isListed(token, at: time) {
        missing[token, default: MissingJob(since: time)].note(listAskedAt: time)
      }
    }
    let asked = missing.filter(\.value.needsAccount).keys.sorted { $0.text < $1.text }
    guard !asked.isEmpty else { return }
    let accounts = await scheduler.accounts(of: asked, within: Self.commandTimeMax)
    for token in asked { missing[token]?.note(accounts[token] ?? .unknown) }
  }
}
