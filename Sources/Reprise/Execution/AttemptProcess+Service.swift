// The process of a service: checks when it is ready, and stops it with the signal that it wants.

import ChildProcesses
import Platform
import Workflows

extension AttemptProcess {
  /// How the wait until a service is ready has ended.
  private enum Readiness {
    case ready, late, stopped
    /// The outputs that it had written when it was ready are invalid, or it was not alive later.
    case failed(FailureReason)
  }

  /// Starts a service, reports when it is ready, and waits until nothing of it is left.
  ///
  /// A service ends only if its task is cancelled; every other end is a failure.
  ///
  /// - Parameters:
  ///   - rule: The rules of the service.
  ///   - spec: The attempt.
  ///   - inherited: The variables that it inherits.
  ///   - directory: The directory that its own is relative to; nil for that of this process.
  ///   - context: Where it reports; stops it when its task is cancelled.
  /// - Returns: Its outputs; in fact it always throws.
  /// - Throws: ``FailureReason`` or `CancellationError`.
  static func run(
    _ rule: ServiceRule, _ spec: AttemptSpec, inheriting inherited: Environment,
    in directory: String?, for context: StepContext
  ) async throws -> StepOutputs {
    let check = ServiceCheck(
      rule: rule, spec: spec, inherited: inherited, directory: directory)
    // An answer now comes from something else, which would be taken for this service.
    if let warning = try await check.answerBeforeStart(context) {
      context.report(warning, on: .standardError)
    }
    try Task.checkCancellation()
    let attempt = try await AttemptProcess(
      spec, inheriting: inherited, in: directory, masker: context.masker,
      roomForOutput: context.roomForOutput
    ) { news in
      check.note(news)
      if case .ready = news { return true }
      return context.report(news)
    }
    defer { attempt.removeFile() }
    let watching = Task { await attempt.watch(check, context) }
    let status = await withTaskCancellationHandler {
      await context.withKillHandler({ attempt.kill() }, operation: { await attempt.end() })
    } onCancel: {
      attempt.terminate(grace: context.gracePeriod, signal: rule.stopSignal)
    }
    watching.cancel()
    let readiness = await watching.value
    context.report(written: attempt.writtenOutputs)
    try Task.checkCancellation()
    switch readiness {
    case .late: throw FailureReason.timedOut(after: rule.timeout)
    case .failed(let reason): throw reason
    case .ready, .stopped: break
    }
    if status == .exited(code: 0) { throw FailureReason.exited(status: 0) }
    return try attempt.outputs(of: status)
  }

  /// Waits until the service is ready, and then stops it if it is not alive.
  private func watch(_ check: ServiceCheck, _ context: StepContext) async -> Readiness {
    let readiness = await becomeReady(check, context)
    guard case .ready = readiness, let reason = await check.failureWhileReady(context) else {
      return readiness
    }
    terminate(grace: context.gracePeriod, signal: check.rule.stopSignal)
    return .failed(.unmet(reason))
  }

  /// Waits until the service is ready, and stops it if that takes too long.
  private func becomeReady(_ check: ServiceCheck, _ context: StepContext) async -> Readiness {
    let readiness = await withTaskGroup(of: Readiness.self) { group in
      group.addTask { await check.isPassed(context) ? .ready : .stopped }
      group.addTask {
        (try? await Task.sleep(for: check.rule.timeout)) == nil ? .stopped : .late
      }
      let first = await group.next() ?? .stopped
      group.cancelAll()
      return first
    }
    switch readiness {
    case .ready:
      if let reason = reportReady(to: context) {
        terminate(grace: context.gracePeriod, signal: check.rule.stopSignal)
        return .failed(reason)
      }
    case .late:
      let last = check.hint.map { "; " + $0 } ?? ""
      context.report(
        "it was not ready within \(durationText(check.rule.timeout))\(last)", on: .standardError)
      terminate(grace: context.gracePeriod, signal: check.rule.stopSignal)
    case .stopped, .failed: break
    }
    return readiness
  }
}
