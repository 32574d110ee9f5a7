// A step with its values computed, just before it starts: templates and what is known of the run in, plain
// texts out. Knows neither the engine nor processes.

/// A step whose values are known.
package struct ResolvedStep: Sendable, Equatable {
  /// What it does: the ways of work that the engine knows, to which all kinds of steps come.
  package enum Action: Sendable, Equatable {
    case run(String)
    case exec([String])
    case call(String, [String: ArgumentValue])
    case perform(InProcessWork)
    case wait
  }

  package var action: Action
  /// The variables that the file gives it, strongest last: those of the files under `dotenv` apart.
  package var environment: [String: String]
  /// Variables that count only where the environment does not have them.
  package var weakEnvironment: [String: String]
  /// Where it runs: each relative to the one before.
  package var directories: [String]
  /// The name under which its work is shared; nil where it is not.
  package var share: String?
}

/// What is known of a run when a step is about to start.
package struct RunValues: Sendable {
  /// The id of the run.
  package var run: String
  /// The generation of the run.
  package var generation: Int
  /// The environment that steps inherit.
  package var environment: [String: String]
  /// The variables of it whose values are not UTF-8: they are passed on, but are no texts.
  package var variablesThatAreNoText: Set<String> = []
  /// The values of secrets, by scope and name.
  package var secrets: @Sendable (_ scope: Int, _ name: String) -> String?
  /// What became of a step, by its id; nil where the run has no such step.
  package var step: @Sendable (_ id: String) -> StepValues?
  /// How the steps before have ended.
  package var status: RunEnding
  /// A hash over the contents of files.
  package var hashFiles: @Sendable (_ patterns: [String]) throws -> String

  package init(
    run: String, generation: Int, environment: [String: String],
    secrets: @escaping @Sendable (_ scope: Int, _ name: String) -> String?,
    step: @escaping @Sendable (_ id: String) -> StepValues?, status: RunEnding,
    hashFiles: @escaping @Sendable (_ patterns: [String]) throws -> String
  ) {
    self.run = run
    self.generation = generation
    self.environment = environment
    self.secrets = secrets
    self.step = step
    self.status = status
    self.hashFiles = hashFiles
  }
}

/// What became of a step.
package struct StepValues: Sendable, Equatable {
  /// `success`, `failure`, `cancelled`, `skipped`, or empty while it is not over.
  package var result: String
  package var outputs: [String: String]

  package init(result: String, outputs: [String: String]) {
    self.result = result
    self.outputs = outputs
  }
}

/// Why a value of a step could not be computed.
package struct ResolutionError: Error, Equatable, CustomStringConvertible {
  /// Where the value stands and what is wrong, as a sentence without a full stop.
  package let description: String

  init(_ place: String, _ error: EvaluationError) {
    switch error {
    case .mistake(let mistake), .missingOutput(let mistake):
      description = printable(
        "\(place): \(mistake.message)" + (mistake.hint.map { "; \($0)" } ?? ""))
    case .unknown: description = "\(place) is not known"
    }
  }
}

extension Workflow {
  /// Computes whether a step is to run.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - values: What is known of the run.
  /// - Returns: The condition that came to false, as it was written; nil when it is to run.
  /// - Throws: ``ResolutionError``.
  package func unmetCondition(
    of step: Workflow.Step, _ values: RunValues
  ) throws(ResolutionError) -> String? {
    for condition in step.extras.conditions {
      let source = StepSource(
        workflow: self, values: values, scope: condition.scope, bindings: condition.bindings)
      let value = try source.value(of: condition.template, "if")
      guard value == .null || value.types == .boolean else {
        throw ResolutionError(
          "if",
          .mistake(ExpressionMistake(.conditionValue(value.types), 0..<1)))
      }
      if !value.isTruthy { return condition.template.source }
    }
    return nil
  }

  /// The variables that the file gives a step, as they are written.
  package func declaredEnvironment(of step: Workflow.Step) -> [String: String] {
    scopes[step.extras.scope].environment.merging(step.environment) { $1 }.mapValues(\.source)
  }

  /// Where a step runs, as it is written: each relative to the one before.
  package func declaredDirectories(of step: Workflow.Step) -> [String] {
    (chain(of: step.extras.scope).map { scopes[$0].directory } + [step.directory])
      .compactMap { $0?.source }
  }

  /// Whether a step runs only under some condition.
  package func hasCondition(_ step: Workflow.Step) -> Bool {
    step.extrasIfAny?.conditions.isEmpty == false
  }

  /// Whether a step decides itself what it does when something that it needs has failed.
  package func asksForStatus(_ step: Workflow.Step) -> Bool {
    step.extrasIfAny?.conditions.contains { $0.template.asksForStatus } ?? false
  }

  /// Computes the values of a step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - values: What is known of the run.
  /// - Returns: The step with its values.
  /// - Throws: ``ResolutionError`` for the first value that cannot be computed.
  package func resolved(_ step: Workflow.Step, _ values: RunValues) throws(ResolutionError)
    -> ResolvedStep
  {
    let extras = step.extrasIfAny
    let position = extras?.scope ?? 0
    let scope = scopes[position]
    var source = StepSource(
      workflow: self, values: values, scope: position, bindings: extras?.bindings)
    var environment = try source.fileVariables()
    source.variables = environment
    if !step.environment.isEmpty {
      environment.merge(try source.texts(of: step.environment, "env")) { $1 }
    }
    let action = try step.action.kind.resolved(source)
    var directories: [String] = []
    for scope in chain(of: position) {
      guard let directory = scopes[scope].directory else { continue }
      let outer = StepSource(workflow: self, values: values, scope: scope, bindings: nil)
      directories.append(try outer.text(of: directory, "dir"))
    }
    if let directory = step.directory { directories.append(try source.text(of: directory, "dir")) }
    return ResolvedStep(
      action: action, environment: environment, weakEnvironment: scope.dotenv,
      directories: directories,
      share: try extras?.share.map { share throws(ResolutionError) in
        try source.text(of: share, "share")
      })
  }

  /// Computes the outputs that a step declares.
  ///
  /// - Parameters:
  ///   - step: The step, which has succeeded.
  ///   - written: What it has written to its file of outputs.
  ///   - standardOutput: What it has written to its standard output, without line feeds at the end.
  ///   - values: What is known of the run.
  /// - Returns: All outputs: those that it has written, and those that it declares.
  /// - Throws: ``ResolutionError``.
  package func outputs(
    of step: Workflow.Step, written: [String: String], standardOutput: String, _ values: RunValues
  ) throws(ResolutionError) -> [String: String] {
    guard let extras = step.extrasIfAny, !extras.outputs.isEmpty else { return written }
    var source = StepSource(
      workflow: self, values: values, scope: extras.scope, bindings: extras.bindings)
    source.written = written
    source.standardOutput = standardOutput
    return written.merging(try source.texts(of: extras.outputs, "outputs")) { $1 }
  }

  /// Computes the parameters that a step sees.
  ///
  /// - Throws: ``ResolutionError`` where one has to be computed and cannot be.
  package func parameters(
    of step: Workflow.Step, _ values: RunValues
  ) throws(ResolutionError) -> [String: Value] {
    let source = StepSource(
      workflow: self, values: values, scope: step.extras.scope, bindings: step.extras.bindings)
    do throws(ValueProblem) {
      guard case .map(let values) = try source.value(of: .params, member: nil) else { return [:] }
      return values
    } catch {
      switch error {
      case .missing(let kind), .missingOutput(let kind):
        throw ResolutionError("params", .mistake(ExpressionMistake(kind, 0..<1)))
      case .unknown: throw ResolutionError("params", .unknown)
      }
    }
  }

  /// What stands before the ids of the steps of the file that a step comes from: empty, or `deploy/`.
  package func prefix(of step: Workflow.Step) -> String {
    scopes[step.extrasIfAny?.scope ?? 0].prefix
  }

  /// Whether a name in the file of a step stands for several steps, or none: a `foreach` of nothing.
  package func hasGroup(_ name: String, besides step: Workflow.Step) -> Bool {
    scopes[step.extrasIfAny?.scope ?? 0].groups[name] != nil
  }

  /// Computes what the cache of a step depends on beside files.
  package func cacheKey(of step: Workflow.Step, _ values: RunValues) throws(ResolutionError)
    -> String
  {
    guard let key = step.extras.cache?.key else { return "" }
    let source = StepSource(
      workflow: self, values: values, scope: step.extras.scope, bindings: step.extras.bindings)
    return try source.text(of: key, "cache.key")
  }

  /// Whether the standard output of a step is asked for by its outputs.
  package func needsStandardOutput(_ step: Workflow.Step) -> Bool {
    step.extrasIfAny?.outputs.values.contains { template in
      template.expressions.contains { expression, _ in
        var asks = false
        expression.visit { if case .root(.stdout) = $0.kind { asks = true } }
        return asks
      }
    } ?? false
  }

  /// What the secrets of all files come from, by scope.
  package var secretSources: [(scope: Int, name: String, source: SecretSource)] {
    scopes.enumerated().flatMap { position, scope in
      scope.secrets.sorted { $0.key < $1.key }.map { (position, $0.key, $0.value) }
    }
  }

  /// A scope with those above it, the outermost first.
  private func chain(of scope: Int) -> [Int] {
    var chain: [Int] = []
    var next: Int? = scope
    while let position = next {
      chain.append(position)
      next = scopes[position].parent
    }
    return chain.reversed()
  }
}
