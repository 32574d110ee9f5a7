// `VariablesFile`: the file to which one attempt of a step writes variables for later steps.

import Workflows

/// A temporary file with the variables that a step sets for the steps that depend on it.
///
/// Its format is that of the file for outputs. The variables are recorded as outputs whose names
/// begin with ``prefix``, which no other output can have.
struct VariablesFile {
  /// The name of the variable with its path.
  static let variable = "REPRISE_ENV"

  private let file: OutputFile

  /// Creates an empty file in the folder for temporary files.
  ///
  /// - Parameter directory: The value of `TMPDIR`, if it is set.
  /// - Throws: ``FailureReason`` if the file cannot be created.
  init(folder directory: String?) throws(FailureReason) {
    file = try OutputFile(folder: directory, named: Self.variable)
  }

  /// The absolute path, for the environment of the step.
  var path: String { file.path }

  /// Reads the variables, as outputs.
  ///
  /// - Throws: ``FailureReason`` if the file is invalid, or sets a variable that steps cannot set.
  func outputs() throws(FailureReason) -> StepOutputs {
    var outputs: StepOutputs = [:]
    for (name, value) in try file.outputs() {
      guard !name.hasPrefix("REPRISE_") else {
        throw .badOutputs("\(Self.variable): \(name) is set by Reprise itself; choose another name")
      }
      guard !name.contains("-") else {
        throw .badOutputs("\(Self.variable): \"\(name)\" is not a valid name of a variable")
      }
      guard !value.utf8.contains(0) else {
        throw .badOutputs("\(Self.variable): the value of \(name) contains a NUL character")
      }
      outputs[StepVariables.prefix + name] = value
    }
    return outputs
  }

  /// Removes the file.
  func remove() { file.remove() }
}
