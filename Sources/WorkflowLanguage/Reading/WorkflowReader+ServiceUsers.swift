// Checks what services and the steps that use them wait for.

extension WorkflowReader {
  /// Adds the services that belong to a list of steps to its last steps: it is over when they are.
  ///
  /// - Parameters:
  ///   - ends: The last steps.
  ///   - first: The position of the first step of the list.
  ///   - list: The group of the list.
  /// - Returns: The needs of what follows the list.
  @inline(never)
  func withServices(_ ends: [Need], from first: Int, of list: GroupIndex) -> [Need] {
    let services = (first..<steps.count).filter {
      steps[$0].action.isService && groups.list(around: steps[$0].group) == list
        && !ends.contains(.step($0))
    }
    return ends + services.map { .step($0) }
  }

  /// Returns why a step cannot use a service, whose id it needs; nil if it can.
  func problem(ofUsing service: Workflow.Step, _ step: Workflow.Step) -> Diagnostic.Cause? {
    let list = groups.list(around: service.group)
    guard service.action.isService, !groups.contains(step.group, in: list) else { return nil }
    return .serviceOutside(service.id, of: groups[list].hasID ? groups[list].name : nil)
  }

  /// Warns of services in a list none of whose other steps can use them.
  mutating func warnOfServices(_ services: ServiceUsers) {
    for (service, users) in services.users where users.isEmpty {
      let step = steps[service.position]
      guard groups.list(around: step.group) != .run else { continue }
      let draft = drafts[service.position]
      readers[draft.file].report(
        .serviceOfNothing(step.id), at: draft.mark, length: draft.length, severity: .warning)
    }
  }

  /// Reports steps that would wait forever because of a service.
  mutating func checkServices(in graph: Graph) {
    guard steps.contains(where: \.action.isService) else { return }
    var workflow = Workflow(
      name: "", description: nil, file: nil, shell: .standard, timeout: nil, grace: nil,
      maxParallel: nil, concurrency: nil, steps: steps, outline: .sequence([]), graph: graph)
    workflow.groups = groups
    let plan = Plan(workflow)
    let services = ServiceUsers(of: plan)
    warnOfServices(services)
    if let cycle = plan.cycleThroughServices(services) {
      report(.serviceCycle(cycle), atStep: cycle.first ?? "")
    }
    if let (step, service, pool) = plan.stepThatWaitsForPool(services) {
      report(.poolOfService(pool: pool, service: service), atStep: step)
    }
  }

  private mutating func report(_ cause: Diagnostic.Cause, atStep id: String) {
    guard let position = steps.firstIndex(where: { $0.id == id }) else { return }
    let draft = drafts[position]
    readers[draft.file].report(cause, at: draft.mark, length: draft.length)
  }
}
