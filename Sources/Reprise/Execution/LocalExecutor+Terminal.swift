// Runs a step that owns the terminal while it runs.

import ChildProcesses

extension LocalExecutor {
  /// What the output of a step says whose output cannot be recorded.
  private static let unrecorded =
    "it uses the terminal; what it reads and writes there is not recorded"
  private static let noTerminal =
    "there is no terminal here: it runs with an empty standard input"

  /// Runs an attempt of a step that owns the terminal while it runs.
  ///
  /// - Parameter context: The attempt.
  /// - Returns: Its outputs; nil if there is no terminal, so that it must run like other steps.
  /// - Throws: ``FailureReason`` or `CancellationError`.
  func executeOnTerminal(_ context: StepContext) async throws -> StepOutputs? {
    guard context.step.extrasIfAny?.usesTerminal == true else { return nil }
    guard let terminal = context.terminal, let descriptor = await terminal.lend() else {
      try Task.checkCancellation()
      context.report(Self.noTerminal, on: .standardError)
      return nil
    }
    defer { terminal.takeBack() }
    context.report(Self.unrecorded, on: .standardError)
    return try await AttemptProcess.run(
      AttemptSpec(context), inheriting: inherited, in: directory, onTerminal: descriptor,
      for: context)
  }
}
