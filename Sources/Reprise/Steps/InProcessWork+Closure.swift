// Work of a step from a closure.

import Workflows

extension InProcessWork {
  /// Creates work that a Swift closure performs, for steps that are made from data.
  ///
  ///     Workflow.Step(id: "version", action: .perform(InProcessWork { _ in "1.2.3" }))
  ///
  /// - Parameter body: Performs one attempt. Its result is the output for later steps: a map becomes
  ///   named outputs, any other value the output `value`. When its task is cancelled, it must finish
  ///   soon by throwing `CancellationError`.
  package init<Output: Encodable & Sendable>(
    _ body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    self.init(ClosureWork { try StepOutputs(encoding: try await body($0)) })
  }

  /// Creates work that a Swift closure without a result performs.
  ///
  /// - Parameter body: Performs one attempt. If its result is not `Encodable`, the step fails before it
  ///   calls the closure, because no other step could read the result.
  package init<Output: Sendable>(
    _ body: @escaping @Sendable (StepContext) async throws -> Output
  ) {
    self.init(returning: Output.self, body)
  }
}
