// `OutputError`: outputs of a step as a Swift value, and why there is none.

public import Workflows

/// Returns the outputs of a step as a Swift value.
///
/// - Parameters:
///   - outputs: The outputs; nil are those of a step that did not run, or has failed, and are a value of
///     optional types only.
///   - step: The id of the step.
///   - type: The type to decode.
/// - Returns: The decoded value.
/// - Throws: ``OutputError`` if there is no output, or if it has another type.
func decodedOutputs<T: Decodable>(
  _ outputs: StepOutputs?, of step: String, as type: T.Type = T.self
) throws(OutputError) -> T {
  guard outputs != nil || T.self is any ExpressibleByNilLiteral.Type else {
    throw .noOutput(step: step)
  }
  do throws(ArgumentError) {
    return try (outputs ?? [:]).decoded(as: type)
  } catch {
    throw outputs?.isEmpty == false ? .mismatch(step: step, error) : .noOutput(step: step)
  }
}

/// The reason that an output of a step cannot be read.
public enum OutputError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The run has no such step; these are its steps.
  case unknownStep(String, known: [String])
  /// The step has not succeeded, so it has no outputs; `phase` is the name of its state.
  case notSucceeded(step: String, phase: String)
  /// The step has succeeded without an output.
  case noOutput(step: String)
  /// The outputs of the step do not match the type.
  case mismatch(step: String, ArgumentError)

  /// The reason as a clause for error messages.
  public var description: String {
    switch self {
    case .unknownStep(let step, let known): noStepText(step, known: known)
    case .notSucceeded(let step, let phase):
      "step \"\(step)\" has no output: it is \(phase)"
    case .noOutput(let step): "step \"\(step)\" has no output"
    case .mismatch(let step, let error): "the output of step \"\(step)\": \(error)"
    }
  }
}
