// A scheduler in memory, which lists and removes jobs late, and a clock whose sleeps take no time.

import Reprise
import Synchronization

@testable import RepriseRunners

/// A clock whose time advances when a task sleeps, at once.
final class SteppingClock: RunClock {
  private let time = Mutex(Timestamp(microseconds: 0))

  var now: Timestamp { time.withLock { $0 } }

  func advance(by duration: Duration) {
    time.withLock { $0 = $0.advanced(by: duration) }
  }

  func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    advance(by: max(duration, .zero))
    await Task.yield()
  }
}

/// A scheduler that knows a job only some time after its submission, in its list and to remove it.
final class FakeScheduler: RepriseRunners.Scheduler {
  struct Job: Sendable {
    let id: String
    let knownAt: Timestamp
    var isGone = false
  }

  let name = "Slurm"
  let clock = SteppingClock()
  let jobs = Mutex<[String: Job]>([:])
  /// When it was asked for its list.
  let lists = Mutex<[Timestamp]>([])
  /// How many lists it answers without any job, as after a restart.
  let emptyLists = Mutex(0)
  let account = Mutex(JobAccount.unknown)
  let accountCalls = Mutex(0)
  /// Whether it answers at all.
  let answers = Mutex(true)

  /// Submits a job of an attempt, which is known after a while.
  func submit(_ token: AttemptToken, knownAfter delay: Duration) {
    let job = Job(
      id: String(jobs.withLock { $0.count } + 1), knownAt: clock.now.advanced(by: delay))
    jobs.withLock { $0[token.text] = job }
  }

  /// The numbers of the jobs that are in the queue, whether it shows them or not.
  var left: [String] { jobs.withLock { $0.values.filter { !$0.isGone }.map(\.id) } }

  func jobs(within limit: Duration) async throws(RunnerFailure) -> [String: [SchedulerJob]] {
    let now = clock.now
    lists.withLock { $0.append(now) }
    guard answers.withLock({ $0 }) else { throw .cannotAsk("it is away") }
    let isEmpty = emptyLists.withLock { count in
      defer { count = max(0, count - 1) }
      return count > 0
    }
    guard !isEmpty else { return [:] }
    return jobs.withLock { jobs in
      jobs.filter { !$0.value.isGone && $0.value.knownAt <= now }
        .mapValues { [SchedulerJob($0.id, .queued, reason: "Priority")] }
    }
  }

  func key(of token: AttemptToken) -> String? { token.text }

  func accounts(
    of tokens: [AttemptToken], within limit: Duration
  ) async -> [AttemptToken: JobAccount] {
    accountCalls.withLock { $0 += 1 }
    let account = account.withLock { $0 }
    return Dictionary(uniqueKeysWithValues: tokens.map { ($0, account) })
  }

  func cancel(_ ids: [String], within limit: Duration) async -> String? {
    let now = clock.now
    jobs.withLock { jobs in
      for (name, job) in jobs where ids.contains(job.id) && job.knownAt <= now {
        jobs[name]?.isGone = true
      }
    }
    return nil
  }

  func removal(of jobs: [String]) -> String { "scancel " + jobs.joined(separator: " ") }
}
