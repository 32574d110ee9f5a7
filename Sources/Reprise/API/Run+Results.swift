// The results of a run as Swift values: its end as a typed error, and the outputs of its steps.

extension Run {
  /// Waits until the run has succeeded.
  ///
  /// Waits like ``outcome``: cancelling the waiting task ends the wait, not the run.
  ///
  /// - Throws: ``RunFailure`` with the outcome if the run did not succeed; `CancellationError` if the
  ///   waiting task was cancelled before the end of the run.
  public func value() async throws {
    let outcome = try await outcome
    guard outcome == .succeeded else { throw RunFailure(run: id, outcome: outcome) }
  }

  /// Returns the output of a step that has succeeded, as a Swift value.
  ///
  /// See ``RunState/output(of:as:)``.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: ``OutputError`` if there is no such step or output, or if it has another type.
  public func output<T: Decodable>(
    of step: String, as type: T.Type = T.self
  ) throws(OutputError) -> T {
    try state.output(of: step, as: type)
  }

  /// Returns the output of a step that has succeeded.
  ///
  /// - Parameter output: The handle of the step.
  /// - Returns: The value.
  /// - Throws: ``OutputError`` if there is no such step or output, or if it has another type.
  public func output<Value>(of output: StepOutput<Value>) throws(OutputError) -> Value {
    try state.output(of: output)
  }

  /// Waits until the run has succeeded, and returns the output of a step.
  ///
  /// - Parameter output: The handle of the step.
  /// - Returns: The value.
  /// - Throws: ``RunFailure`` as ``value()`` does; ``OutputError`` if there is no such step or output,
  ///   or if it has another type.
  public func value<Value>(of output: StepOutput<Value>) async throws -> Value {
    try await value()
    return try self.output(of: output)
  }
}

extension RunState {
  /// Returns the output of a step that has succeeded, as a Swift value.
  ///
  ///     let build = try run.output(of: "build", as: Build.self)
  ///
  /// The rules are those of ``StepContext/input(_:as:)``: properties are outputs by name; a single
  /// value or a list is the output `value`. A step that was skipped because it was up to date has the
  /// outputs of its last success.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: ``OutputError`` if there is no such step or output, or if it has another type.
  public func output<T: Decodable>(
    of step: String, as type: T.Type = T.self
  ) throws(OutputError) -> T {
    guard let state = self[step] else {
      throw .unknownStep(step, known: steps.map(\.id))
    }
    guard state.phase.isSuccess else {
      throw .notSucceeded(step: step, phase: state.phase.name)
    }
    var outputs: StepOutputs? = state.phase.values.outputs
    if case .skipped(let reason, [:]) = state.phase, !reason.isUpToDate { outputs = nil }
    return try decodedOutputs(outputs, of: step, as: type)
  }
}

extension RunState {
  /// Returns the output of a step that has succeeded.
  ///
  /// - Parameter output: The handle of the step.
  /// - Returns: The value.
  /// - Throws: ``OutputError`` if there is no such step or output, or if it has another type.
  public func output<Value>(of output: StepOutput<Value>) throws(OutputError) -> Value {
    try self.output(of: output.step, as: Value.self)
  }
}
