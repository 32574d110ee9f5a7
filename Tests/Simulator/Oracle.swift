// The oracles: what must hold in every run, checked on the events and on what the executor saw, in the
// order in which both happened. Written without the engine's graph, slots or state.

import Reprise

/// What a simulation found to be wrong.
public struct Failure: Error, Codable, Sendable, Equatable {
  /// The name of the oracle.
  public var oracle: String
  /// What it saw.
  public var message: String

  /// Names a failure.
  public init(oracle: String, message: String) {
    self.oracle = oracle
    self.message = message
  }
}

/// Follows a run and remembers the first thing that is wrong.
// @unchecked: a simulation runs on one thread.
final class Oracle: @unchecked Sendable {
  enum Status {
    case pending, ready, running, succeeded, skipped, failed, cancelled

    var isFinal: Bool {
      switch self {
      case .pending, .ready, .running: false
      case .succeeded, .skipped, .failed, .cancelled: true
      }
    }

    var isUnderWay: Bool { self == .ready || self == .running }
  }

  enum Phase {
    case notStarted, running, restarting, cancelling, ended
  }

  struct Step {
    var status = Status.pending
    var attempt = 0
    var outputs: StepOutputs = [:]
    var readyAt: Int64 = 0
    var awaitsApproval = false
    /// The number of the event of its success among those that are recorded.
    var successNumber = 0
  }

  /// An attempt that the executor carries out.
  struct Attempt {
    let step: Int
    let generation: Int
    let startedAt: Int64
  }

  /// Something that was asked of the run.
  enum Request {
    case restart, cancel, kill
  }

  /// What the executor saw, until the events before it have come.
  struct Note {
    enum Kind {
      case started(token: Int, Attempt, attempt: Int, inputs: [String: StepOutputs], durable: Int)
      case ended(token: Int)
    }

    let time: Int64
    let kind: Kind
  }

  let plan: PlanModel
  let maxParallel: Int
  /// Whether the end of a run may be what cannot be recorded.
  let fillsDisk: Bool
  private(set) var failure: Failure?

  var steps: [Step]
  var phase = Phase.notStarted
  var generation = 0
  var lastTime = Int64.min
  var lastRelease = Int64.min
  /// When a step with slots started last.
  var lastStart = Int64.min
  /// Steps that must not start: they are being stopped.
  var blocked: Set<Int> = []
  var isResuming = false
  var wasStopped = false
  var runID: RunID?
  var outcome: RunOutcome?
  /// How many events were recorded or should have been, output apart.
  var recordedCount = 0
  /// When the run ended.
  var endTime: Int64?
  var endNumber = 0
  var alive: [Int: Attempt] = [:]
  var aliveOfStep: [Int: Int] = [:]
  var notes: [Note] = []
  var notesRead = 0
  /// Successes that are promised to be durable and were not reset by a restart, across crashes.
  var durableSuccesses: Set<Int> = []
  var isResumeAcknowledged = false
  /// What was asked of the run while it could be done, until it ends.
  var requests: [(request: Request, time: Int64)] = []
  /// When the last generation started or the last cancel was decided.
  var lastSteered = Int64.min
  var everFailed: Set<String> = []
  /// For how many microseconds the disk may hold up the driver of the run.
  let slack: Int64
  /// The engine's own fold of all events, for what it is compared with.
  var folded = RunState()
  var eventCount = 0

  init(_ scenario: Scenario) {
    plan = PlanModel(scenario)
    maxParallel = scenario.maxParallel ?? Engine.defaultMaxParallel
    steps = Array(repeating: Step(), count: plan.steps.count)
    let listenerBlocks = scenario.moments.contains { moment in
      if case .listen(let listener) = moment.action { listener.blocks > 0 } else { false }
    }
    // A thread of the disk that is blocked goes on only after one that was blocked later.
    fillsDisk = scenario.moments.contains { $0.action == .diskFull }
    slack = listenerBlocks ? .max / 2 : 100_000 + Int64(scenario.disk.delay) * 400_000
  }

  func fail(_ oracle: String, _ message: @autoclosure () -> String) {
    guard failure == nil else { return }
    failure = Failure(oracle: oracle, message: message())
  }

  func check(_ condition: Bool, _ oracle: String, _ message: @autoclosure () -> String) {
    if !condition { fail(oracle, message()) }
  }

  func name(_ position: Int) -> String { plan.steps[position].id }

  // MARK: Crashes

  /// The process has died; this is what the disk holds.
  func crash(durable: [Event]) {
    // What was decided before and is durable counts, also when it was not delivered any more.
    for event in durable.dropFirst(recordedCount) { receive(event) }
    notes = []
    notesRead = 0
    alive = [:]
    aliveOfStep = [:]
    requests = []
    replay(durable)
  }

  /// Starts again from recorded events, without checks: they were checked before.
  private func replay(_ durable: [Event]) {
    let remembered = failure
    steps = Array(repeating: Step(), count: plan.steps.count)
    phase = .notStarted
    generation = 0
    recordedCount = 0
    lastTime = .min
    blocked = []
    isResuming = false
    wasStopped = false
    outcome = nil
    folded = RunState()
    let isChecking = checksReplays
    checksReplays = false
    for event in durable { receive(event) }
    checksReplays = isChecking
    failure = remembered
  }

  /// False while recorded events are replayed.
  var checksReplays = true
}
