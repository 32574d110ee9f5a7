// A cluster in memory that is late, answers twice, forgets, lies and is cut off, by a seed.

import Reprise
import Synchronization
import TestSupport

/// A runner of attempts that exist only as numbers, on a cluster that fails in every way.
final class FakeCluster: Runner {
  /// What went wrong so far.
  struct Record: Sendable {
    /// The steps with an attempt that runs, each with its token.
    var alive: [String: AttemptToken] = [:]
    /// Attempts of a step that ran while another one of it did.
    var overlaps: [String] = []
    /// How often each token was launched.
    var launches: [AttemptToken: Int] = [:]
    var cannotAskCount = 0
    /// When questions came, for how often a cluster that is away is asked.
    var questions: [Timestamp] = []
  }

  /// What a cluster does besides failing now and then.
  enum Fault: Sendable, Equatable {
    case none
    /// It takes at most this number of attempts at a time.
    case limit(Int)
    /// Its policy refuses every attempt.
    case policy
    /// No connection to it was ever made.
    case unreachable
    /// It takes attempts, and no answer of it ever arrives.
    case silent
  }

  fileprivate struct Job {
    var step: String
    var fails: Bool
    var claim: Claim?
    var result: AttemptResult?
    var isWanted = true
    /// The number of looks until it is launched, and then until it ends.
    var queueTime: Int
    var runTime: Int
  }

  fileprivate enum Claim {
    case host, engine
  }

  private struct State {
    var random: SeededGenerator
    var jobs: [AttemptToken: Job] = [:]
    var record = Record()
  }

  private let state: Mutex<State>
  private let fault: Fault
  let survivesEngine = true
  /// An attempt that no engine asks for ends there on its own.
  let orphanAfter: Duration?

  init(seed: UInt64, fault: Fault = .none) {
    state = Mutex(State(random: SeededGenerator(seed: seed)))
    self.fault = fault
    orphanAfter = fault == .silent ? .milliseconds(100) : nil
  }

  var record: Record { state.withLock { $0.record } }

  /// Fails now and then, as if the cluster could not be reached.
  private func mayFail(_ percent: Int) throws(RunnerFailure) {
    state.withLock { $0.record.questions.append(SystemClock().now) }
    if fault == .unreachable { throw .neverBegun("no route to the cluster") }
    if fault == .silent { throw .cannotAsk("the cluster is silent") }
    let fails = state.withLock { state in
      guard Int.random(in: 0..<100, using: &state.random) < percent else { return false }
      state.record.cannotAskCount += 1
      return true
    }
    if fails { throw .cannotAsk("the cluster does not answer") }
  }

  func begin(
    _ spec: AttemptSpec, token: AttemptToken
  ) async throws(RunnerFailure) -> any RunnerHandle {
    try mayFail(15)
    if fault == .policy { throw .refused("Invalid account") }
    if case .limit(let count) = fault {
      let active = state.withLock { state in
        state.jobs.values.count { $0.result == nil && $0.claim != .engine }
      }
      let isKnown = state.withLock { $0.jobs[token] != nil }
      if active >= count, !isKnown { throw .full("QOSMaxSubmitJobPerUserLimit") }
    }
    state.withLock { state in
      guard state.jobs[token] == nil else { return }
      state.jobs[token] = Job(
        step: spec.environment["REPRISE_STEP_ID"] ?? "", fails: spec.command == ["fail"],
        queueTime: Int.random(in: 0...4, using: &state.random),
        runTime: Int.random(in: 1...6, using: &state.random))
    }
    // Submitted, but the answer is lost: the next question finds it.
    try mayFail(15)
    return Handle(token: token, cluster: self)
  }

  func find(_ token: AttemptToken) async throws(RunnerFailure) -> (any RunnerHandle)? {
    try mayFail(20)
    return state.withLock { $0.jobs[token] != nil } ? Handle(token: token, cluster: self) : nil
  }

  func look(
    _ tokens: [AttemptToken]
  ) async throws(RunnerFailure) -> [AttemptToken: AttemptSight] {
    try mayFail(20)
    var sights: [AttemptToken: AttemptSight] = [:]
    for token in tokens { sights[token] = advance(token) }
    return sights
  }

  /// Lets some time pass for an attempt, and says what is seen of it.
  fileprivate func advance(_ token: AttemptToken) -> AttemptSight {
    state.withLock { state in
      guard var job = state.jobs[token] else { return .gone }
      defer { state.jobs[token] = job }
      if job.result != nil { return .ended }
      if job.claim == .engine { return .gone }
      if job.claim == nil {
        job.queueTime -= 1
        guard job.queueTime < 0 else {
          return Bool.random(using: &state.random) ? .queued("Priority") : .unknown("forgotten")
        }
        // Launched twice now and then; the claim lets one of them run.
        state.record.launches[token, default: 0] += 1
        job.claim = .host
        if let other = state.record.alive[job.step], other != token {
          state.record.overlaps.append(job.step)
        }
        state.record.alive[job.step] = token
      }
      job.runTime -= 1
      if job.runTime < 0 || !job.isWanted && Bool.random(using: &state.random) {
        state.record.alive[job.step] = nil
        job.result =
          !job.isWanted ? .stopped : job.fails ? .failed(.exited(status: 1)) : .succeeded([:])
        return .ended
      }
      return .running(host: "n\(job.runTime)")
    }
  }

  fileprivate func stop(_ token: AttemptToken) throws(RunnerFailure) {
    try mayFail(30)
    state.withLock { state in
      guard state.jobs[token]?.claim == nil else {
        state.jobs[token]?.isWanted = false
        return
      }
      state.jobs[token]?.claim = .engine
    }
  }

  fileprivate func result(of token: AttemptToken) -> AttemptResult? {
    state.withLock { $0.jobs[token]?.result }
  }

  /// News of one attempt: what a look shows, told late and now and then twice, until it is cut off.
  private actor News {
    let token: AttemptToken
    let cluster: FakeCluster
    private var pending: [AttemptNews] = []
    private var hasEnded = false

    init(token: AttemptToken, cluster: FakeCluster) {
      self.token = token
      self.cluster = cluster
    }

    func next() async throws -> MarkedNews? {
      while pending.isEmpty {
        if hasEnded { return nil }
        try cluster.mayFail(10)
        await Task.yield()
        switch cluster.advance(token) {
        case .queued(let text): pending = [.queued(text), .queued(text)]
        case .running(let host): pending = [.started(host: host), .progress(0.5, "")]
        case .ended:
          pending = [.started(host: "n"), .ended(cluster.result(of: token) ?? .stopped)]
          hasEnded = true
        case .gone: return nil
        case .unknown: break
        }
      }
      return MarkedNews(pending.removeFirst(), next: OutputMark())
    }
  }

  private struct Handle: RunnerHandle {
    let token: AttemptToken
    let cluster: FakeCluster

    func news(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error> {
      let news = News(token: token, cluster: cluster)
      return AsyncThrowingStream { try await news.next() }
    }

    func stop(grace: Duration) async throws(RunnerFailure) { try cluster.stop(token) }

    func isGone() async throws(RunnerFailure) -> Bool {
      try cluster.mayFail(20)
      switch cluster.advance(token) {
      case .ended, .gone: return true
      case .queued, .running, .unknown: return false
      }
    }

    func abandon() async throws(RunnerFailure) {}
  }
}

/// A clock on which pauses are a thousand times shorter.
struct HurryingClock: RunClock {
  var now: Timestamp { SystemClock().now }

  func sleep(for duration: Duration) async throws {
    try await SystemClock().sleep(for: duration / 1000)
  }
}

/// The kind of runner `fake`, of a cluster that is found by the number of its seed.
struct FakeRunner: RunnerKind {
  static let name = "fake"
  static let clusters = Mutex<[Int: FakeCluster]>([:])

  let cluster: Int
  var lostAfter: Duration?
  /// Whether pauses last as long as they say.
  var isPatient: Bool?

  func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    guard let cluster = Self.clusters.withLock({ $0[cluster] }) else {
      throw .notStarted("there is no such cluster")
    }
    var surroundings = surroundings
    if isPatient != true { surroundings.clock = HurryingClock() }
    return RunnerExecutor(cluster, named: name, in: surroundings, lostAfter: lostAfter)
  }
}
