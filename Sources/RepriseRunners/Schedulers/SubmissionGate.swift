// `SubmissionGate`: decides which jobs are submitted next, and which of them together.

import ChildProcesses
import Reprise

/// A job that waits for its submission.
struct PendingJob: Sendable, Equatable {
  /// Its place in the order of arrival.
  let id: Int
  let token: AttemptToken
  /// What the jobs that may be submitted together have in common; nil for a job alone.
  let group: String?
  let addedAt: Timestamp
}

/// The order of submissions: a few at a time, equal jobs together as an array, and as many as there is room
/// for while the queue is full.
///
/// A pure value: its inputs are what happens, and when; its answers are what to do.
struct SubmissionGate {
  enum Next: Equatable {
    /// Submit these together.
    case submit([PendingJob])
    /// Ask again at this time.
    case wait(until: Timestamp)
    /// Ask again after something has happened.
    case nothing
  }

  /// What the scheduler has said of a submission, as far as it matters here.
  enum Answer: Equatable {
    /// It took the jobs, or will never take them, or its answer is unknown.
    case final
    /// It takes no more jobs now, for this reason.
    case full(String)
    /// It does not take so many as one array.
    case tooMany
  }

  /// What follows from an answer.
  enum Outcome: Equatable {
    case isFinal
    /// The jobs wait again, to be submitted in smaller numbers.
    case again
  }

  private static let inFlightMax = 4
  private static let arraySizeMax = 1000
  /// Equal jobs that arrive within this time after each other are submitted together.
  private static let collectTime = Duration.milliseconds(50)
  /// How long the first of them waits for others.
  private static let collectTimeMax = Duration.seconds(1)
  /// A wait for a turn that is as long as this is shown.
  private static let shownWaitMin = Duration.seconds(1)

  private let pace: Duration
  /// When the next submission may begin.
  private var nextAt: Timestamp?
  private var inFlight = 0
  /// The groups of which some are being submitted: on a slow machine, more arrive in the meantime.
  private var groupsInFlight: Set<String> = []
  /// Those that wait, by group, in the order of arrival; each job alone under the empty name.
  private var waiting: [String: [PendingJob]] = [:]
  /// How many jobs an array may have, as far as the scheduler has said.
  private var arrayMax = SubmissionGate.arraySizeMax
  /// The same while it is tried how much room there is.
  private var batchMax = SubmissionGate.arraySizeMax
  /// Why the queue is full; nil if it is not.
  private(set) var limit: String?
  /// How many jobs may be tried although it was full.
  private var credit = 0
  /// The attempts that know why they wait.
  private var informed: Set<AttemptToken> = []
  /// Those that know that they wait for their turn.
  private var informedOfPace: Set<AttemptToken> = []

  /// Creates the value.
  ///
  /// - Parameter pace: The shortest time between two submissions.
  init(every pace: Duration) { self.pace = pace }

  /// Returns why an attempt must wait for a full queue, for the first time; nil if it need not, or knows.
  mutating func refusal(of token: AttemptToken) -> String? {
    guard let limit, informed.insert(token).inserted else { return nil }
    return limit
  }

  mutating func add(_ job: PendingJob) { waiting[job.group ?? "", default: []].append(job) }

  /// Removes a job that waits no longer.
  ///
  /// - Returns: Whether it did wait.
  mutating func remove(_ id: Int) -> Bool {
    for (group, jobs) in waiting {
      guard let index = jobs.firstIndex(where: { $0.id == id }) else { continue }
      waiting[group]?.remove(at: index)
      if jobs.count == 1 { waiting[group] = nil }
      return true
    }
    return false
  }

  /// Removes those that do not know yet that they wait for a full queue.
  mutating func takeUninformed() -> [PendingJob] {
    guard limit != nil else { return [] }
    var taken: [PendingJob] = []
    for (group, jobs) in waiting {
      let new = jobs.filter { informed.insert($0.token).inserted }
      guard !new.isEmpty else { continue }
      taken += new
      let rest = jobs.filter { !new.contains($0) }
      waiting[group] = rest.isEmpty ? nil : rest
    }
    return taken
  }

  /// Removes those whose turn comes late by the pace, and that do not know that yet.
  ///
  /// - Parameter now: The time.
  /// - Returns: They, and why they wait.
  mutating func takeDelayed(at now: Timestamp) -> (jobs: [PendingJob], reason: String) {
    guard pace != .zero, limit == nil else { return ([], "") }
    var turn = max(nextAt ?? now, now)
    var delayed: [PendingJob] = []
    for jobs in waitingSubmissions {
      if turn - now >= Self.shownWaitMin {
        delayed += jobs.filter { informedOfPace.insert($0.token).inserted }
      }
      turn = turn.advanced(by: pace)
    }
    for job in delayed { _ = remove(job.id) }
    return (delayed, "at most one submission every \(durationText(pace)) (submit-every)")
  }

  /// The jobs that wait, those of one submission together, in the order of arrival.
  private var waitingSubmissions: [[PendingJob]] {
    let alone = (waiting[""] ?? []).map { [$0] }
    return (alone + waiting.filter { !$0.key.isEmpty }.map(\.value))
      .sorted { $0[0].id < $1[0].id }
  }

  /// Takes the jobs that are submitted next.
  mutating func next(at now: Timestamp) -> Next {
    guard !waiting.isEmpty else { return .nothing }
    if let nextAt, now < nextAt { return .wait(until: nextAt) }
    if limit == nil, inFlight >= Self.inFlightMax { return .nothing }
    if limit != nil, inFlight > 0 || credit == 0 { return .nothing }
    let countMax = max(1, limit == nil ? batchMax : min(batchMax, credit))
    var first: (group: String, id: Int)?
    var wakesAt: Timestamp?
    for (group, jobs) in waiting where !groupsInFlight.contains(group) {
      let time = dueTime(of: jobs, group, upTo: countMax)
      if time > now {
        wakesAt = wakesAt.map { min($0, time) } ?? time
      } else if first.map({ jobs[0].id < $0.id }) ?? true {
        first = (group, jobs[0].id)
      }
    }
    guard let first else { return wakesAt.map { .wait(until: $0) } ?? .nothing }
    return .submit(take(first.group.isEmpty ? 1 : countMax, of: first.group, at: now))
  }

  private func dueTime(
    of jobs: [PendingJob], _ group: String, upTo countMax: Int
  ) -> Timestamp {
    guard !group.isEmpty, jobs.count < countMax else { return jobs[0].addedAt }
    return min(
      jobs[0].addedAt.advanced(by: Self.collectTimeMax),
      jobs[jobs.count - 1].addedAt.advanced(by: Self.collectTime))
  }

  private mutating func take(_ count: Int, of group: String, at now: Timestamp) -> [PendingJob] {
    let jobs = waiting[group] ?? []
    let taken = Array(jobs.prefix(count))
    waiting[group] = taken.count == jobs.count ? nil : Array(jobs.dropFirst(taken.count))
    inFlight += 1
    if !group.isEmpty { groupsInFlight.insert(group) }
    if limit != nil { credit -= taken.count }
    if pace > .zero { nextAt = now.advanced(by: pace) }
    return taken
  }

  /// Notes the answer to a submission.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - submitted: The jobs.
  ///   - wanted: The ids of those that are still wanted.
  /// - Returns: What follows.
  mutating func note(
    _ answer: Answer, to submitted: [PendingJob], wanted: Set<Int>
  ) -> Outcome {
    let (count, jobs) = (submitted.count, submitted.filter { wanted.contains($0.id) })
    inFlight -= 1
    if let group = submitted.first?.group { groupsInFlight.remove(group) }
    switch answer {
    case .tooMany where count > 1:
      arrayMax = min(arrayMax, max(1, count / 2))
      batchMax = min(batchMax, arrayMax)
      if limit != nil { credit += count }
      putBack(jobs)
      return .again
    case .full where count > 1:
      // There may be room for some.
      batchMax = min(batchMax, max(1, count / 2))
      if limit != nil { credit = max(credit, batchMax) }
      putBack(jobs)
      return .again
    case .full(let text):
      if limit == nil { credit = 0 }
      limit = text
      for job in jobs { informed.insert(job.token) }
    case .final, .tooMany:
      // There was room for these, so perhaps for another one.
      if limit != nil { credit = max(credit, 1) }
      if waiting.isEmpty { (limit, batchMax) = (nil, arrayMax) }
    }
    return .isFinal
  }

  private mutating func putBack(_ jobs: [PendingJob]) {
    guard let first = jobs.first else { return }
    waiting[first.group ?? "", default: []].insert(contentsOf: jobs, at: 0)
  }

  /// Notes that an attempt is over, so that there may be room for another one.
  mutating func ended(_ token: AttemptToken) {
    informed.remove(token)
    informedOfPace.remove(token)
    if limit != nil { (credit, batchMax) = (credit + 1, arrayMax) }
  }

  /// Notes that the queue has been full for a while, so that one job may be tried.
  mutating func retry() {
    if limit != nil { credit = max(credit, 1) }
  }
}
