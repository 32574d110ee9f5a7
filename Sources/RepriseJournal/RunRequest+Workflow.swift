// The request of a run of a program that embeds the engine, and whether a workflow fits a record.

import Platform
package import Reprise

extension RunRequest {
  /// Creates the request of a run of this program.
  ///
  /// A workflow that consists of processes alone is recorded as its text, so that `reprise resume`
  /// can continue the run. Otherwise only this program can, and the record names it.
  ///
  /// - Parameters:
  ///   - workflow: The workflow.
  ///   - secrets: The secrets, which are not recorded.
  ///   - isGrouped: Whether the run obeys its concurrency group.
  /// - Throws: ``JournalError`` if a secret is in a part of the workflow that must be recorded.
  package init(
    of workflow: Workflow, hiding secrets: Secrets, isGrouped: Bool = false
  ) throws(JournalError) {
    if let problem = secrets.problem(with: workflow) { throw JournalError(problem) }
    let here = workingFolder() ?? "/"
    let program = executablePath ?? "unknown"
    let file = workflow.file.flatMap { $0.isEmpty ? nil : $0 }
    let path = file.map { $0.hasPrefix("/") ? $0 : here + "/" + $0 }
    var text = workflow.declarationText
    if text == nil, let path, let bytes = try? OpenFile(path).readAll() {
      text = String(decoding: bytes, as: UTF8.self)
    }
    var options: [String: String] = [:]
    // The values of parameters are part of the workflow by now, so its text alone says too little.
    if text == nil || workflow.hasCode || !workflow.parameters.isEmpty {
      options[Self.optionOfProgram] = program
    } else if path == nil {
      options[Self.optionOfText] = "true"
    }
    self.init(
      workflow: workflow.name, file: path ?? program, directory: here, source: text ?? "",
      options: options, group: isGrouped ? workflow.concurrency?.group : nil,
      durability: workflow.durability ?? .process)
    for (name, value) in workflow.parameterValues {
      self.options[Self.parameterPrefix + name] = value.asText
    }
    self = self.hiding(secrets)
    definition = WorkflowDefinition(source: source, uses: workflow.sources)
    logBytesMax = workflow.keep?.logBytes
  }
}

extension RunRecord {
  /// What resumes the run: the command, or only the program whose code it runs.
  package var resumeAdvice: String {
    request.program.map { "only its program can resume it: \($0)" }
      ?? "resume it with: reprise resume \(id)"
  }

  /// Checks that a workflow can continue the run.
  ///
  /// - Parameters:
  ///   - workflow: The workflow.
  ///   - state: The state of the run.
  ///   - secrets: The secrets, which a recorded value of a parameter does not contain.
  /// - Throws: ``JournalError`` that names what does not fit.
  func expectFit(
    of workflow: Workflow, _ state: RunState, hiding secrets: Secrets
  ) throws(JournalError) {
    guard status != .succeeded, status != .skipped else {
      throw JournalError(
        "run \(id) has succeeded: there is nothing to resume", .endedRun(status))
    }
    let problem = "run \(id) cannot be resumed with this workflow: "
    guard workflow.name == self.workflow else {
      throw JournalError(
        problem + "the run is one of \"\(self.workflow)\", and the workflow is \"\(workflow.name)\""
      )
    }
    // Texts of the command are as they were typed; those of a program were values.
    if request.program != nil {
      for (name, value) in request.parameters.sorted(by: { $0.key < $1.key }) {
        guard let other = workflow.parameterValues[name].map({ secrets.hidden(in: $0.asText) }),
          other != value
        else { continue }
        throw JournalError(
          problem + "the run has \(name) = \"\(value)\", and the workflow \"\(other)\"")
      }
    }
    let expanded = workflow.expanding(state.expansions)
    let survivors = Set(state.survivingAttempts.map(\.step))
    let missing = state.steps.filter { step in
      (step.phase.isSuccess || survivors.contains(step.id))
        && expanded.graph.index(of: step.id) == nil
    }
    guard missing.isEmpty else {
      let names = missing.map { step in
        "\"\(step.id)\", which " + (step.phase.isSuccess ? "has succeeded" : "still runs")
      }
      throw JournalError(problem + "it has no step " + names.joined(separator: ", and no step "))
    }
  }
}
