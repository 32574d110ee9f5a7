// Replaces steps by closures, so that tests start no programs and reach no services.

public import Reprise

extension Workflow {
  /// Returns this workflow with a step that runs a closure instead of its action.
  ///
  ///     let tested = try release.replacing("deploy") { context in
  ///       ["url": "https://example.org/\(try context.parameter("version", as: String.self))"]
  ///     }
  ///
  /// Everything else of the step stays: what it needs, its condition, approval, retries, timeout and
  /// outputs. In place of a call, the closure has no arguments; to test these, register a fake of the
  /// action. Text that the closure reports is the standard output of the step.
  ///
  /// - Parameters:
  ///   - step: The id of the step. For a step with `foreach` or `matrix`, and for a step that uses a
  ///     file, each of its steps is replaced.
  ///   - body: Performs one attempt, under the rules for steps in Swift code. Its result is the
  ///     output for later steps.
  /// - Returns: The workflow for the test.
  /// - Throws: ``ReplacementError`` if the workflow has no such step.
  public func replacing<Output: Encodable & Sendable>(
    _ step: String, with body: @escaping @Sendable (StepContext) async throws -> Output
  ) throws(ReplacementError) -> Workflow {
    replacing(try indices(of: step), with: InProcessWork(body))
  }

  /// Returns this workflow with a step that runs a closure without a result instead of its action.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - body: Performs one attempt.
  /// - Returns: The workflow for the test.
  /// - Throws: ``ReplacementError`` if the workflow has no such step.
  public func replacing<Output: Sendable>(
    _ step: String, with body: @escaping @Sendable (StepContext) async throws -> Output
  ) throws(ReplacementError) -> Workflow {
    replacing(try indices(of: step), with: InProcessWork(body))
  }

  /// Returns this workflow with a closure instead of each command.
  ///
  /// Steps in Swift code and calls of actions stay, and so do steps that were replaced before.
  ///
  /// - Parameter body: Performs one attempt of any of the steps; `context.step.id` says which one.
  /// - Returns: The workflow for the test.
  public func replacingCommands<Output: Encodable & Sendable>(
    with body: @escaping @Sendable (StepContext) async throws -> Output
  ) -> Workflow {
    replacing(stepsThatStartPrograms, with: InProcessWork(body))
  }

  /// Returns this workflow with a closure without a result instead of each command.
  ///
  /// - Parameter body: Performs one attempt of any of the steps.
  /// - Returns: The workflow for the test.
  public func replacingCommands<Output: Sendable>(
    with body: @escaping @Sendable (StepContext) async throws -> Output
  ) -> Workflow {
    replacing(stepsThatStartPrograms, with: InProcessWork(body))
  }

  private func indices(of step: String) throws(ReplacementError) -> [StepIndex] {
    let indices = indices(named: step)
    guard indices.isEmpty else { return indices }
    throw ReplacementError(description: noStepText(step, known: steps.map(\.id)))
  }
}

/// The reason why a workflow cannot be tested as it is.
public struct ReplacementError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason and what to do, as a clause without a period.
  public let description: String
}
