// Imports a makefile: its default goal as steps, and its other targets as workflows.

/// Imports makefiles.
struct MakeImport {
  private let makefile: Makefile
  private let graph: MakeGraph
  private var names = StepNames()
  private var ids: [String: String] = [:]
  private var stepCount = 0
  /// The targets that are workflows, in order.
  private var goals: [String] = []
  /// The parameters of the workflows that have been written.
  private var parameters: [String: [String]] = [:]

  init(_ text: String, folder: ImportFolder) {
    makefile = Makefile(text, folder: folder)
    graph = MakeGraph(makefile)
  }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    guard let first = graph.defaultGoal else { throw ImportError("it has no rule with a target") }
    plan(first)
    // What a recipe needs as a known value is no parameter anywhere: the second time knows it.
    _ = workflows(first)
    (parameters, stepCount) = ([:], 0)
    let items = workflows(first)
    let remarks = makefile.findings.remarks
    return ImportDraft(root: .map(items), remarks: remarks, stepCount: stepCount)
  }

  /// Decides which targets are workflows.
  private mutating func plan(_ first: String) {
    var needed: Set<String> = []
    for name in makefile.order {
      guard let target = graph.target(name) else { continue }
      needed.formUnion(target.prerequisites + target.orderOnly)
    }
    goals = makefile.order.filter { name in
      guard name != first, let target = graph.target(name) else { return false }
      guard target.recipe != nil || !target.prerequisites.isEmpty else { return false }
      return makefile.phony.contains(name) || !needed.contains(name)
        || !name.contains("/") && !name.contains(".")
    }
    // The default goal is a workflow, too, if another one needs it.
    if goals.contains(where: { graph.closure(of: $0).contains(first) }) {
      goals.insert(first, at: 0)
    }
    for name in [first] + goals where ids[name] == nil {
      ids[name] = names.workflow(for: name, otherwise: "target")
    }
  }

  private mutating func workflows(_ first: String) -> [Draft.Item] {
    var written: [String: [Draft.Item]] = [:]
    // Those that a workflow uses are written first, so that their parameters are known.
    for goal in goals.sorted(by: { graph.closure(of: $0).count < graph.closure(of: $1).count }) {
      written[goal] = workflow(goal)
    }
    var root: [Draft.Item]
    if goals.contains(first) {
      root = settings(parameters[first] ?? [], isRoot: true)
      root.append(Draft.Item("steps", .list([use(first, parameters[first] ?? [])])))
    } else {
      root = workflow(first, isRoot: true)
    }
    let others = goals.compactMap { goal in
      written[goal].map { Draft.Item(ids[goal] ?? goal, .map($0)) }
    }
    if !others.isEmpty { root.append(Draft.Item("workflows", .map(others))) }
    root[0].comments = [
      "The default goal is \(first); other targets: reprise run FILE#TARGET",
      "Steps run one after the other, as without -j; remove \"max-parallel\" where they need not.",
    ]
    return root
  }

  /// The parameters, environment and the like of a workflow.
  private func settings(_ names: [String], isRoot: Bool = false) -> [Draft.Item] {
    var items: [Draft.Item] = []
    let used = makefile.variables.names.filter(names.contains)
    if !used.isEmpty {
      items.append(
        Draft.Item(
          "params",
          .map(
            used.map { name in
              let variable = makefile.variables[name]
              return Draft.Item(name, .parameter(variable?.value?.known ?? variable?.raw ?? ""))
            })))
    }
    var environment: [Draft.Item] = []
    for name in isRoot ? [] : makefile.exportedNames {
      let value = try? makefile.variables.known("$(\(name))", MakeScope())
      guard let value, !value.contains(MakeVariables.here),
        makefile.variables[name]?.isDefault != true
      else { continue }
      environment.append(Draft.Item(name, .text(value)))
    }
    if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
    return items
  }

  private func use(_ goal: String, _ names: [String]) -> Draft.Item {
    let id = ids[goal] ?? goal
    var items = [Draft.Item("id", .text(id)), Draft.Item("uses", .text("#\(id)"))]
    if !names.isEmpty {
      items.append(
        Draft.Item("with", .map(names.map { Draft.Item($0, .text("${{ params.\($0) }}")) })))
    }
    return Draft.Item("", .map(items))
  }

  // MARK: Workflows

  /// What is written for one goal.
  private struct Plan {
    var goal: String
    var closure: Set<String>
    var ids: [String: String] = [:]
    var names = StepNames()
    var steps: [(item: Draft.Item, id: String, needs: [String])] = []
    var parameters: [String] = []
    /// The steps whose end is the end of a target.
    var ends: [String: [String]] = [:]
    var path: [String] = []
  }

  private mutating func workflow(_ goal: String, isRoot: Bool = false) -> [Draft.Item] {
    var plan = Plan(goal: goal, closure: graph.closure(of: goal))
    _ = visit(goal, [:], &plan)
    if plan.steps.isEmpty {
      plan.steps = [
        (Draft.Item("", .map([Draft.Item("run", .text("true"))])), ids[goal] ?? "nothing", [])
      ]
    }
    parameters[goal] = plan.parameters
    let steps = plan.steps.map { step in
      var item = step.item
      item.value["id"] = nil
      let needs = plan.steps.count > 1 ? [Draft.Item("needs", .texts(step.needs))] : []
      item.value.items.insert(contentsOf: [Draft.Item("id", .text(step.id))] + needs, at: 0)
      return item
    }
    var items: [Draft.Item] = []
    if let text = makefile.targets[goal]?.description {
      items.append(Draft.Item("description", .text(text)))
    }
    items += settings(plan.parameters)
    guard steps.count > 1 else { return items + [Draft.Item("steps", .list(steps))] }
    let group = Draft.map([
      Draft.Item("max-parallel", .word("1")), Draft.Item("fail-fast", .word("true")),
      Draft.Item("parallel", .list(steps)),
    ])
    return items + [Draft.Item("steps", .list([Draft.Item("", group)]))]
  }

  /// Adds the steps of a target after those of what it needs; returns the steps that end it.
  private mutating func visit(
    _ name: String, _ own: [String: MakeVariable], _ plan: inout Plan
  ) -> [String] {
    if let ends = plan.ends[name] { return ends }
    guard !plan.path.contains(name) else {
      makefile.findings.remark(.note, 0, "\(name) needs itself, which make leaves out")
      return []
    }
    guard let target = graph.target(name) else {
      if !makefile.variables.folder.exists(name), name == plan.goal {
        makefile.findings.remark(.missing, 0, "no rule makes \(name)")
      }
      plan.ends[name] = []
      return []
    }
    if name != plan.goal, own.isEmpty, isUsable(name, plan) {
      return addUse(name, &plan)
    }
    let scope = scope(of: target, own)
    plan.path.append(name)
    var needs: [String] = []
    for prerequisite in MakeStep.unique(target.prerequisites + target.orderOnly) {
      for need in visit(prerequisite, scope, &plan) where !needs.contains(need) {
        needs.append(need)
      }
    }
    plan.path.removeLast()
    guard target.recipe != nil || target.problem != nil else {
      plan.ends[name] = needs
      return needs
    }
    var step = MakeStep(target: target, graph: graph, own: scope)
    let (items, comments) = step.items()
    plan.parameters += step.parameters.filter { !plan.parameters.contains($0) }
    let id = plan.names.id(for: name, otherwise: "target")
    plan.steps.append((Draft.Item("", .map(items), comments: comments), id, needs))
    stepCount += 1
    plan.ends[name] = [id]
    return [id]
  }

  /// Returns the variables of a target and of those that need it.
  private func scope(
    of target: MakeTarget, _ own: [String: MakeVariable]
  ) -> [String: MakeVariable] {
    var scope = own
    let matching = makefile.patternOwn.filter {
      MakePattern.stem(target.name, $0.pattern) != nil
    }
    for assignment in matching.map(\.assignment) + target.own {
      let name = String(assignment.name)
      let old = scope[name] ?? makefile.variables[name]
      if let new = Makefile.changed(
        old, assignment, assignment.value, target.line, makefile.variables, MakeScope(own: scope))
      {
        scope[name] = new
      }
    }
    return scope
  }

  /// Whether nothing outside of a target needs what it needs, so that its workflow can be used.
  private func isUsable(_ name: String, _ plan: Plan) -> Bool {
    guard goals.contains(name), parameters[name] != nil else { return false }
    let inner = graph.closure(of: name)
    for other in plan.closure where !inner.contains(other) {
      guard let target = graph.target(other) else { continue }
      let isShared = (target.prerequisites + target.orderOnly).contains {
        $0 != name && inner.contains($0) && graph.target($0) != nil
      }
      if isShared { return false }
    }
    return true
  }

  private mutating func addUse(_ name: String, _ plan: inout Plan) -> [String] {
    let names = parameters[name] ?? []
    plan.parameters += names.filter { !plan.parameters.contains($0) }
    let id = plan.names.id(for: name, otherwise: "target")
    plan.steps.append((use(name, names), id, []))
    plan.ends[name] = [id]
    return [id]
  }
}
