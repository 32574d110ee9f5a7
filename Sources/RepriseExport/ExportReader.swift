// Evaluates the steps of a workflow for an export, and refuses what no export format has.

import WorkflowFiles

/// Computes everything that is known before a run.
struct ExportReader {
  private(set) var steps: ExportedSteps
  private(set) var refusals = RefusalList()
  private let command: ScriptCommand
  private let values: ValueReader

  private var workflow: Workflow { steps.workflow }

  init(_ workflow: Workflow, running command: @escaping ScriptCommand) {
    steps = ExportedSteps(workflow: workflow)
    values = ValueReader(workflow: workflow)
    self.command = command
  }

  // MARK: The workflow

  /// Refuses the keys of the workflow that only Reprise knows.
  mutating func readWorkflow() {
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
    for scope in workflow.scopes where !scope.dotenv.isEmpty {
      refusals.add(
        scope.prefix.isEmpty ? .workflow : .file(scope.prefix), "dotenv",
        "its values would be written into the exported file")
    }
  }

  private mutating func refuse(_ key: String, _ reason: String) {
    refusals.add(.workflow, key, reason)
  }

  /// Computes the limit for the whole workflow that has the same effect as those of its groups.
  ///
  /// The other engines have no limit for a part of a workflow. One for all of it is the same if
  /// everything else that runs at the same time as a step stays below it anyway. Quadratic in the
  /// number of steps, if there is such a group.
  private mutating func readLimits() {
    steps.maxParallel = workflow.maxParallel
    let limited = workflow.groups.indices.filter {
      $0 != .run && workflow.groups[$0].maxParallel != nil
    }
    guard let first = limited.first, let limit = workflow.groups[first].maxParallel else { return }
    func group(of index: StepIndex) -> GroupIndex? {
      workflow.groups(around: workflow.steps[index.position]).first(where: limited.contains)
    }
    let isSame = workflow.graph.indices.allSatisfy { index in
      let others = steps.besides(index)
      guard let own = group(of: index) else { return others.count < limit }
      return workflow.steps[index.position].group == own
        && workflow.groups[own].maxParallel == limit
        && others.allSatisfy { group(of: $0) == own || group(of: $0) == nil }
    }
    steps.maxParallel = min(workflow.maxParallel ?? limit, limit)
    if !isSame, let step = workflow.graph.indices.first(where: { group(of: $0) != nil }) {
      refusals.add(
        .step(workflow.graph.id(of: step)), "max-parallel",
        "only the whole workflow can have a limit there, and it would hold back other steps")
    }
  }

  // MARK: Steps

  /// Evaluates all steps.
  mutating func readSteps() {
    readLimits()
    for index in workflow.graph.indices {
      var step = ExportedSteps.Step(index: index, step: workflow.steps[index.position])
      refuseRules(of: step)
      readConditions(of: &step)
      // Nothing else matters of a step that never runs.
      if !step.neverRuns {
        refuseKeys(of: step)
        read(&step)
      }
      steps.all.append(step)
    }
  }

  private static let group = "a group of steps has no such key there"
  private static let queue = "the other engine has its own queue"

  /// Refuses the keys that decide when the steps around it run, and that no export format has.
  private mutating func refuseRules(of step: ExportedSteps.Step) {
    let subject = step.subject
    func refuse(_ isSet: Bool, _ key: String, _ reason: String) {
      if isSet { refusals.add(subject, key, reason) }
    }
    let groups = workflow.groups(around: step.step).map { workflow.groups[$0] }
    refuse(groups.contains { $0.timeout != nil }, "timeout", Self.group)
    refuse(groups.contains { $0.isRepeated }, "repeat", Self.group)
    refuse(groups.contains { $0.retry != nil && !$0.isRepeated }, "retry", Self.group)
    refuse(
      groups.contains(where: \.continuesOnError), "continue-on-error",
      "only single steps can be continued after")
    refuse(groups.contains { $0.mutex != nil }, "mutex", Self.group)
    refuse(groups.contains { !$0.pools.isEmpty }, "pool", Self.group)
    refuse(
      groups.contains { $0.failFastCount != nil }, "fail-fast",
      "only the whole workflow can fail fast")
    guard let extras = step.extras else { return }
    refuse(
      !step.hasEqualRules, "needs",
      "a step of the other engine expects the same of all needs: success, or that they are over")
    refuse(extras.skipsDependents, "if-skipped", "the other engine has a rule of its own")
    refuse(
      extras.cleanUp != nil, "finally", "only the whole workflow has steps that run at its end")
    refuse(extras.undoes != nil, "undo", "only Reprise knows what a failed run has done")
    refuse(extras.conditionCommand != nil, "if", "a condition of the other engine is not a command")
  }

  /// Refuses the keys of the work of a step that no export format has.
  private mutating func refuseKeys(of step: ExportedSteps.Step) {
    let subject = step.subject
    func refuse(_ isSet: Bool, _ key: String, _ reason: String) {
      if isSet { refusals.add(subject, key, reason) }
    }
    guard let extras = step.extras else { return }
    refuse(extras.cache != nil, "cache", "the other engine runs every step of every run")
    refuse(extras.share != nil, "share", "steps of the other engine do not share an execution")
    refuse(extras.usesTerminal, "terminal", "steps of the other engine have no terminal")
    refuse(extras.writesToTerminal, "tty", "steps of the other engine have no terminal")
    refuse(extras.priority != 0, "priority", Self.queue)
    refuse(
      extras.repetition != nil, "repeat", "the other engine repeats a step only after a failure")
    refuse(!extras.pools.isEmpty, "pool", "the pools of a project are those of Reprise")
  }

  private mutating func read(_ step: inout ExportedSteps.Step) {
    switch step.step.action.form {
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
      readCommand(of: &step)
    }
    readEnvironment(of: &step)
    readDirectories(of: &step)
    readOutputs(of: &step)
    for (key, value) in step.values {
      var names: Set<String> = []
      value.visit { part in
        guard let text = part.constant?.asText else { return }
        names.formUnion(text.matches(of: /REPRISE_[A-Z_]+/).map { String($0.output) })
      }
      step.variables += names.sorted().map { ($0, key) }
    }
  }
}

// The values of steps.
extension ExportReader {
  private typealias Place = ValueReader.Place

  private func place(of step: ExportedSteps.Step) -> Place {
    Place(scope: step.extras?.scope ?? 0, bindings: step.extras?.bindings)
  }

  /// Returns the text of a template; nil if it is refused.
  private mutating func text(
    _ template: Template, _ place: Place, _ subject: ExportRefusal.Subject, _ key: String
  ) -> ExportedValue? {
    do throws(ValueReader.Problem) {
      return try values.text(of: template, place)
    } catch {
      refusals.add(subject, key, error.reason)
      return nil
    }
  }

  /// Returns a scope and those of the files that use it, the outermost first.
  private func chain(of scope: Int) -> [Int] {
    let parents = sequence(first: scope) { workflow.scopes[$0].parent }
    return parents.reversed()
  }

  private mutating func readCommand(of step: inout ExportedSteps.Step) {
    guard let script = step.step.action.script else {
      let place = place(of: step)
      step.command = []
      for template in step.step.action.templates {
        if let word = text(template, place, step.subject, "exec") { step.command?.append(word) }
      }
      return
    }
    if script.hasPrefix("#!"), !step.step.hasOwnShell {
      refusals.add(step.subject, "run", "its first line names an interpreter; use \"shell\"")
    }
    step.command = command(step.step.shell ?? workflow.shell, script)
      .map { .constant(.text($0)) }
  }

  /// Reads the variables of the files, groups and settings around a step, the outermost first.
  private mutating func readEnvironment(of step: inout ExportedSteps.Step) {
    let place = place(of: step)
    var all: [String: ExportedValue] = [:]
    func add(_ variables: [String: Template], _ place: Place) {
      for (name, template) in variables.sorted(by: { $0.key < $1.key }) {
        all[name] = text(template, place, step.subject, "env.\(name)")
      }
    }
    for scope in chain(of: place.scope) {
      let found = workflow.scopes[scope]
      for outer in found.callerOuter {
        add(outer.environment, Place(scope: outer.scope, bindings: outer.bindings))
      }
      add(found.callerEnvironment, Place(scope: found.parent ?? 0, bindings: found.bindings))
    }
    add(
      workflow.scopes[place.scope].environment,
      Place(scope: place.scope, isFileEnvironment: true))
    for outer in step.extras?.outer ?? [] {
      add(outer.environment, Place(scope: outer.scope, bindings: outer.bindings))
    }
    add(step.step.environment, place)
    step.environment = all.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// Reads the directories of the files, groups and settings around a step, the outermost first.
  private mutating func readDirectories(of step: inout ExportedSteps.Step) {
    let place = place(of: step)
    var all: [(Template, Place)] = []
    func add(_ settings: [OuterSettings]) {
      for outer in settings {
        let place = Place(scope: outer.scope, bindings: outer.bindings)
        all += outer.directories.map { ($0, place) }
      }
    }
    for scope in chain(of: place.scope) {
      let found = workflow.scopes[scope]
      add(found.callerOuter)
      let caller = Place(scope: found.parent ?? 0, bindings: found.bindings)
      all += found.callerDirectories.map { ($0, caller) }
      if let directory = found.directory { all.append((directory, Place(scope: scope))) }
    }
    add(step.extras?.outer ?? [])
    all += (step.extras?.directories ?? []).map { ($0, place) }
    if let directory = step.step.directory { all.append((directory, place)) }
    for (template, place) in all {
      if let value = text(template, place, step.subject, "dir") { step.directories.append(value) }
    }
  }

  private mutating func readConditions(of step: inout ExportedSteps.Step) {
    for condition in step.extras?.conditions ?? [] {
      var place = Place(scope: condition.scope, bindings: condition.bindings)
      if !step.isFinally { place.needs = Array(workflow.graph.needs(of: step.index)) }
      do throws(ValueReader.Problem) {
        let value = try values.value(of: condition.template, place)
        // One that is always true says nothing.
        if value.constant?.isTruthy != true {
          step.conditions.append((condition.template.source, value))
        }
      } catch {
        refusals.add(step.subject, "if", error.reason)
      }
    }
  }

  private mutating func readOutputs(of step: inout ExportedSteps.Step) {
    for (name, template) in (step.extras?.outputs ?? [:]).sorted(by: { $0.key < $1.key }) {
      if let value = text(template, place(of: step), step.subject, "outputs.\(name)") {
        step.outputs.append((name, value))
      }
    }
  }
}
