// Evaluates the steps of a workflow for an export, and refuses what no export format expresses.

import WorkflowFiles

/// Computes everything that is known before a run, and refuses what is only known during one.
struct ExportReader {
  private(set) var steps: ExportedSteps
  private(set) var refusals = RefusalList()
  private let command: ScriptCommand
  /// The scopes whose environment or directory cannot be computed before a run.
  private var refusedScopes: Set<Int> = []

  private var workflow: Workflow { steps.workflow }

  init(_ workflow: Workflow, running command: @escaping ScriptCommand) {
    steps = ExportedSteps(workflow: workflow)
    self.command = command
  }

  // MARK: The workflow

  /// Refuses the keys of the workflow that only Reprise knows.
  mutating func readWorkflow() {
    if workflow.grace != nil { refuse("grace", Self.grace) }
    if workflow.keep != nil { refuse("keep", "the other engine keeps its own records") }
    if workflow.durability != nil { refuse("durability", "the other engine keeps its own records") }
    if workflow.onEnd != nil {
      refuse("on-end", "only Reprise runs a command after the end of a run")
    }
    if workflow.condition != nil { refuse("if", "only steps have conditions there") }
    if workflow.order != .file { refuse("order", Self.queue) }
    if workflow.failFastCount > 1 { refuse("fail-fast", "it counts no failures there") }
    if let limit = workflow.concurrency?.limit, limit > 1 {
      refuse("concurrency.limit", "runs of the other engine exclude each other")
    }
    for (position, scope) in workflow.scopes.enumerated() {
      let subject: ExportRefusal.Subject = scope.prefix.isEmpty ? .workflow : .file(scope.prefix)
      if !scope.dotenv.isEmpty {
        refusals.add(subject, "dotenv", "its values would be written into the exported file")
      }
      for name in scope.secrets.keys.sorted() {
        refusals.add(subject, "secrets.\(name)", "only Reprise reads and hides secrets")
      }
      var templates = scope.environment.sorted { $0.key < $1.key }
        .map { (key: "env.\($0.key)", template: $0.value) }
      if let directory = scope.directory { templates.append(("dir", directory)) }
      for (key, template) in templates where !check(template, position, subject, key) {
        refusedScopes.insert(position)
      }
    }
  }

  private mutating func refuse(_ key: String, _ reason: String) {
    refusals.add(.workflow, key, reason)
  }

  // MARK: Steps

  /// Evaluates all steps.
  mutating func readSteps() {
    for index in workflow.graph.indices {
      var step = ExportedSteps.Step(index: index, step: workflow.steps[index.position])
      refuseKeys(of: step)
      read(&step)
      steps.all.append(step)
    }
  }

  private static let group = "a group of steps has no such key there"
  private static let queue = "the other engine has its own queue"
  private static let grace = "the other engine has its own time between SIGTERM and SIGKILL"

  /// Refuses the keys of a step that no export format has.
  private mutating func refuseKeys(of step: ExportedSteps.Step) {
    let subject = step.subject
    func refuse(_ isSet: Bool, _ key: String, _ reason: String) {
      if isSet { refusals.add(subject, key, reason) }
    }
    refuse(step.step.grace != nil, "grace", Self.grace)
    let groups = workflow.groups(around: step.step).map { workflow.groups[$0] }
    refuse(groups.contains { $0.timeout != nil }, "timeout", Self.group)
    refuse(groups.contains { $0.isRepeated }, "repeat", Self.group)
    refuse(groups.contains { $0.retry != nil && !$0.isRepeated }, "retry", Self.group)
    refuse(
      groups.contains(where: \.continuesOnError), "continue-on-error",
      "only single steps can be continued after")
    refuse(
      groups.contains { $0.maxParallel != nil || $0.mutex != nil }, "max-parallel",
      "only the whole workflow can have a limit")
    refuse(
      groups.contains { $0.failFastCount != nil }, "fail-fast",
      "only the whole workflow can fail fast")
    guard let extras = step.extras else { return }
    refuse(extras.cache != nil, "cache", "the other engine runs every step of every run")
    refuse(extras.share != nil, "share", "steps of the other engine do not share an execution")
    refuse(
      extras.needRules != nil, "needs", "a step of the other engine starts when all needs succeeded"
    )
    refuse(extras.usesTerminal, "terminal", "steps of the other engine have no terminal")
    refuse(extras.priority != 0, "priority", Self.queue)
    refuse(extras.conditionCommand != nil, "if", "a condition of the other engine is not a command")
    refuse(
      extras.repetition != nil, "repeat", "the other engine repeats a step only after a failure")
    refuse(!extras.pools.isEmpty, "pool", "the pools of a project are those of Reprise")
    refuse(extras.skipsDependents, "if-skipped", "the other engine has a rule of its own")
    refuse(
      extras.cleanUp != nil, "finally", "only the whole workflow has steps that run at its end")
    refuse(extras.undoes != nil, "undo", "only Reprise knows what a failed run has done")
    refuse(!extras.directories.isEmpty, "dir", "a group has no directory there")
    refuse(!extras.outer.isEmpty, "foreach", "a group has no variables for the items in it there")
    for name in extras.outputs.keys.sorted() {
      refusals.add(subject, "outputs.\(name)", "it is computed by Reprise after the step")
    }
  }

  private mutating func read(_ step: inout ExportedSteps.Step) {
    let scope = step.extras?.scope ?? 0
    let action = step.step.action
    let before = refusals.all.count
    var templates = step.step.environment.sorted { $0.key < $1.key }
      .map { (key: "env.\($0.key)", template: $0.value) }
    if let directory = step.step.directory { templates.append(("dir", directory)) }
    templates += action.templates.map { ("exec", $0) }
    switch action.form {
    case .action(let name):
      return refusals.add(step.subject, "call", "\"\(name)\" is an action of this program")
    case .closure:
      return refusals.add(step.subject, "call", "it is Swift code of this program")
    case .items:
      return refusals.add(
        step.subject, "foreach", "its items are the output of a step, which only Reprise collects")
    case .service:
      return refusals.add(step.subject, "service", "steps of the other engine run to their end")
    case .pause:
      return refusals.add(step.subject, "wait", "the other engine has no step that only waits")
    case .approval:
      if step.extras?.approvalRule != nil {
        refusals.add(step.subject, "approval", "it must be a text; there are no values or defaults")
      }
    case .process:
      if step.extras?.approval != nil {
        refusals.add(
          step.subject, "approval", "only a step that does nothing else can wait for approval")
      }
    }
    for (key, template) in templates { check(template, scope, step.subject, key) }
    for condition in step.extras?.conditions ?? [] {
      check(condition.template, condition.scope, step.subject, "if")
    }
    guard refusals.all.count == before, refusedScopes.isEmpty else { return }
    resolve(&step)
  }

  /// Computes the values of a step, none of which depends on a run.
  private mutating func resolve(_ step: inout ExportedSteps.Step) {
    let values = RunValues.withoutRun()
    do throws(ResolutionError) {
      if let condition = try workflow.unmetCondition(of: step.step, values) {
        refusals.add(step.subject, "if", "it is always false: \(condition)")
      }
      let resolved = try workflow.resolved(step.step, values)
      step.environment = resolved.environment.sorted { $0.key < $1.key }
        .map { (name: $0.key, value: $0.value) }
      step.directories = resolved.directories
      switch resolved.action {
      case .run(let script):
        if script.hasPrefix("#!"), !step.step.hasOwnShell {
          refusals.add(step.subject, "run", "its first line names an interpreter; use \"shell\"")
        }
        step.command = command(step.step.shell ?? workflow.shell, script)
      case .exec(let words): step.command = words
      case .call, .perform, .wait, .pause, .unmet: break
      }
      for word in step.command ?? [] { refuseVariables(in: word, step.subject, "run") }
      for (name, value) in step.environment {
        refuseVariables(in: value, step.subject, "env.\(name)")
      }
    } catch {
      let parts = error.description.split(separator: ": ", maxSplits: 1).map(String.init)
      refusals.add(step.subject, parts.first ?? "", parts.last ?? "")
    }
  }

  /// Refuses a text that reads one of the variables that Reprise sets for its steps.
  private mutating func refuseVariables(
    in text: String, _ subject: ExportRefusal.Subject, _ key: String
  ) {
    for match in text.matches(of: /REPRISE_[A-Z_]+/) {
      refusals.add(subject, key, "only Reprise sets \(match.output)")
    }
  }

  // MARK: Expressions

  /// Refuses a template that reads values that are only known during a run.
  ///
  /// - Returns: Whether it can be computed before.
  @discardableResult
  private mutating func check(
    _ template: Template, _ scope: Int, _ subject: ExportRefusal.Subject, _ key: String
  ) -> Bool {
    let reasons = Set(runTimeReasons(in: template, scope)).sorted()
    for reason in reasons { refusals.add(subject, key, reason) }
    return reasons.isEmpty
  }

  private func runTimeReasons(in template: Template, _ scope: Int) -> [String] {
    var reasons: [String] = []
    for (expression, _) in template.expressions {
      var uses = 0
      expression.visit { part in
        switch part.kind {
        case .root(.params): uses += 1
        case .root(let root) where Self.isOfRun(root):
          reasons.append("\"\(root.rawValue)\" is only known during a run")
        case .call(let function, _) where function.readsFiles || function.isStatus:
          reasons.append("\"\(function.rawValue)()\" is only known during a run")
        default: break
        }
      }
      let named = expression.namedMembers.filter { $0.root == .params }.map(\.name)
      // `toJSON(params)` reads all of them.
      let parameters = named.count == uses ? named : Array(workflow.scopes[scope].parameters.keys)
      for name in parameters { reasons += runTimeReasons(ofParameter: name, scope) }
    }
    return reasons
  }

  private func runTimeReasons(ofParameter name: String, _ scope: Int) -> [String] {
    switch workflow.scopes[scope].parameters[name] {
    case .template(let template, _):
      runTimeReasons(in: template, workflow.scopes[scope].parent ?? 0)
    case .open: ["the parameter \"\(name)\" has no default value"]
    case .value, nil: []
    }
  }

  private static func isOfRun(_ root: Expression.Root) -> Bool {
    switch root {
    case .env, .secrets, .steps, .run, .machine, .trigger, .args, .stdout, .outputs, .status,
      .attempt:
      true
    case .params, .matrix, .item, .index, .workflow: false
    }
  }
}
