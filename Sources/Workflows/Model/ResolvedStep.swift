// Resolves a step just before it starts: computes its templates from the values of the run.

/// A step whose templates have been evaluated.
package struct ResolvedStep: Sendable, Equatable {
  /// The work of a step.
  ///
  /// Every kind of step is resolved to one of these.
  package enum Action: Sendable, Equatable {
    case run(String)
    case exec([String])
    case call(String, [String: ArgumentValue])
    case perform(InProcessWork)
    case wait
    case pause(WaitEnd)
    /// A condition is not met; the text says which.
    case unmet(String)
  }

  package var action: Action
  /// The environment variables that the file declares, without those from `dotenv` files.
  package var environment: [String: String]
  /// Variables that apply only if the environment does not define them.
  package var weakEnvironment: [String: String]
  /// The working directories, each relative to the previous one.
  package var directories: [String]
  /// The name under which the work is shared; nil if it is not shared.
  package var share: String?

  /// The settings of a step whose values are not known, which must not be begun.
  package static let unknown = ResolvedStep(
    action: .exec(["false"]), environment: [:], weakEnvironment: [:], directories: [], share: nil)
}

/// The values of a run that are available when a step starts.
package struct RunValues: Sendable {
  /// The id of the run.
  package var run: String
  /// The generation of the run.
  package var generation: Int
  /// The environment that steps inherit.
  package var environment: [String: String]
  /// The variables that earlier steps of the file have set for the step.
  package var stepVariables: [String: String] = [:]
  /// The scope of that file.
  package var scopeOfVariables = 0
  /// The folder of the run; nil if its engine keeps none.
  package var directory: String?
  /// The working directory of the run; empty without a run.
  package var workingDirectory = ""
  /// The reason why the folder of the run could not be created.
  package var directoryProblem: String?
  /// Variables of `environment` whose values are not UTF-8.
  ///
  /// They are passed to processes, but expressions cannot read them.
  package var nonUTF8Variables: Set<String> = []
  /// Returns the value of a secret, by scope and name.
  package var secrets: @Sendable (_ scope: Int, _ name: String) -> String?
  /// Returns the result of a step by its id, or nil if the run has no such step.
  package var step: @Sendable (_ id: String) -> StepValues?
  /// The status of the previous steps.
  package var status: RunEnding
  /// Returns the outcome of the run and the ids of its failed steps, for steps under `finally`.
  package var end: @Sendable () -> RunEnd? = { nil }
  /// Returns a hash of the contents of files.
  package var hashFiles: @Sendable (_ patterns: [String]) throws -> String
  /// Returns the paths of files.
  package var files: @Sendable (_ patterns: [String]) throws -> [String] = { _ in [] }
  /// Writes a text to a file below the folder of the run, and returns its path.
  package var keepInFile: (@Sendable (_ text: String, _ folder: String) throws -> String)?

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

  /// Returns values for what depends on no run: they have no environment, no secrets and no files.
  ///
  /// - Parameter step: Returns the result of a step by its id.
  /// - Returns: The values.
  package static func withoutRun(
    step: @escaping @Sendable (_ id: String) -> StepValues? = { _ in nil }
  ) -> RunValues {
    RunValues(
      run: "", generation: 1, environment: [:], secrets: { _, _ in nil }, step: step,
      status: .success, hashFiles: { _ in "" })
  }
}

extension RunValues {
  /// Returns the folder of the run.
  ///
  /// - Throws: ``ValueProblem`` if there is none.
  func foundDirectory() throws(ValueProblem) -> String {
    guard let directory, directoryProblem == nil else {
      throw .missing(.noRunDirectory(directoryProblem))
    }
    return directory
  }
}

/// The result of a step.
package struct StepValues: Sendable, Equatable {
  /// `success`, `failure`, `cancelled`, `skipped`, or empty if the step has not finished.
  package var result: String
  package var outputs: [String: String]
  /// The exit status of its process; nil if it has none.
  package var status: Int?
  /// The reason why it failed, was cancelled or was skipped; empty if there is none.
  package var reason: String

  /// Whether it has succeeded, or was up to date.
  package var hasSucceeded: Bool { result == "success" }

  package init(
    result: String, outputs: [String: String], status: Int? = nil, reason: String = ""
  ) {
    self.result = result
    self.outputs = outputs
    self.status = status
    self.reason = reason
  }
}

/// How a run has ended, except for its steps under `finally`.
package struct RunEnd: Sendable, Equatable {
  /// `success`, `failure` or `cancelled`.
  package var result: RunEnding
  /// Why it failed or was cancelled, as shown on the screen; otherwise the empty text.
  package var reason: String
  /// Whether it failed because its time was over.
  package var isTimedOut: Bool
  /// The ids of the steps whose failure is not tolerated, in file order.
  package var failed: [String]

  package init(
    result: RunEnding, reason: String = "", isTimedOut: Bool = false, failed: [String] = []
  ) {
    self.result = result
    self.reason = reason
    self.isTimedOut = isTimedOut
    self.failed = failed
  }

  /// The value of `run.outcome`, the former name of the result, with the words of its time.
  var outcome: String {
    switch result {
    case .success: "succeeded"
    case .failure: isTimedOut ? "timed-out" : "failed"
    case .cancelled: "cancelled"
    }
  }
}

/// The reason why a value of a step could not be computed.
package struct ResolutionError: Error, Equatable, CustomStringConvertible {
  /// The location of the value and the error, as a clause without a period.
  package let description: String

  init(text: String) {
    description = printable(text)
  }

  init(_ place: String, _ error: EvaluationError) {
    switch error {
    case .invalid(let error), .missingOutput(let error):
      description = printable(
        "\(place): \(error.message)" + (error.hint.map { "; \($0)" } ?? ""))
    case .unknown: description = "\(place) is not known"
    }
  }
}

extension Workflow {
  /// Evaluates the conditions of a step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - values: The values of the run.
  /// - Returns: The source of the first condition that is false; nil if the step should run.
  /// - Throws: ``ResolutionError``.
  package func unmetCondition(
    of step: Workflow.Step, _ values: RunValues
  ) throws(ResolutionError) -> String? {
    for condition in step.extras.conditions {
      let source = StepSource(
        workflow: self, values: values, scope: condition.scope, bindings: condition.bindings)
      if try !source.decides(condition.template) { return condition.template.source }
    }
    return nil
  }

  /// Evaluates the templates of a step.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - values: The values of the run.
  /// - Returns: The resolved step.
  /// - Throws: ``ResolutionError`` for the first value that cannot be computed.
  package func resolved(_ step: Workflow.Step, _ values: RunValues) throws(ResolutionError)
    -> ResolvedStep
  {
    let extras = step.extrasIfAny
    let position = extras?.scope ?? 0
    let scope = scopes[position]
    var source = StepSource(
      workflow: self, values: values, scope: position, bindings: extras?.bindings)
    var variables = try source.fileVariables()
    variables.merge(values.stepVariables) { $1 }
    var environment = try callerVariables(of: position, values)
    environment.merge(variables) { $1 }
    source.variables = variables
    for outer in extras?.outer ?? [] {
      environment.merge(
        try self.source(of: outer, values, variables).texts(of: outer.environment, "env")
      ) { $1 }
    }
    if !step.environment.isEmpty {
      environment.merge(try source.texts(of: step.environment, "env")) { $1 }
    }
    let action = try step.action.kind.resolved(source)
    var directories: [String] = []
    for scope in chain(of: position) {
      directories += try self.directories(of: scopes[scope].callerOuter, values)
      for directory in scopes[scope].callerDirectories {
        directories.append(try caller(of: scope, values).text(of: directory, "dir"))
      }
      guard let directory = scopes[scope].directory else { continue }
      let outer = StepSource(workflow: self, values: values, scope: scope, bindings: nil)
      directories.append(try outer.text(of: directory, "dir"))
    }
    directories += try self.directories(of: extras?.outer ?? [], values, variables)
    for directory in extras?.directories ?? [] {
      directories.append(try source.text(of: directory, "dir"))
    }
    if let directory = step.directory { directories.append(try source.text(of: directory, "dir")) }
    return ResolvedStep(
      action: action, environment: environment, weakEnvironment: scope.dotenv,
      directories: directories,
      share: try extras?.share.map { share throws(ResolutionError) in
        try source.text(of: share, "share")
      })
  }

  /// The source for what the step that uses the file of a scope passes on to it.
  private func caller(of scope: Int, _ values: RunValues) -> StepSource {
    StepSource(
      workflow: self, values: values, scope: scopes[scope].parent ?? 0,
      bindings: scopes[scope].bindings)
  }

  /// Returns the variables that the steps with `uses` around a step add, the outermost weakest.
  private func callerVariables(
    of scope: Int, _ values: RunValues
  ) throws(ResolutionError) -> [String: String] {
    guard scope != 0 else { return [:] }
    var variables: [String: String] = [:]
    for scope in chain(of: scope) {
      for outer in scopes[scope].callerOuter {
        variables.merge(
          try source(of: outer, values).texts(of: outer.environment, "env")
        ) { $1 }
      }
      guard !scopes[scope].callerEnvironment.isEmpty else { continue }
      let texts = try caller(of: scope, values).texts(of: scopes[scope].callerEnvironment, "env")
      variables.merge(texts) { $1 }
    }
    return variables
  }

  /// Evaluates the declared outputs of a step.
  ///
  /// - Parameters:
  ///   - step: The step, which has succeeded.
  ///   - written: The outputs that the step wrote to its output file.
  ///   - standardOutput: The standard output of the step, without trailing newlines.
  ///   - values: The values of the run.
  /// - Returns: The written outputs, overridden by the declared ones.
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

  /// Returns the parameters visible to a step.
  ///
  /// - Throws: ``ResolutionError`` if a parameter cannot be computed.
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
      case .missing(let cause), .missingOutput(let cause):
        throw ResolutionError("params", .invalid(ExpressionError(cause, 0..<1)))
      case .unknown: throw ResolutionError("params", .unknown)
      }
    }
  }

  /// Whether a step is in the same use of a file as another.
  package func areInSameFile(_ step: Workflow.Step, _ other: Workflow.Step) -> Bool {
    scope(of: step) == scope(of: other)
  }

  /// Returns the position of the scope of the file that declares a step.
  package func scope(of step: Workflow.Step) -> Int { fileScope(of: step.extrasIfAny?.scope ?? 0) }

  /// Returns the prefix of the step ids of the file that declares a step: empty, or `deploy/`.
  package func prefix(of step: Workflow.Step) -> String {
    scopes[step.extrasIfAny?.scope ?? 0].prefix
  }

  /// Whether a name in the file of a step refers to a group of any size, including an empty
  /// `foreach`.
  package func hasGroup(_ name: String, besides step: Workflow.Step) -> Bool {
    group(name, besides: step) != nil
  }

  /// Returns the group to which a name in the file of a step refers; nil if there is none.
  package func group(_ name: String, besides step: Workflow.Step) -> StepGroup? {
    scopes[step.extrasIfAny?.scope ?? 0].groups[name]
  }

  /// Computes the cache key of a step.
  package func cacheKey(of step: Workflow.Step, _ values: RunValues) throws(ResolutionError)
    -> String
  {
    guard let key = step.extras.cache?.key else { return "" }
    let source = StepSource(
      workflow: self, values: values, scope: step.extras.scope, bindings: step.extras.bindings)
    return try source.text(of: key, "cache.key")
  }

  /// The sources of the secrets of all files, with their scopes.
  package var secretSources: [(scope: Int, name: String, source: SecretSource)] {
    let files = scopes.enumerated().filter { $1.enclosing == nil && $1.origin == nil }
    return files.flatMap { position, scope in
      scope.secrets.sorted { $0.key < $1.key }.map { (position, $0.key, $0.value) }
    }
  }

  /// Returns a scope and its ancestors, outermost first.
  func chain(of scope: Int) -> [Int] {
    var chain: [Int] = []
    var next: Int? = scope
    while let position = next {
      chain.append(position)
      next = scopes[position].parent
    }
    return chain.reversed()
  }
}
