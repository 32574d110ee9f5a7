// How many steps of a run are in which state, for displays. Pure.

/// The number of steps of a run in each state; each step counts once, so the numbers add up to ``total``.
///
/// A step that was expanded during the run does not count: its items do.
package struct RunTally: Sendable, Equatable {
  /// Steps that have succeeded.
  package private(set) var done = 0
  /// Steps that have failed, also if the run continues.
  package private(set) var failed = 0
  /// Steps that did not run, because of a condition or because they were up to date.
  package private(set) var skipped = 0
  /// Steps that were stopped.
  package private(set) var cancelled = 0
  /// Steps that will not begin, because of a failure or since the run was cancelled.
  package private(set) var notRun = 0
  /// Steps that are running.
  package private(set) var running = 0
  /// Steps that wait for approval, before or after their work.
  package private(set) var awaitingApproval = 0
  /// Steps that wait for anything else: their needs, a slot, their next attempt.
  package private(set) var outstanding = 0

  /// The number of all steps.
  package var total: Int { over + running + awaitingApproval + outstanding }

  /// The number of steps that have ended, or will not begin.
  package var over: Int { done + failed + skipped + cancelled + notRun }

  /// What is in progress, waits, or has not succeeded, in the order in which displays name it.
  package var others: [(count: Int, word: String)] {
    [
      (running, "running"), (awaitingApproval, "for approval"), (outstanding, "waiting"),
      (failed, "failed"), (cancelled, "cancelled"), (notRun, "not run"), (skipped, "skipped"),
    ].filter { $0.0 > 0 }
  }

  /// The numbers as words, such as `3 of 4 done, 1 failed`.
  package var words: String {
    (["\(done) of \(total) done"] + others.map { "\($0.count) \($0.word)" }).joined(separator: ", ")
  }

  init() {}

  mutating func add(_ step: StepState) {
    switch step.phase {
    case .succeeded: done += 1
    case .failed: failed += 1
    case .skipped: skipped += 1
    case .cancelled where step.hasBegun: cancelled += 1
    case .cancelled: notRun += 1
    case .waiting where step.approval != nil, .running where step.approval != nil:
      awaitingApproval += 1
    case .running: running += 1
    case .waiting, .pending: outstanding += 1
    }
  }
}

extension StepState {
  /// Whether an attempt has started in this generation.
  package var hasBegun: Bool { startedAt != nil || attempt > 1 }
}

extension RunState {
  /// How many of the steps are in which state.
  ///
  /// Linear in their number.
  package var tally: RunTally { tally(of: steps.indices) }

  /// Returns how many of some steps are in which state.
  ///
  /// - Parameter positions: The positions of the steps.
  /// - Returns: The numbers.
  package func tally(of positions: some Sequence<Int>) -> RunTally {
    var tally = RunTally()
    for position in positions where plan?.steps[position].items == nil {
      tally.add(steps[position])
    }
    return tally
  }
}
