// Conditions that a command decides: its exit status 0 means true, 1 means false.

import Synchronization
import Workflows

/// The answer of a command to a condition.
enum ConditionAnswer: Sendable, Equatable {
  case met
  case unmet
  case failed(FailureReason)
  /// The step was stopped before there was an answer.
  case stopped
}

/// The stage in which a command decides whether a step runs.
struct ConditionStage: StepStage {
  let tools: StageTools
  let values: ValueSource
  let places: PlaceStage
  let executor: any Executor

  /// Runs the command that decides whether the step runs, if it has one.
  ///
  /// - Returns: The result of a step that does not run; nil if it may start.
  func result(of job: StepJob) async throws(Withdrawn) -> StepResult? {
    guard let command = job.step.extrasIfAny?.conditionCommand else { return nil }
    _ = try await places.waitForUsedSteps(job)
    switch await answer(of: command, job) {
    case .met: return nil
    case .stopped: throw Withdrawn()
    case .unmet:
      try begin(.skipped(.condition(masked(command.shown)), [:]), of: job)
      ledger.decide { $0.controls[job.index].end() }
      return job.step.extras.skipsDependents ? .skipped(job.step.id) : .passed([:])
    case .failed(let reason):
      try begin(.started(), of: job, attempt: 1)
      return end(job.index, attempt: 1, .failed(reason))
    }
  }

  /// Runs a command that decides a condition, as the step would run, and waits for its answer.
  func answer(of command: ConditionCommand, _ job: StepJob) async -> ConditionAnswer {
    let output = ConditionOutput(ledger: ledger, step: job.index)
    do {
      let runValues = values.values(for: job)
      var resolved = try values.resolved(job, runValues)
      resolved.action = .run(command.script)
      resolved.share = nil
      let context = values.context(
        of: job, attempt: 0, resolved, runValues, reporter: output)
      let result = try await withTimeout(command.limit) { [executor] in
        try await executor.execute(context)
      }
      guard result != nil else {
        return failed(command, "took longer than \(durationText(command.limit))", output)
      }
      return .met
    } catch {
      if Task.isCancelled { return .stopped }
      switch error {
      case FailureReason.exited(status: 1): return .unmet
      case FailureReason.badValue(let text): return .failed(masked(.badValue(text)))
      default: return failed(command, String(describing: error), output)
      }
    }
  }

  private func failed(
    _ command: ConditionCommand, _ problem: String, _ output: ConditionOutput
  ) -> ConditionAnswer {
    let text = output.text
    return .failed(
      masked(.badValue("if: \(command.shown): \(problem)" + (text.isEmpty ? "" : ": \(text)"))))
  }
}

/// Collects the last lines of a command that decides a condition; nothing of it is recorded.
private final class ConditionOutput: StepReporter {
  private static let linesMax = 5
  private let ledger: RunLedger
  private let step: StepIndex
  private let lines = Mutex<[String]>([])

  init(ledger: RunLedger, step: StepIndex) {
    self.ledger = ledger
    self.step = step
  }

  /// The last lines, as one.
  var text: String { lines.withLock { $0.joined(separator: "; ") } }

  func report(_ event: Event.StepEvent) -> Bool {
    guard case .output(_, let text, isPartial: false) = event else { return true }
    lines.withLock { lines in
      lines += text.split(separator: "\n").suffix(Self.linesMax).map(String.init)
      lines.removeFirst(max(0, lines.count - Self.linesMax))
    }
    return true
  }

  var hasStarted: Bool { true }

  func recorded() async -> String? { nil }

  func roomForOutput() async {}

  func register(_ onKill: @escaping @Sendable () -> Void) -> Int? {
    ledger.decide { $0.controls[step].register(onKill) }
  }

  func unregister(_ number: Int) {
    ledger.decide { $0.controls[step].unregister(number) }
  }
}
