// The course of a simulated run: when it is restarted, cancelled and interrupted by crashes.

import Reprise

/// Why a simulated run is not as it must be.
struct CourseProblem: Error {
  let text: String
}

/// Takes one run to its end.
struct SimulatedCourse {
  private enum Act {
    case crash
    case restart
    case restartFromStep
    case cancel
  }

  private let faults: Faults
  private var random: SplitMix64
  private var acts: [Act] = []
  private var itemsLeft: Int
  private(set) var crashes = 0

  init(_ faults: Faults, seed: UInt64, stepCount: Int) {
    self.faults = faults
    itemsLeft = 20_000 + 2_000 * stepCount
    random = SplitMix64(seed: seed, purpose: 4)
    let crashCount = random.number(0...max(0, faults.crashesMax))
    acts += Array(repeating: .crash, count: crashCount)
    for _ in 0..<random.number(0...max(0, faults.restartsMax)) {
      acts.append(random.chance(0.5) ? .restart : .restartFromStep)
    }
    if random.chance(faults.cancellation) { acts.append(.cancel) }
    acts.shuffle(using: &random)
  }

  /// Runs to the end.
  ///
  /// - Throws: ``CourseProblem``, or `CancellationError`.
  mutating func outcome(
    of test: WorkflowTest, _ injected: SimulatedFaults
  ) async throws -> RunOutcome {
    for act in acts {
      // Most of what happens at once is near the beginning.
      try await advance(test, items: 1 << random.below(9))
      if let problem = injected.problem { throw CourseProblem(text: problem) }
      guard !Milestone.ended.isReached(test.state) else { break }
      try perform(act, on: test, injected)
    }
    try await advance(test, items: itemsLeft)
    // The end must also be delivered.
    try await test.advance(by: .zero)
    if let problem = injected.problem { throw CourseProblem(text: problem) }
    do {
      _ = try test.recordedState()
    } catch {
      throw CourseProblem(text: "the recorded events do not form a run: \(error)")
    }
    guard case .ended(let outcome) = test.state.phase else {
      throw CourseProblem(text: "the run does not end")
    }
    return outcome
  }

  /// Runs some items of work, or until the run has ended; answers approvals.
  private mutating func advance(_ test: WorkflowTest, items: Int) async throws {
    var rest = min(items, itemsLeft)
    itemsLeft -= rest
    while true {
      let run = test.run
      let executor = test.clock.executor
      let before = executor.itemCount
      let end = await executor.drive(
        TestExecutor.Drive(
          isOver: { Milestone.ended.isReached(run.state) }, itemsMax: rest))
      rest -= executor.itemCount - before
      switch end {
      case .over, .limit, .busy: return
      case .cancelled: throw CancellationError()
      case .stuck: try answer(test)
      }
    }
  }

  private mutating func answer(_ test: WorkflowTest) throws {
    let waiting = test.state.steps.filter { $0.approval != nil }
    guard !waiting.isEmpty else {
      let left = test.state.steps.filter { !$0.phase.isFinal }.map { "\($0.id) is \($0.phase)" }
      throw CourseProblem(
        text: "nothing more can happen, and the run has not ended: "
          + left.joined(separator: ", "))
    }
    var isAnswered = false
    for step in waiting {
      let isRefused = random.chance(faults.refusal)
      if try isRefused ? test.run.refuse(step.id) : test.run.approve(step.id) { isAnswered = true }
    }
    guard isAnswered else {
      throw CourseProblem(text: "approvals cannot be answered: \(waiting.map(\.id))")
    }
  }

  private mutating func perform(
    _ act: Act, on test: WorkflowTest, _ injected: SimulatedFaults
  ) throws {
    switch act {
    case .restart:
      injected.restart()
      test.run.restart()
    case .restartFromStep:
      guard let step = test.state.steps.randomElement(using: &random) else { return }
      injected.restart()
      try test.run.restart(from: step.id)
    case .cancel: test.run.cancel()
    case .crash:
      let recorded = try test.recordedState()
      // Without a recorded event there is nothing to resume.
      guard recorded.run != nil else { return }
      if case .ended = recorded.phase { return }
      crashes += 1
      test.crash()
      injected.crash(recorded)
      try test.resume()
    }
  }
}
