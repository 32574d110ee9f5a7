// The oracles: what must hold in every run, checked on the events and on the notes of the executor,
// in the order in which both happened. Written without the engine's graph, slots or state.

import Reprise

/// A problem that a simulation has found.
public struct Failure: Error, Codable, Sendable, Equatable {
  /// The name of the oracle.
  public var oracle: String
  /// The description of the problem.
  public var message: String

  /// Creates a failure.
  public init(oracle: String, message: String) {
    self.oracle = oracle
    self.message = message
  }
}

/// Follows a run and records the first problem.
// @unchecked: a simulation runs on one thread.
final class Oracle: @unchecked Sendable {
  enum Status {
    case pending, waiting, running, succeeded, skipped, failed, cancelled

    var isFinal: Bool {
      switch self {
      case .pending, .waiting, .running: false
      case .succeeded, .skipped, .failed, .cancelled: true
      }
    }

    var isActive: Bool { self == .waiting || self == .running }
  }

  enum Phase {
    case notStarted, running, restarting, cancelling, ended
  }

  struct Step {
    var status = Status.pending
    var attempt = 0
    var outputs: StepOutputs = [:]
    var waitingSince: Int64 = 0
    var awaitsApproval = false
    /// The number of the success event of the step among the recorded events.
    var successNumber = 0
  }

  /// An attempt that the executor runs.
  struct Attempt {
    let step: Int
    let generation: Int
    let startedAt: Int64
  }

  /// A request to the run.
  enum Request {
    case restart, cancel, kill
  }

  /// A note of the executor, kept until the earlier events have arrived.
  struct Note {
    enum Kind {
      case started(token: Int, Attempt, attempt: Int, inputs: [String: StepOutputs], durable: Int)
      case ended(token: Int)
    }

    let time: Int64
    let kind: Kind
  }

  let plan: PlanModel
  /// Checks the steps of a tree of groups, if the scenario has one.
  private(set) var forest: ForestOracle?
  let maxParallel: Int
  /// Whether the disk may be full when the run ends.
  let fillsDisk: Bool
  private(set) var failure: Failure?

  var steps: [Step]
  var phase = Phase.notStarted
  var generation = 0
  var lastTime = Int64.min
  var lastRelease = Int64.min
  /// The time of the last start of a step with a slot.
  var lastStart = Int64.min
  /// Steps that must not start, because they are being stopped.
  var blocked: Set<Int> = []
  /// The steps of restarts that have not begun a generation yet.
  var promised: Set<Int> = []
  var isResuming = false
  /// The steps of computed items that are running.
  var runningComputed: Set<String> = []
  /// The time at which the run was paused, if it is paused.
  var pausedAt: Int64?
  var wasStopped = false
  var runID: RunID?
  var outcome: RunOutcome?
  /// The number of events that were recorded, or should have been, without output.
  var recordedCount = 0
  /// The time at which the run ended.
  var endTime: Int64?
  var endNumber = 0
  var alive: [Int: Attempt] = [:]
  var aliveOfStep: [Int: Int] = [:]
  var notes: [Note] = []
  var notesRead = 0
  /// Successes that were acknowledged as durable and not reset by a restart, across crashes.
  var durableSuccesses: Set<Int> = []
  /// The same as ``promised``, by the events that must survive a crash.
  var acknowledgedRestart: Set<Int> = []
  var isResumeAcknowledged = false
  /// The requests that the run could act on when they were made, until it ends.
  var requests: [(request: Request, time: Int64)] = []
  /// The time of the last start of a generation or of the last cancel.
  var lastSteered = Int64.min
  var everFailed: Set<String> = []
  /// The steps that were ever cancelled on request.
  var wereCancelled: Set<String> = []
  /// The number of microseconds for which the disk may delay the driver of the run.
  let slack: Int64
  /// The engine's own fold of all events, for comparisons.
  var folded = RunState()
  var eventCount = 0

  init(_ scenario: Scenario) {
    plan = PlanModel(scenario)
    maxParallel = scenario.maxParallel ?? Engine.defaultMaxParallel
    steps = Array(repeating: Step(), count: plan.steps.count)
    let listenerBlocks = scenario.moments.contains { moment in
      if case .listen(let listener) = moment.action { listener.blocks > 0 } else { false }
    }
    // A blocked thread of the disk continues only after a thread that was blocked later.
    fillsDisk = scenario.moments.contains { $0.action == .diskFull }
    let max = maxParallel
    slack = listenerBlocks ? .max / 2 : 100_000 + Int64(scenario.disk.delay) * 400_000
    forest = scenario.forest.map { forest in
      ForestOracle(forest, maxParallel: max) { [unowned self] in fail($0, $1) }
    }
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

  /// Handles a crash of the process, after which the disk holds the given events.
  func crash(durable: [Event]) {
    // Events that were decided before the crash and are durable count, even if not delivered.
    for event in durable.dropFirst(recordedCount) { receive(event) }
    notes = []
    notesRead = 0
    alive = [:]
    aliveOfStep = [:]
    runningComputed = []
    requests = []
    replay(durable)
  }

  /// Replays recorded events without checks, because they were checked before.
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
    forest?.forget()
    let isChecking = checksReplays
    checksReplays = false
    forest?.isChecking = false
    for event in durable { receive(event) }
    checksReplays = isChecking
    forest?.isChecking = isChecking
    failure = remembered
  }

  /// False while recorded events are replayed.
  var checksReplays = true
}
