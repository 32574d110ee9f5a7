// `NumberedJobs`: the jobs of a scheduler that knows them by numbers.

import Platform
import Reprise
import Synchronization

/// The jobs of a scheduler by their numbers, which are noted in the folders of attempts.
final class NumberedJobs: Scheduler {
  let scheduler: any JobScheduler
  private let attempts: String
  private let comparing: @Sendable (String) -> String
  /// The numbers of jobs, besides those that are noted in the folders of attempts.
  private let numbers = Mutex<[AttemptToken: String]>([:])
  /// The attempts that this engine has submitted.
  private let own = Mutex<Set<AttemptToken>>([])
  /// How many submissions of attempts were not answered, or are not yet.
  private let unanswered = Mutex<[AttemptToken: Int]>([:])
  /// The whole numbers by what is compared of them.
  private let whole = Mutex<[String: String]>([:])

  var name: String { scheduler.name }

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler.
  ///   - attempts: The folder of all attempts.
  ///   - comparing: Returns what is compared of a number.
  init(
    _ scheduler: any JobScheduler, attempts: String,
    comparing: @escaping @Sendable (String) -> String
  ) {
    (self.scheduler, self.attempts, self.comparing) = (scheduler, attempts, comparing)
  }

  /// The script of a job, in the folder of its attempt or array.
  static func script(in folder: String) -> String { folder + "/job.sh" }

  /// Notes that this engine submits an attempt: there may be a job whose number is not known.
  func noteSubmission(of token: AttemptToken) {
    own.withLock { _ = $0.insert(token) }
    unanswered.withLock { $0[token, default: 0] += 1 }
  }

  /// Notes that a submission will not be answered any more, also for an engine that comes after this one.
  func noteLackOfAnswer(to token: AttemptToken) {
    AttemptFolder(of: token, in: attempts).markAsOneOfSeveral()
  }

  /// Notes that a submission was answered: its number is known, or there is no job.
  func noteAnswer(to token: AttemptToken) {
    unanswered.withLock { $0[token] = $0[token].flatMap { $0 > 1 ? $0 - 1 : nil } }
  }

  /// Notes that a submission of an earlier engine was not answered, if so, alone or in an array.
  func noteIfUnanswered(_ token: AttemptToken, _ arrays: JobArrays?) {
    let folder = AttemptFolder(of: token, in: attempts)
    guard number(of: token) == nil, !own.withLock({ $0.contains(token) }), !folder.isSubmitted,
      folder.isOneOfSeveral || mayAccess(Self.script(in: folder.path), .existence)
        || arrays?.elements(of: token).isEmpty == false
    else { return }
    unanswered.withLock { $0[token] = max($0[token] ?? 0, 1) }
    noteLackOfAnswer(to: token)
  }

  /// Whether an attempt that is over may have another job than the one whose number is known.
  func isOneOfSeveral(_ token: AttemptToken) -> Bool {
    let folder = AttemptFolder(of: token, in: attempts)
    guard number(of: token) == nil else {
      return folder.isOneOfSeveral || unanswered.withLock { $0[token] != nil }
    }
    // It was one of the jobs without a number that ran.
    if folder.claim?.host != nil { noteAnswer(to: token) }
    return false
  }

  /// Forgets a run, which has ended.
  ///
  /// - Returns: How many of its submissions were not answered, in a sentence; nil if all were.
  func end(_ run: RunID) -> String? {
    own.withLock { own in own = own.filter { $0.run != run } }
    for token in numbers.withLock({ Array($0.keys) }) where token.run == run { drop(token) }
    let count = unanswered.withLock { unanswered in
      defer { unanswered = unanswered.filter { $0.key.run != run } }
      return unanswered.filter { $0.key.run == run }.values.reduce(0, +)
    }
    guard count > 0 else { return nil }
    return
      "\(count) submission\(count == 1 ? " was" : "s were") not answered by \(name): a job that is "
      + "there all the same ends at once when it starts"
  }

  /// Notes the number of a job, before anyone asks for it.
  ///
  /// In the folder as well: who has submitted it may be cancelled by now, and this engine die.
  func noteAnswer(_ number: String, to token: AttemptToken) {
    noteAnswer(to: token)
    AttemptFolder(of: token, in: attempts).markSubmitted(as: number)
    note(number, of: token)
  }

  private func note(_ number: String, of token: AttemptToken) {
    numbers.withLock { $0[token] = number }
    whole.withLock { $0[comparing(number)] = number }
  }

  /// Forgets the number of an attempt that is over.
  ///
  /// A number that could not be noted in the folder of the attempt is kept until the end of the run: the job of
  /// an attempt that was given up during its submission leaves the queue by it.
  func forget(_ token: AttemptToken) {
    guard !notedNumber(of: token).isEmpty else { return }
    drop(token)
  }

  private func drop(_ token: AttemptToken) {
    guard let number = numbers.withLock({ $0.removeValue(forKey: token) }) else { return }
    whole.withLock { $0[comparing(number)] = nil }
  }

  func key(of token: AttemptToken) -> String? { number(of: token).map(comparing) }

  /// The number of the job of an attempt; nil if none is known.
  func number(of token: AttemptToken) -> String? {
    if let number = numbers.withLock({ $0[token] }) { return number }
    let noted = notedNumber(of: token)
    guard !noted.isEmpty else { return nil }
    note(noted, of: token)
    return noted
  }

  private func notedNumber(of token: AttemptToken) -> String {
    AttemptFolder(of: token, in: attempts).submissionNote
  }

  func jobs(within limit: Duration) async throws(RunnerFailure) -> [String: [SchedulerJob]] {
    var jobs: [String: [SchedulerJob]] = [:]
    for var job in try await scheduler.jobs(within: limit) {
      let key = comparing(job.id)
      // The list may shorten numbers, which the command that removes jobs does not know.
      job.id = whole.withLock { $0[key] } ?? job.id
      if job.reason.isEmpty { job.reason = job.state }
      jobs[key, default: []].append(job)
    }
    return jobs
  }

  func cancel(_ jobs: [String], within limit: Duration) async -> String? {
    do throws(RunnerFailure) {
      try await scheduler.cancel(jobs, within: limit)
      return nil
    } catch {
      return error.description
    }
  }

  func removal(of jobs: [String]) -> String { scheduler.removal(of: jobs) }
}
