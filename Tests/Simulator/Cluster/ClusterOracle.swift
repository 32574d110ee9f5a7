// The oracle of a simulated cluster: compares what ran there with what the record of the run says.

import Reprise
import RepriseRunners
import WorkflowFiles

/// Checks that each attempt runs at most once, alone, and that its end is recorded as it was.
// @unchecked: a simulation runs on one thread.
final class ClusterOracle: @unchecked Sendable {
  /// How an attempt ended where it ran.
  enum End: Equatable {
    case success
    case exit(Int)
    /// The step was killed there, and its host was not.
    case killed
    case stopped
    /// Something else than the step has ended it, for this reason.
    case cause(LossCause?)
  }

  private struct Attempt {
    var job = ""
    var beganAt: Int64
    var end: End?
    var endedAt: Int64 = 0
    var recordedEnds = 0
  }

  private let scenario: ClusterScenario
  private let isVerbose: Bool
  private let scheduler: Scheduler
  private(set) var failure: Failure?
  private var attempts: [AttemptToken: Attempt] = [:]
  /// The attempts that run, by step.
  private var alive: [String: AttemptToken] = [:]
  /// The attempts that the record says are in progress, by the id of the step.
  private var current: [String: AttemptToken] = [:]
  /// When the record said first that an attempt waits for the cluster.
  private var queuedAt: [AttemptToken: Int64] = [:]
  /// For what the cluster has ended the jobs of an attempt, also after the end of the attempt itself.
  private var jobCauses: [AttemptToken: Set<LossCause>] = [:]
  /// The times of the requests that stop steps.
  private var requests: [Int64] = []
  private var submittedAt: Int64?
  /// The times of the last submissions that found the queue full.
  private var refusals: [Int64] = []
  /// The largest number of them in a second: some are on their way at once, an array is tried in parts, and
  /// the end of a job makes room.
  private static let refusalsMax = 25
  private(set) var hasEnded = false
  private(set) var notices: [String] = []
  private(set) var outcome: RunOutcome?
  private(set) var eventCount = 0
  private(set) var counts = Counts()

  /// How often what happened.
  struct Counts: Equatable {
    var submissions = 0
    var jobs = 0
    var lists = 0
    var begun = 0
    var lost = 0
    var generations = 0
  }

  init(_ scenario: ClusterScenario, _ scheduler: Scheduler, isVerbose: Bool) {
    (self.scenario, self.scheduler, self.isVerbose) = (scenario, scheduler, isVerbose)
  }

  func print(_ text: @autoclosure () -> String, then work: () -> Void = {}) {
    if isVerbose { Swift.print("[\(Double(scheduler.now) / 1e6) s] \(text())") }
    work()
  }

  func fail(_ oracle: String, _ message: String) {
    guard failure == nil else { return }
    failure = Failure(oracle: oracle, message: message)
  }

  func check(_ condition: Bool, _ oracle: String, _ message: @autoclosure () -> String) {
    if !condition { fail(oracle, message()) }
  }

  // MARK: The cluster

  /// Notes that a command that submits begins.
  func submits(at now: Int64) {
    counts.submissions += 1
    if let submittedAt {
      check(
        now - submittedAt >= Int64(scenario.submitEvery) * 1000 - 1000, "pace",
        "two submissions within \(now - submittedAt) µs")
    }
    submittedAt = now
  }

  /// Notes that a submission finds the queue full.
  func refusesFull(at now: Int64) {
    refusals = refusals.filter { now - $0 < 1_000_000 } + [now]
    let count = refusals.count
    check(count <= Self.refusalsMax, "storm", "\(count) submissions to a full queue")
  }

  /// Notes that a list is asked for.
  func listed(at now: Int64) { counts.lists += 1 }

  /// Notes a job that was added to the queue.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - active: The number of jobs in the queue of attempts that are wanted.
  func submitted(_ job: ClusterJob, active: Int) {
    print("job \(job.id) is \(job.token)")
    counts.jobs += 1
    guard let most = scenario.maxParallel, !scenario.cluster.lies else { return }
    check(active <= most, "max-parallel", "\(active) jobs are in the queue, \(most) may be")
  }

  func began(_ token: AttemptToken, job: String, at now: Int64) {
    print("\(token) begins in the job \(job)")
    counts.begun += 1
    check(!hasEnded, "end", "\(token) begins although its run has ended")
    check(attempts[token] == nil, "twice", "\(token) begins twice")
    if let other = alive[token.step] {
      fail("overlap", "\(token) begins while \(other) runs")
    }
    if let mutex = mutex(of: token),
      let other = alive.values.first(where: { self.mutex(of: $0) == mutex })
    {
      fail("mutex", "\(token) begins while \(other) holds its mutex")
    }
    alive[token.step] = token
    attempts[token] = Attempt(job: job, beganAt: now)
  }

  private func mutex(of token: AttemptToken) -> String? {
    scenario.steps.first { $0.id == token.step.prefix { $0 != "-" } }?.mutex
  }

  func ended(_ token: AttemptToken, _ end: End, at now: Int64) {
    print("\(token) ends: \(end)")
    alive[token.step] = nil
    attempts[token]?.end = end
    attempts[token]?.endedAt = now
  }

  /// Notes that a job of an attempt is in another state, perhaps ended for a reason.
  func changed(_ token: AttemptToken, to state: ClusterJob.State) {
    if let cause = state.cause { jobCauses[token, default: []].insert(cause) }
  }

  // MARK: The record

  func requested() { requests.append(scheduler.now) }

  /// The run is cancelled without an engine, which does not ask how its attempts have ended.
  func cancelledWithoutEngine() { requests.append(0) }

  /// The engine has died, and the next one may submit at once.
  func crashed() { submittedAt = nil }

  func receive(_ event: Event) {
    eventCount += 1
    print("  event \(event.generation): \(event.kind)")
    switch event.kind {
    case .runNotice(let text): notices.append(text)
    case .generationStarted: counts.generations += 1
    case .runEnded(let outcome):
      self.outcome = outcome
      hasEnded = true
    case .runResumed: hasEnded = false
    case .step(let id, _, let step): receive(step, of: id)
    default: break
    }
  }

  private func receive(_ event: Event.StepEvent, of id: String) {
    switch event {
    case .queued(let place, _):
      current[id] = AttemptToken(place.token)
      if let token = current[id], queuedAt[token] == nil { queuedAt[token] = scheduler.now }
    case .succeeded:
      over(id) { token, attempt in
        check(
          attempt?.end == .success, "success",
          "the success of \(token) is recorded, which has ended as \(said(attempt))")
      }
    case .failed(let reason), .retrying(let reason, _):
      over(id) { token, attempt in compare(reason, token, attempt) }
    case .cancelled:
      over(id) { token, attempt in
        guard let attempt, attempt.end == .success else { return }
        // The request may have been on its way when the attempt began.
        let since = queuedAt[token] ?? attempt.beganAt
        check(
          requests.contains { $0 == 0 || $0 >= since }, "lost success",
          "\(token) has succeeded, and is recorded as cancelled, though no one has asked for it")
      }
    default: break
    }
  }

  private func said(_ attempt: Attempt?) -> String {
    guard let attempt else { return "never begun" }
    return attempt.end.map { "\($0)" } ?? "still running"
  }

  /// Notes that the record says that the attempt of a step in progress is over.
  private func over(_ id: String, _ compare: (AttemptToken, Attempt?) -> Void) {
    guard let token = current.removeValue(forKey: id) else { return }
    check(
      alive[token.step] != token, "runs on", "the end of \(token) is recorded while it runs")
    attempts[token]?.recordedEnds += 1
    compare(token, attempts[token])
  }

  /// Whether the scheduler can say what has ended each job when it is asked.
  private var isTruthful: Bool {
    // Without a number, no one can ask for a job; and one that ends before lists show it is not waited for.
    guard !scenario.cluster.lies, scenario.cluster.showsAfter == 0,
      scenario.cluster.isSlurm || scenario.cluster.lostAnswers == 0,
      scenario.cluster.accounts == .complete || scenario.cluster.memory >= 300
    else { return false }
    return scenario.moments.allSatisfy { moment in
      switch moment.action {
      case .away, .forgets, .crash: false
      case .restart, .restartFrom, .cancel, .cancelStep, .strike, .nodeFails: true
      }
    }
  }

  private func compare(_ reason: FailureReason, _ token: AttemptToken, _ attempt: Attempt?) {
    func fails(_ text: String) {
      fail("reason", "\(token) has ended as \(said(attempt)), and \(text): \(reason)")
    }
    // What the cluster has said of its job since is true, too.
    func isKnown(_ cause: LossCause?) -> Bool {
      reason.lossCause == cause
        || reason.lossCause.map { jobCauses[token]?.contains($0) == true } ?? false
    }
    if case .lost = reason { counts.lost += 1 }
    guard let attempt, let end = attempt.end else {
      if attempt == nil, case .notStarted = reason { return }
      if attempt == nil, case .lost = reason { return }
      return fails("the record says")
    }
    switch end {
    case .success: fail("lost success", "\(token) has succeeded, and is recorded as: \(reason)")
    case .exit(let status):
      if reason != .exited(status: status) { fails("the record says") }
    case .killed, .stopped:
      // Its own end was not asked for from outside of the run, but the cluster may have ended its job.
      if !isKnown(nil) { fails("the record says") }
    case .cause(let cause):
      let isKnown = isKnown(cause)
      if case .lost = reason {
      } else if cause != .outOfMemory || isTruthful {
        fails("the record says")
      }
      if !isKnown, isTruthful || reason.lossCause != nil { fails("the cause is recorded as") }
    }
  }

  // MARK: The end

  /// Checks what must hold when the run is over.
  ///
  /// - Parameter left: The jobs that are in the queue.
  func finish(left: [ClusterJob]) {
    check(alive.isEmpty, "end", "attempts run when the run is over: \(alive.values.map(\.text))")
    for (token, attempt) in attempts where attempt.recordedEnds != 1 {
      fail("ends", "the record has \(attempt.recordedEnds) ends of \(token)")
    }
    if isAnswering {
      check(
        !notices.contains { $0.contains("submission") }, "notice",
        "all submissions were answered, and it says \(notices)")
    }
    guard !scenario.cluster.lies, !left.isEmpty else { return }
    // Some may have left since it was said.
    let said = notices.reduce(0) { $0 + Self.count(in: $1) }
    check(
      said >= left.count, "left",
      "\(left.count) jobs are in the queue when the run is over: "
        + "\(left.map { "\($0.id) \($0.token)" }); it says \(notices)")
  }

  /// Whether all submissions are answered, unless their command is killed with its engine.
  private var isAnswering: Bool {
    scenario.cluster.lostAnswers == 0
      && scenario.moments.allSatisfy { moment in
        switch moment.action {
        case .away, .crash: false
        case .forgets, .restart, .restartFrom, .cancel, .cancelStep, .strike, .nodeFails: true
        }
      }
  }

  /// How many jobs a notice says may be left.
  private static func count(in notice: String) -> Int {
    let counts = notice.matches(of: /([0-9]+) (?:cancelled job|more may be|submission)/)
    return counts.reduce(0) { $0 + (Int($1.1) ?? 0) }
  }
}
