// Carries out steps inside of this process. Knows nothing of processes.

/// Carries out every step by calling a closure: for steps that are Swift code, and for tests.
public struct ClosureExecutor: Executor {
  private let body: @Sendable (StepContext) async throws -> StepOutputs

  /// Makes an executor.
  ///
  /// - Parameter body: Does the work of one attempt, under the rules of ``Executor/execute(_:)``:
  ///   when its task is cancelled it ends soon, throwing `CancellationError`.
  public init(_ body: @escaping @Sendable (StepContext) async throws -> StepOutputs) {
    self.body = body
  }

  /// Calls the closure.
  ///
  /// - Parameter context: The step.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func execute(_ context: StepContext) async throws -> StepOutputs {
    try await body(context)
  }
}
