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
  /// How many workflows each of them uses, one within the other.
  private var depths: [String: Int] = [:]
  /// How deep a workflow may use others; the language allows one more.
  private static let depthMax = 15
  private static let stepsMax = 100_000

  init(_ text: String, name: String, folder: ImportFolder) {
    makefile = Makefile(text, name: name, folder: folder)
    graph = MakeGraph(makefile)
  }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    guard let first = graph.defaultGoal else { throw ImportError("it has no rule with a target") }
    plan(first)
    // What a recipe needs as a known value is no parameter anywhere: the second time knows it.
    _ = workflows(first)
    (parameters, depths, stepCount) = ([:], [:], 0)
    let items = workflows(first)
    guard stepCount <= Self.stepsMax else {
      throw ImportError("it has more than \(Self.stepsMax) steps")
    }
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
    if graph.closure(of: goals).contains(where: { graph.needs(of: $0).contains(first) }) {
      goals.insert(first, at: 0)
    }
    for name in [first] + goals where ids[name] == nil {
      ids[name] = names.workflow(for: name, otherwise: "target")
    }
  }

  private mutating func workflows(_ first: String) -> [Draft.Item] {
    var written: [String: [Draft.Item]] = [:]
    // Those that a workflow uses are written first, so that their parameters are known.
    let isGoal = Set(goals)
    for goal in graph.closure(of: goals) where isGoal.contains(goal) {
      guard stepCount <= Self.stepsMax else { break }
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
    let used = (makefile.findings.requiredNames + makefile.variables.names).filter(names.contains)
    if !used.isEmpty {
      let parameters = used.map { Draft.Item($0, parameter($0)) }
      items.append(Draft.Item("params", .map(parameters)))
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

  private func parameter(_ name: String) -> Draft {
    guard let variable = makefile.variables[name] else {
      let text = "make takes it from the environment, or as empty"
      return .map([Draft.Item("description", .text(text))])
    }
    return .parameter(variable.value?.known ?? variable.raw)
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
    /// The targets that need each of those that the goal needs.
    var users: [String: [String]] = [:]
    var names = StepNames()
    var steps: [(item: Draft.Item, id: String, needs: [String])] = []
    var parameters: [String] = []
    /// How many workflows it uses, one within the other.
    var depth = 0
    /// The steps whose end is the end of a target.
    var ends: [String: [String]] = [:]
    /// The targets that are being visited, each because the one before needs it.
    var open: [Visit] = []

    init(_ goal: String, _ graph: MakeGraph) {
      self.goal = goal
      for name in graph.closure(of: [goal]) {
        for need in graph.needs(of: name) { users[need, default: []].append(name) }
      }
    }
  }

  /// A target whose needs are being visited.
  private struct Visit {
    var target: MakeTarget
    var scope: [String: MakeVariable]
    var unvisited: ArraySlice<String>
    var needs: [String] = []
  }

  private mutating func workflow(_ goal: String, isRoot: Bool = false) -> [Draft.Item] {
    var plan = Plan(goal, graph)
    visit(&plan)
    if plan.steps.isEmpty {
      plan.steps = [
        (Draft.Item("", .map([Draft.Item("run", .text("true"))])), ids[goal] ?? "nothing", [])
      ]
    }
    parameters[goal] = plan.parameters
    depths[goal] = plan.depth
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

  /// Adds the steps of a goal, each after those of what it needs.
  ///
  /// Without recursion: a chain of targets may be longer than a stack is deep.
  private mutating func visit(_ plan: inout Plan) {
    var ends = enter(plan.goal, [:], &plan)
    while let last = plan.open.indices.last {
      for end in ends ?? [] where !plan.open[last].needs.contains(end) {
        plan.open[last].needs.append(end)
      }
      if let need = plan.open[last].unvisited.popFirst() {
        ends = enter(need, plan.open[last].scope, &plan)
      } else {
        ends = add(plan.open.removeLast(), &plan)
      }
    }
  }

  /// Returns the steps that end a target; nil if its needs must be visited first.
  private mutating func enter(
    _ name: String, _ own: [String: MakeVariable], _ plan: inout Plan
  ) -> [String]? {
    if let ends = plan.ends[name] { return ends }
    guard !plan.open.contains(where: { $0.target.name == name }) else {
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
    plan.open.append(
      Visit(target: target, scope: scope(of: target, own), unvisited: graph.needs(of: name)[...]))
    return nil
  }

  /// Adds the step of a target whose needs have been visited; returns the steps that end it.
  private mutating func add(_ visit: Visit, _ plan: inout Plan) -> [String] {
    let target = visit.target
    let isMade = target.recipe != nil || target.problem != nil || makefile.problem != nil
    guard isMade || graph.lacksRule(target) else {
      plan.ends[target.name] = visit.needs
      return visit.needs
    }
    var step = MakeStep(target: target, graph: graph, own: visit.scope)
    let (items, comments) = step.items()
    plan.parameters += step.parameters.filter { !plan.parameters.contains($0) }
    let id = plan.names.id(for: target.name, otherwise: "target")
    plan.steps.append((Draft.Item("", .map(items), comments: comments), id, visit.needs))
    stepCount += 1
    plan.ends[target.name] = [id]
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
    guard let depth = depths[name], depth < Self.depthMax else { return false }
    let order = graph.closure(of: [name])
    let inner = Set(order)
    // A target that needs itself is not made a second time.
    guard !plan.open.contains(where: { inner.contains($0.target.name) }) else { return false }
    return order.allSatisfy { need in
      need == name || graph.target(need) == nil
        || (plan.users[need] ?? []).allSatisfy(inner.contains)
    }
  }

  private mutating func addUse(_ name: String, _ plan: inout Plan) -> [String] {
    let names = parameters[name] ?? []
    plan.parameters += names.filter { !plan.parameters.contains($0) }
    plan.depth = max(plan.depth, (depths[name] ?? 0) + 1)
    let id = plan.names.id(for: name, otherwise: "target")
    plan.steps.append((use(name, names), id, []))
    plan.ends[name] = [id]
    return [id]
  }
}
