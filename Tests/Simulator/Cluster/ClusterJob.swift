// A job of a simulated cluster, with all that it has been.

import Reprise
import RepriseRunners

/// A job of a simulated cluster; an element of an array is one, too.
// @unchecked: a simulation runs on one thread.
final class ClusterJob: @unchecked Sendable {
  /// Slurm's words for how far a job is.
  enum State: String {
    case pending = "PENDING"
    case running = "RUNNING"
    case completing = "COMPLETING"
    case completed = "COMPLETED"
    case failed = "FAILED"
    case cancelled = "CANCELLED"
    case timeout = "TIMEOUT"
    case outOfMemory = "OUT_OF_MEMORY"
    case nodeFail = "NODE_FAIL"
    case preempted = "PREEMPTED"
    case deadline = "DEADLINE"

    /// Whether it neither runs nor will.
    var isOver: Bool {
      switch self {
      case .pending, .running, .completing: false
      case .completed, .failed, .cancelled, .timeout, .outOfMemory, .nodeFail, .preempted,
        .deadline:
        true
      }
    }

    /// What it says of the end of an attempt.
    var cause: LossCause? {
      switch self {
      case .timeout: .timeLimit
      case .outOfMemory: .outOfMemory
      case .nodeFail: .node
      case .preempted: .preempted
      case .deadline: .limit
      case .pending, .running, .completing, .completed, .failed, .cancelled: nil
      }
    }
  }

  /// Its number, such as `12` or `12_3`.
  let id: String
  /// The name that it was submitted with.
  let name: String
  /// The folder of the attempt, or that of the array with its index.
  let folder: String
  let index: Int?
  let token: AttemptToken
  /// When lists begin to show it.
  let shownAt: Int64
  /// When it may begin.
  var readyAt: Int64
  /// Its states, with the times from which on it has them.
  private(set) var history: [(time: Int64, state: State)]
  /// The node on which it runs or has run.
  var node: Int?
  var host: ClusterHost?
  /// The number of times that it has begun to run, so that what was planned for an earlier one is void.
  var starts = 0
  var isWithdrawn = false
  /// Whether the engine that could say that it may be there is dead.
  var isUnknown = false

  init(
    _ id: String, named name: String, of token: AttemptToken, in folder: String, index: Int? = nil,
    at now: Int64, shownAt: Int64, readyAt: Int64
  ) {
    (self.id, self.name, self.token, self.folder, self.index) = (id, name, token, folder, index)
    (self.shownAt, self.readyAt) = (shownAt, readyAt)
    history = [(now, .pending)]
  }

  var state: State { history[history.count - 1].state }

  /// Whether it waits or runs.
  var isActive: Bool { state == .pending || state == .running }

  func set(_ state: State, at now: Int64) { history.append((now, state)) }

  /// The state that a list shows that was made at a time; nil if it does not show the job.
  func shown(at time: Int64, memory: Int64) -> State? {
    guard time >= shownAt, let last = history.last(where: { $0.time <= time }) else { return nil }
    return last.state.isOver && last.time + memory < time ? nil : last.state
  }
}

/// The host of an attempt, as it runs on a node: what `reprise host` does, with the files of the attempt.
// @unchecked: a simulation runs on one thread.
final class ClusterHost: @unchecked Sendable {
  let folder: AttemptFolder
  let behaviour: ClusterScenario.Behaviour
  let node: Int
  var isAlive = true
  var isStopping = false
  /// What has ended it from outside, if anything has.
  var accident: ClusterJob.State?
  var leaseAt: Int64

  init(_ folder: AttemptFolder, _ behaviour: ClusterScenario.Behaviour, node: Int, leaseAt: Int64) {
    (self.folder, self.behaviour, self.node, self.leaseAt) = (folder, behaviour, node, leaseAt)
  }
}
