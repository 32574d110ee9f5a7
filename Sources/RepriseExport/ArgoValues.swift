// Values of a run in a manifest for Argo Workflows.

import WorkflowFiles

/// Writes values as references that Argo replaces.
///
/// A template sees no other task: what it needs of them are its input parameters, which its task
/// passes on.
struct ArgoValues {
  /// The reason why Argo has no such value, as a clause.
  struct Problem: Error {
    let reason: String
  }

  let steps: ExportedSteps
  /// The names of the tasks, by position of the step.
  let names: [String]
  /// The outputs that other steps read, by position of the step.
  private let read: [Int: Set<String>]

  init(steps: ExportedSteps, names: [String]) {
    (self.steps, self.names) = (steps, names)
    var read: [Int: Set<String>] = [:]
    for (_, value) in steps.all.flatMap(\.values) {
      for (index, name) in value.readOutputs { read[index.position, default: []].insert(name) }
    }
    self.read = read
  }

  /// Returns the outputs of a step that it declares or that others read, in alphabetical order.
  func outputs(of step: ExportedSteps.Step) -> [String] {
    (read[step.index.position] ?? []).union(step.outputs.map(\.name)).sorted()
  }

  /// Returns the input parameters of the template of a step, with their values for its task.
  func inputs(of step: ExportedSteps.Step) -> [(name: String, value: String)] {
    var inputs: [(name: String, value: String)] = []
    for (key, value) in step.values where key != "if" {
      for (index, output) in value.readOutputs {
        let name = parameter(index, output)
        guard !inputs.contains(where: { $0.name == name }) else { continue }
        let task = names[index.position]
        inputs.append((name, "{{tasks.\(task).outputs.parameters.\(output)}}"))
      }
    }
    return inputs
  }

  /// The name of a parameter; the names of tasks do not contain `_`.
  private func parameter(_ index: StepIndex, _ output: String) -> String {
    "\(names[index.position])_\(output)"
  }

  // MARK: Texts

  /// Returns the text of a value in a container.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - step: The step that reads it.
  ///   - escape: Escapes a constant text.
  /// - Returns: The text.
  /// - Throws: ``Problem`` if Argo has no such value.
  func text(
    _ value: ExportedValue, in step: ExportedSteps.Step, _ escape: (_ text: String) -> String
  ) throws(Problem) -> String {
    switch value {
    case .constant(let value): return escape(value.asText)
    case .runID: return "{{workflow.uid}}"
    case .output(let index, let name):
      try check(index, name, step)
      return "{{inputs.parameters.\(parameter(index, name))}}"
    case .text(let parts):
      var text = ""
      for part in parts { text += try self.text(part, in: step, escape) }
      return text
    case .call(.join, let values):
      guard case .outputList(let indices, let name) = values[0] else { break }
      let separator = values.count > 1 ? values[1].constant?.asText : ","
      guard let separator else { break }
      var texts: [String] = []
      for index in indices { texts.append(try text(.output(index, name), in: step, escape)) }
      return texts.joined(separator: escape(separator))
    case .secret:
      throw Problem(reason: "in Argo, a secret can only be the whole value of a variable")
    case .ending, .failed, .outputList, .outputs, .result, .stdout, .written, .element, .not,
      .binary, .call:
      break
    }
    throw Problem(
      reason: "Argo has only the outputs of steps, their lists with join(), and run.id as values")
  }

  private func check(
    _ index: StepIndex, _ name: String, _ step: ExportedSteps.Step
  ) throws(Problem) {
    let other = steps.all[index.position]
    if step.isFinally, !other.isFinally {
      throw Problem(reason: "what runs after the end in Argo has no outputs of other steps")
    }
    if other.neverRuns {
      throw Problem(reason: "step \"\(other.step.id)\" never runs, so that it has no outputs")
    }
    if other.extras?.continuesOnError == true {
      throw Problem(reason: "Argo has no outputs of a failed step, as \"\(other.step.id)\" can be")
    }
    if other.command == nil {
      throw Problem(reason: "\"\(other.step.id)\" runs no program that could set an output")
    }
  }

  // MARK: Conditions

  /// Returns a condition in the language of Argo's expressions.
  ///
  /// - Throws: ``Problem`` if it cannot be expressed.
  func condition(
    _ value: ExportedValue, in step: ExportedSteps.Step
  ) throws(Problem) -> String {
    switch value {
    case .constant(let value): return value.isTruthy ? "true" : "false"
    case .not(let inner): return "!(\(try condition(inner, in: step)))"
    case .binary(.and, let first, let second):
      return "(\(try condition(first, in: step)) && \(try condition(second, in: step)))"
    case .binary(.or, let first, let second) where first.readOutputs.isEmpty:
      return "(\(try condition(first, in: step)) || \(try condition(second, in: step)))"
    case .binary(.equal, .result(let index), .constant(let result)):
      return try status(index, result, step)
    case .binary(.notEqual, .result(let index), .constant(let result)):
      return "!(\(try status(index, result, step)))"
    case .binary(let symbol, let first, let second) where symbol == .equal || symbol == .notEqual:
      return "\(try operand(first, step)) \(symbol.rawValue) \(try operand(second, step))"
    default:
      throw Problem(
        reason: "a condition in Argo can only compare outputs and results of steps with texts")
    }
  }

  private func operand(
    _ value: ExportedValue, _ step: ExportedSteps.Step
  ) throws(Problem) -> String {
    switch value {
    case .output(let index, let name):
      try check(index, name, step)
      return "tasks['\(names[index.position])'].outputs.parameters['\(name)']"
    case .constant(.text(let text))
    where text.unicodeScalars.allSatisfy({
      !"{}'\\".unicodeScalars.contains($0) && $0.value >= 0x20
    }):
      return "'\(text)'"
    default:
      throw Problem(
        reason: "a condition in Argo can only compare outputs and results of steps with texts")
    }
  }

  /// Returns the condition that a step has a result.
  private func status(
    _ index: StepIndex, _ result: Value, _ step: ExportedSteps.Step
  ) throws(Problem) -> String {
    let other = steps.all[index.position]
    if step.isFinally, !other.isFinally {
      throw Problem(reason: "what runs after the end in Argo has no results of other steps")
    }
    let status = "tasks['\(names[index.position])'].status"
    switch result {
    case .text("success"): return "\(status) == 'Succeeded'"
    case .text("failure"): return "\(status) in ['Failed', 'Error']"
    case .text("skipped"): return "\(status) == 'Skipped'"
    default: throw Problem(reason: "a task in Argo has no result \"\(result.asText)\"")
    }
  }
}

extension ExportedValue {
  /// The outputs of steps that it reads, each with its name.
  var readOutputs: [(StepIndex, String)] {
    var found: [(StepIndex, String)] = []
    visit { part in
      switch part {
      case .output(let index, let name): found.append((index, name))
      case .outputList(let indices, let name): found += indices.map { ($0, name) }
      default: break
      }
    }
    return found
  }
}
