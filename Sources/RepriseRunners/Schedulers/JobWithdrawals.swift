// `JobWithdrawals`: takes jobs out of a queue, many at once, until they are gone.

import ChildProcesses
import Reprise
import Synchronization

/// The jobs of a run that must leave the queue, since the engine has claimed their attempts.
///
/// They are collected for a moment and withdrawn together, again and again until a list does not have them
/// any more that would show them: one that was asked for some time after their submission. Of a job that no
/// list has shown and no command has removed, a second list must agree. A job that starts all the same ends at
/// once.
actor JobWithdrawals {
  /// An attempt whose jobs are withdrawn.
  private struct Entry {
    let addedAt: Timestamp
    let token: AttemptToken
    var jobs: [String] = []
    /// Whether the scheduler has taken the request to remove its jobs.
    var isRemoved = false
    /// When a list was asked for first that did not have it.
    var missingSince: Timestamp?

    /// Takes what a list says, which was asked for at a time and would show its jobs.
    ///
    /// - Returns: Whether nothing of it is in the queue.
    mutating func isGone(by listed: [SchedulerJob], askedAt: Timestamp) -> Bool {
      guard listed.isEmpty, !isRemoved else { return jobs.isEmpty }
      let since = missingSince ?? askedAt
      missingSince = since
      return askedAt - since >= MissingJob.doubt
    }
  }

  private static let collectTime = Duration.milliseconds(50)
  private static let jobsPerCommand = 100
  private static let pauseMax = Duration.seconds(2)
  private static let commandTimeMax = Duration.seconds(5)
  /// Without a job less for this time, what is left stays until the next try.
  private static let patience = Duration.seconds(8)
  /// The same if the scheduler does not even say which there are.
  private static let patienceWithoutAnswer = Duration.seconds(2)

  private let scheduler: any Scheduler
  private let times: SubmissionTimes
  private let clock: any RunClock
  /// What was added since the last look: without a wait, so that the end of the run finds it.
  private let added = Mutex<[String: Entry]>([:])
  private var entries: [String: Entry] = [:]
  private var work: Task<Void, Never>?
  private var problem: String?
  private var isAnswered = true
  /// Those that are certainly gone.
  private var gone: Set<String> = []

  init(_ scheduler: any Scheduler, _ times: SubmissionTimes, clock: any RunClock) {
    self.scheduler = scheduler
    self.times = times
    self.clock = clock
  }

  /// Withdraws the jobs of an attempt soon.
  nonisolated func add(_ token: AttemptToken) {
    added.withLock { $0[token.text] = Entry(addedAt: clock.now, token: token) }
    Task { await start() }
  }

  /// Waits until all are gone, or do not become fewer.
  ///
  /// - Parameter others: Further attempts that an engine has claimed, such as those of an earlier one.
  /// - Returns: What is left, in a sentence; nil if nothing is.
  func finish(_ others: [AttemptToken] = []) async -> String? {
    takeAdded()
    for token in others where entries[token.text] == nil && !gone.contains(token.text) {
      entries[token.text] = Entry(addedAt: clock.now, token: token)
    }
    start()
    await work?.value
    guard !entries.isEmpty else { return nil }
    let (count, jobs) = (entries.count, jobs)
    let unlisted = entries.values.count { $0.jobs.isEmpty }
    entries = [:]
    guard !jobs.isEmpty else {
      return
        "\(count) cancelled job\(count == 1 ? "" : "s") may still be in the queue of \(scheduler.name) "
        + "(\(problem ?? "it has not answered")): each ends at once when it starts"
    }
    let shown = Array(jobs.prefix(10)) + (jobs.count > 10 ? ["…"] : [])
    let reason = problem.map { " (\($0))" } ?? ""
    return
      "\(jobs.count) cancelled job\(jobs.count == 1 ? " is" : "s are") still in the queue of \(scheduler.name)"
      + (unlisted > 0 ? ", and \(unlisted) more may be" : "")
      + "\(reason): each ends at once when it starts; to remove them: \(scheduler.removal(of: shown))"
  }

  /// The numbers of those that were listed last, in order, so that elements of an array go together.
  private var jobs: [String] {
    entries.values.flatMap(\.jobs).sorted { ($0.count, $0) < ($1.count, $1) }
  }

  private func takeAdded() {
    let new = added.withLock { added in
      defer { added = [:] }
      return added
    }
    entries.merge(new) { known, _ in known }
  }

  private func start() {
    takeAdded()
    guard work == nil, !entries.isEmpty else { return }
    work = Task {
      try? await clock.sleep(for: Self.collectTime)
      await withdraw()
      work = nil
    }
  }

  private func withdraw() async {
    var pause = GrowingDelay(from: .milliseconds(100))
    var progressAt = clock.now
    while true {
      takeAdded()
      let isFewer = await ask()
      let jobs = self.jobs
      if entries.isEmpty { return }
      if isFewer {
        progressAt = clock.now
      } else {
        let patience = isAnswered ? Self.patience : Self.patienceWithoutAnswer
        if clock.now - progressAt > patience { return }
      }
      for start in stride(from: 0, to: jobs.count, by: Self.jobsPerCommand) {
        await cancel(Array(jobs[start..<min(start + Self.jobsPerCommand, jobs.count)]))
      }
      try? await clock.sleep(for: pauseBeforeList(pause.next(upTo: Self.pauseMax)))
    }
  }

  /// Shortens a pause, or makes it longer, to the time when the next list confirms all.
  private func pauseBeforeList(_ pause: Duration) -> Duration {
    var last = clock.now
    for entry in entries.values {
      guard entry.jobs.isEmpty, let time = times.listed(entry.token) else { return pause }
      last = max(last, time, entry.missingSince?.advanced(by: MissingJob.doubt) ?? time)
    }
    let rest = last - clock.now
    return rest > .zero ? rest + .milliseconds(1) : pause
  }

  /// Asks which jobs are left.
  ///
  /// - Returns: Whether they are fewer than before.
  private func ask() async -> Bool {
    let askedAt = clock.now
    var isFewer = false
    do throws(RunnerFailure) {
      let listed = try await scheduler.jobs(within: Self.commandTimeMax)
      isAnswered = true
      for (name, entry) in entries {
        var entry = entry
        let key = scheduler.key(of: entry.token)
        let shown = key.flatMap { listed[$0] } ?? []
        entry.jobs = shown.filter(\.isActive).map(\.id)
        entries[name] = entry
        guard entry.addedAt < askedAt, times.isListed(entry.token, at: askedAt) else { continue }
        // Without a key, there is nothing that a list could show.
        guard entry.isGone(by: shown, askedAt: askedAt) || key == nil else {
          entries[name] = entry
          continue
        }
        entries[name] = nil
        gone.insert(name)
        isFewer = true
      }
    } catch {
      isAnswered = false
      problem = error.description
    }
    return isFewer
  }

  private func cancel(_ jobs: [String]) async {
    if let problem = await scheduler.cancel(jobs, within: Self.commandTimeMax) {
      self.problem = problem
      return
    }
    let removed = Set(jobs)
    for (name, entry) in entries where !entry.jobs.isEmpty && removed.isSuperset(of: entry.jobs) {
      entries[name]?.isRemoved = true
    }
  }
}
