// `SubmittedJobs`: the jobs of a runner, from their submission until nothing of them is queued.

import Reprise
import Synchronization

/// The jobs of a runner: their submissions, what the scheduler says of them, and their withdrawals.
final class SubmittedJobs: Sendable {
  let queue: JobQueue
  private let scheduler: any Scheduler
  private let clock: any RunClock
  private let submissions: JobSubmissions
  private let times: SubmissionTimes
  private let withdrawals = Mutex<[RunID?: JobWithdrawals]>([:])

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler.
  ///   - poll: The longest time between two questions for the queue.
  ///   - pace: The shortest time between two submissions.
  ///   - clock: The source of time.
  init(_ scheduler: any Scheduler, poll: Duration, submitEvery pace: Duration, clock: any RunClock)
  {
    self.scheduler = scheduler
    self.clock = clock
    times = SubmissionTimes(since: clock.now)
    queue = JobQueue(scheduler, times, poll: poll, clock: clock)
    submissions = JobSubmissions(every: pace, times, clock: clock)
  }

  /// Submits a job in its turn, alone or together with others.
  ///
  /// - Parameter submission: The job.
  /// - Returns: Its number.
  /// - Throws: ``RunnerFailure``.
  func submit(_ submission: Submission) async throws(RunnerFailure) -> String {
    let result: Result<String, RunnerFailure>
    do throws(RunnerFailure) {
      result = .success(try await submissions.submit(submission))
    } catch {
      result = .failure(error)
    }
    await queue.submitted(submission.token)
    return try result.get()
  }

  /// Whether a command is submitting an attempt now.
  func isSubmitting(_ token: AttemptToken) -> Bool { times.listed(token) == nil }

  /// Withdraws the jobs of an attempt soon; returns at once.
  func withdraw(_ token: AttemptToken) {
    let ofRun = withdrawals.withLock { all in
      let ofRun = all[token.run] ?? JobWithdrawals(scheduler, times, clock: clock)
      all[token.run] = ofRun
      return ofRun
    }
    ofRun.add(token)
  }

  /// Waits until what was withdrawn of a run is gone, but not for ever.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - claimed: Its attempts that an engine has claimed, perhaps an earlier one.
  /// - Returns: What is left, in a sentence; nil if nothing is.
  func finishWithdrawals(of run: RunID, _ claimed: [AttemptToken]) async -> String? {
    let known = withdrawals.withLock { $0.removeValue(forKey: run) }
    guard known != nil || !claimed.isEmpty else { return nil }
    return await (known ?? JobWithdrawals(scheduler, times, clock: clock)).finish(claimed)
  }

  /// Notes that an attempt is over, so that there may be room for another one.
  func forget(_ token: AttemptToken) async {
    await queue.forget(token)
    await submissions.ended(token)
  }
}
