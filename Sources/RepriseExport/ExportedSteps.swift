// The steps of a workflow with all values computed before a run, for every export format.

import WorkflowFiles

/// The steps of a workflow, as far as the export formats treat them alike.
struct ExportedSteps {
  /// A step whose expressions have been evaluated as far as possible.
  struct Step {
    let index: StepIndex
    let step: Workflow.Step
    /// The program with its arguments; nil for a step without one.
    var command: [ExportedValue]?
    /// The environment variables in alphabetical order.
    var environment: [(name: String, value: ExportedValue)] = []
    /// The working directories, each relative to the previous one.
    var directories: [ExportedValue] = []
    /// The conditions that are not always true, with their sources.
    var conditions: [(source: String, value: ExportedValue)] = []
    /// The outputs that are computed after the step, in alphabetical order.
    var outputs: [(name: String, value: ExportedValue)] = []
    /// The variables of Reprise that its texts name, such as `REPRISE_OUTPUT`, with the keys.
    var variables: [(name: String, key: String)] = []

    /// How refusals name the step.
    var subject: ExportRefusal.Subject { .step(step.id) }
    var extras: StepExtras? { step.extrasIfAny }
    var isFinally: Bool { extras?.finally != nil }
    /// Whether its first condition is false before the run.
    var neverRuns: Bool { conditions.first.map { $0.value.constant?.isTruthy == false } ?? false }
    /// Whether it can be skipped, or its failure counts as if it was.
    var canBeSkipped: Bool { !conditions.isEmpty || extras?.continuesOnError == true }
    /// Whether it expects the same of each need: success, or the end.
    var hasEqualRules: Bool {
      guard let rules = extras?.needRules else { return true }
      return rules.anyOf.isEmpty && step.needs.allSatisfy { rules.results[$0] == .over }
    }
    /// Whether a condition asks how its needs have ended.
    var testsStatus: Bool {
      !isFinally && extras?.conditions.contains { $0.template.testsStatus } == true
    }
    /// Whether it starts when its needs have ended, with any result.
    var ignoresResults: Bool { extras?.needRules != nil || testsStatus }

    /// All values, each with its key in the workflow file.
    var values: [(key: String, value: ExportedValue)] {
      (command ?? []).map { (step.action.script == nil ? "exec" : "run", $0) }
        + environment.map { ("env.\($0.name)", $0.value) } + directories.map { ("dir", $0) }
        + conditions.map { ("if", $0.value) } + outputs.map { ("outputs.\($0.name)", $0.value) }
    }
  }

  let workflow: Workflow
  /// All steps in the order of the file, those under `finally` last.
  var all: [Step] = []
  /// The maximum number of steps that run at the same time; nil for no limit.
  var maxParallel: Int?

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

extension ExportedSteps {
  /// Returns the steps that can run at the same time as a step, without the step itself.
  func besides(_ index: StepIndex) -> [StepIndex] {
    func isFinally(_ index: StepIndex) -> Bool {
      workflow.steps[index.position].extrasIfAny?.finally != nil
    }
    let ordered = Set(workflow.graph.withDependents([index]) + workflow.graph.withNeeds([index]))
    return workflow.graph.indices.filter {
      !ordered.contains($0) && isFinally($0) == isFinally(index)
    }
  }
}

extension Set<Retry.Failure> {
  /// The exit statuses among the failures, in order.
  var statuses: [Int] {
    compactMap { if case .status(let status) = $0 { status } else { nil } }.sorted()
  }
}
