// The steps of a workflow with all values computed before a run, for every export format.

import Workflows

/// The steps of a workflow, as far as the export formats treat them alike.
struct ExportedSteps {
  /// A step whose expressions have been evaluated.
  struct Step {
    let index: StepIndex
    let step: Workflow.Step
    /// The program with its arguments; nil for a step that only waits for approval.
    var command: [String]?
    /// The environment variables in alphabetical order.
    var environment: [(name: String, value: String)] = []
    /// The working directories, each relative to the previous one.
    var directories: [String] = []

    /// How refusals name the step.
    var subject: ExportRefusal.Subject { .step(step.id) }
    var extras: StepExtras? { step.extrasIfAny }
    var isFinally: Bool { extras?.finally != nil }
  }

  let workflow: Workflow
  /// All steps in the order of the file, those under `finally` last.
  var all: [Step] = []

  var main: ArraySlice<Step> { all.dropLast(workflow.finallyCount) }
  var finally: ArraySlice<Step> { all.suffix(workflow.finallyCount) }

  /// The steps outside of `finally` that no other such step needs.
  var ends: [Step] {
    main.filter { step in
      workflow.graph.dependents(of: step.index).allSatisfy { all[$0.position].isFinally }
    }
  }

  /// Returns the needs of a step; of a step under `finally`, only others under `finally`.
  func needs(of step: Step) -> [Step] {
    workflow.graph.needs(of: step.index).map { all[$0.position] }
      .filter { $0.isFinally == step.isFinally }
  }

  /// Returns a name for each step that another engine accepts; no two are the same.
  ///
  /// - Parameters:
  ///   - letters: The characters that a name may contain besides ASCII letters and digits.
  ///   - taken: Names that are already used.
  /// - Returns: The names, in the order of the steps.
  func names(allowing letters: String, taken: Set<String> = []) -> [String] {
    var taken = taken
    return all.map { step in
      let base = safeName(step.step.id, allowing: letters, upTo: 100)
      var name = base
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(base)-\(number)"
        number += 1
      }
      return name
    }
  }
}

/// Replaces the characters that another engine does not accept in names, so that the name begins
/// with a letter.
func safeName(_ text: String, allowing letters: String, upTo limit: Int) -> String {
  var name = ""
  for scalar in text.unicodeScalars.prefix(limit) {
    let isAllowed =
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      || letters.unicodeScalars.contains(scalar)
    if isAllowed { name.unicodeScalars.append(scalar) } else if name.last != "-" { name += "-" }
  }
  while name.last == "-" { name.removeLast() }
  guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else {
    return "step-" + name.drop { $0 == "-" }
  }
  return name
}
