// An executor that runs steps in this process.

/// An executor that runs every step by calling a closure: for steps in Swift code, and for tests.
public struct ClosureExecutor: Executor {
  private let body: @Sendable (StepContext) async throws -> StepOutputs

  /// Creates an executor.
  ///
  /// - Parameter body: Performs one attempt, under the rules of ``Executor/execute(_:)``: when its
  ///   task is cancelled, it must finish soon by throwing `CancellationError`.
  public init(_ body: @escaping @Sendable (StepContext) async throws -> StepOutputs) {
    self.body = body
  }

  /// Calls the closure.
  ///
  /// - Parameter context: The attempt.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func execute(_ context: StepContext) async throws -> StepOutputs {
    try await body(context)
  }
}
