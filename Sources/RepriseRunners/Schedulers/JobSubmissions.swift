// `JobSubmissions`: submits jobs in their turn, equal ones together.

import ChildProcesses
import Reprise

/// A job with the command that submits it.
struct Submission: Sendable {
  /// Submits jobs of one group.
  ///
  /// - Parameter jobs: The jobs.
  /// - Returns: Their numbers, or why there are none.
  typealias Command = @Sendable (_ jobs: [Submission]) async -> Result<[String], Refusal>

  let token: AttemptToken
  let folder: AttemptFolder
  /// What the jobs that may be submitted together have in common; nil for a job alone.
  let group: String?
  let command: Command

  /// Why jobs were not submitted.
  enum Refusal: Error {
    case failure(RunnerFailure)
    /// The scheduler does not take so many as one array.
    case tooMany
  }
}

/// The submissions of a runner, as a ``SubmissionGate`` decides.
///
/// A scheduler answers in milliseconds, but not to hundreds at once. When a limit of the queue is reached,
/// another one makes sense only after a job of this runner has ended, or after a while.
actor JobSubmissions {
  private static let pauseMax = Duration.seconds(60)

  private struct Caller {
    let submission: Submission
    let job: PendingJob
    let continuation: Continuation
  }

  private typealias Continuation = CheckedContinuation<Result<String, RunnerFailure>, Never>

  private let clock: any RunClock
  private let times: SubmissionTimes
  private var gate: SubmissionGate
  private var nextID = 1
  private var callers: [Int: Caller] = [:]
  /// The ids of the jobs of each submission in flight that are still wanted.
  private var batches: [Int: Set<Int>] = [:]
  private var pause = GrowingDelay(from: .seconds(1))
  private var timer: Task<Void, Never>?
  private var alarm: (time: Timestamp, task: Task<Void, Never>)?

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - pace: The shortest time between two submissions.
  ///   - times: Where it is noted when jobs were submitted.
  ///   - clock: The source of time.
  init(every pace: Duration, _ times: SubmissionTimes, clock: any RunClock) {
    gate = SubmissionGate(every: pace)
    (self.times, self.clock) = (times, clock)
  }

  /// Submits a job in its turn, alone or together with others.
  ///
  /// - Parameter submission: The job.
  /// - Returns: Its number.
  /// - Throws: ``RunnerFailure/full(_:)`` for the first time that the attempt must wait for a full
  ///   queue or for its turn, so that this is shown; ``RunnerFailure/neverBegun(_:)`` if the task was cancelled before, and
  ///   ``RunnerFailure/cannotAsk(_:)`` if it was cancelled while the scheduler was asked.
  func submit(_ submission: Submission) async throws(RunnerFailure) -> String {
    if let limit = gate.refusal(of: submission.token) { throw .full(limit) }
    let id = nextID
    nextID += 1
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: Continuation) in
        if Task.isCancelled {
          continuation.resume(returning: .failure(.neverBegun(Self.notSubmitted)))
        } else {
          let job = PendingJob(
            id: id, token: submission.token, group: submission.group, addedAt: clock.now)
          callers[id] = Caller(submission: submission, job: job, continuation: continuation)
          gate.add(job)
          proceed()
        }
      }
    } onCancel: {
      Task { await self.giveUp(id) }
    }
    return try result.get()
  }

  /// Notes that an attempt is over, so that there may be room for another one.
  func ended(_ token: AttemptToken) {
    gate.ended(token)
    proceed()
  }

  private static let notSubmitted = "it was not submitted"

  private func giveUp(_ id: Int) {
    guard let caller = callers.removeValue(forKey: id) else { return }
    if gate.remove(id) {
      caller.continuation.resume(returning: .failure(.neverBegun(Self.notSubmitted)))
      return
    }
    // The command goes on: its answer has the number by which the job is removed.
    caller.continuation.resume(returning: .failure(.cannotAsk("its submission was not answered")))
    for number in batches.keys { batches[number]?.remove(id) }
  }

  private func proceed() {
    while true {
      for job in gate.takeUninformed() {
        answer(job.id, .failure(.full(gate.limit ?? "")))
      }
      // They ask again, and the reason is shown in the meantime.
      let (delayed, reason) = gate.takeDelayed(at: clock.now)
      for job in delayed { answer(job.id, .failure(.full(reason))) }
      switch gate.next(at: clock.now) {
      case .submit(let jobs): begin(jobs)
      case .wait(let time): return wake(at: time)
      case .nothing: return
      }
    }
  }

  private func begin(_ jobs: [PendingJob]) {
    let submissions = jobs.compactMap { callers[$0.id]?.submission }
    for job in jobs { times.begin(job.token) }
    let number = nextID
    nextID += 1
    batches[number] = Set(jobs.map(\.id))
    Task {
      let answer =
        await submissions.first?.command(submissions) ?? .failure(.failure(.cannotAsk("")))
      end(jobs, answer, number)
    }
  }

  private func end(
    _ jobs: [PendingJob], _ answer: Result<[String], Submission.Refusal>, _ number: Int
  ) {
    for job in jobs { times.end(job.token, at: clock.now) }
    let wanted = batches.removeValue(forKey: number) ?? []
    let outcome = gate.note(Self.meaning(of: answer), to: jobs, wanted: wanted)
    if outcome == .isFinal {
      for (index, job) in jobs.enumerated() {
        switch answer {
        case .success(let numbers): self.answer(job.id, .success(numbers[index]))
        case .failure(.failure(let failure)): self.answer(job.id, .failure(failure))
        case .failure(.tooMany): self.answer(job.id, .failure(.cannotAsk("")))
        }
      }
      if case .failure(.failure(.full)) = answer {
        tryLater()
      } else {
        pause = GrowingDelay(from: .seconds(1))
      }
    }
    proceed()
  }

  private static func meaning(
    of answer: Result<[String], Submission.Refusal>
  ) -> SubmissionGate.Answer {
    switch answer {
    case .failure(.failure(.full(let text))): .full(text)
    case .failure(.tooMany): .tooMany
    case .success, .failure: .final
    }
  }

  private func answer(_ id: Int, _ result: Result<String, RunnerFailure>) {
    callers.removeValue(forKey: id)?.continuation.resume(returning: result)
  }

  private func wake(at time: Timestamp) {
    if let alarm, alarm.time <= time { return }
    alarm?.task.cancel()
    let task = Task { [clock] in
      guard (try? await clock.sleep(for: time - clock.now)) != nil else { return }
      alarm = nil
      proceed()
    }
    alarm = (time, task)
  }

  private func tryLater() {
    timer?.cancel()
    let time = pause.next(upTo: Self.pauseMax)
    timer = Task { [clock] in
      guard (try? await clock.sleep(for: time)) != nil else { return }
      gate.retry()
      proceed()
    }
  }
}
