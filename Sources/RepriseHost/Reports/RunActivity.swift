// What a run is doing: the steps it is at, and those that wait for approval. Pure.

import Reprise
import RepriseJournal

/// What a live run is doing.
struct RunActivity: Equatable {
  /// The ids of the running steps, in file order.
  let running: [String]
  /// The ids of the steps that wait for their next attempt.
  let retrying: [String]
  /// The ids of the steps that are awaiting approval.
  let awaitingApproval: [String]
  private let phase: RunPhase
  private let isPaused: Bool

  /// Derives the activity from a state.
  init(_ state: RunState) {
    phase = state.phase
    isPaused = state.isPaused
    running = state.steps.filter { $0.phase == .running && $0.approval == nil }.map(\.id)
    retrying = state.steps.filter { $0.phase == .waiting && $0.retry != nil }.map(\.id)
    awaitingApproval = state.steps.filter { $0.phase.isActive && $0.approval != nil }.map(\.id)
  }

  /// The state of a run that is live: `awaiting approval` if it does nothing else.
  var stateWords: String {
    switch phase {
    case .restarting: return "restarting"
    case .cancelling: return "cancelling"
    case .notStarted, .running, .ended: break
    }
    if isPaused { return "paused" }
    let isIdle = running.isEmpty && retrying.isEmpty
    return isIdle && !awaitingApproval.isEmpty ? "awaiting approval" : RunStatus.running.rawValue
  }

  /// The steps that the run is at, such as `build, test and 3 more`.
  var words: String {
    let all =
      running + retrying.map { "\($0) (retrying)" }
      + awaitingApproval.map { "\($0) (awaiting approval)" }
    let rest = all.count - Self.stepsMax
    return all.prefix(Self.stepsMax).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private static let stepsMax = 3
}
