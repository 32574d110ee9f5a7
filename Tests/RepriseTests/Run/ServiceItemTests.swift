import TestSupport
import Testing

@testable import Reprise

/// Services with `foreach` and `matrix`: one for each item.
struct ServiceItemTests {
  private struct Stage {
    let log = Protected<[String]>([])
    /// Services become ready when their gates open.
    var starts: [String: Gate] = [:]
    /// Services fail when their gates open.
    var crashes: [String: Gate] = [:]

    func start(_ text: String) throws -> Run {
      let executor = ClosureExecutor { [self] context in
        let id = context.step.id
        log.withLock { $0.append(id) }
        switch id {
        case "plan": return ["items": "[1, 2]"]
        case "stay":
          try await Gate().waitUnlessCancelled()
          return [:]
        default: break
        }
        guard context.step.action.isService else {
          if case .exec(let words) = context.resolved.action { log.withLock { $0 += words } }
          return [:]
        }
        try await starts[id]?.waitUnlessCancelled()
        context.reportReady(outputs: ["port": "8\(id.suffix(2).first ?? " ")"])
        if let crash = crashes[id] {
          try await crash.waitUnlessCancelled()
          throw FailureReason.exited(status: 1)
        }
        try await Gate().waitUnlessCancelled()
        return [:]
      }
      return Engine(executor: executor).start(try Workflow(text: text, file: "w.yaml"))
    }
  }

  private static let computed = """
    steps:
      - { id: plan, run: x }
      - { id: web, foreach: "${{ fromJSON(steps.plan.outputs.items) }}", service: x }
    """
  private static let written = "steps:\n  - { id: web, foreach: [1, 2], service: x }"

  @Test(arguments: [written, computed])
  func `steps that use a service start when all of its items are ready`(_ text: String)
    async throws
  {
    let (first, second) = (Gate(), Gate())
    let stage = Stage(starts: ["web[0]": first, "web[1]": second])
    let run = try stage.start(
      text + "\n  - { id: test, exec: [\"${{ toJSON(steps.web.outputs.port) }}\"] }")
    await expectEventually("both have started") {
      Set(stage.log.value).isSuperset(of: ["web[0]", "web[1]"])
    }
    first.open()
    await expectEventually("one is ready") { run.state["web[0]"]?.isReady == true }
    #expect(run.state["test"]?.phase == .pending)
    second.open()
    #expect(try await run.outcomeInTime() == .succeeded)
    #expect(stage.log.value.suffix(2) == ["test", #"["80","81"]"#])
    #expect(run.state["web[1]"]?.phase == .succeeded(["port": "81"]))
  }

  @Test func `with a limit, an item starts when the one before it is ready`() async throws {
    let first = Gate()
    let stage = Stage(starts: ["web[0]": first])
    let run = try stage.start(
      """
      steps:
        - { id: web, foreach: [1, 2], max-parallel: 1, service: x }
        - { id: test, run: x }
      """)
    await expectEventually("the first one has started") { stage.log.value == ["web[0]"] }
    first.open()
    #expect(try await run.outcomeInTime() == .succeeded)
    #expect(stage.log.value == ["web[0]", "web[1]", "test"])
  }

  @Test func `when an item has failed, the steps that use the service are cancelled`()
    async throws
  {
    let crash = Gate()
    let stage = Stage(crashes: ["web[1]": crash])
    let run = try stage.start(Self.written + "\n  - { id: stay, run: x }")
    await expectEventually("it is used") { run.state["stay"]?.phase == .running }
    crash.open()
    #expect(
      try await run.outcomeInTime() == .failed(step: "web[1]", reason: .exited(status: 1)))
    #expect(run.state["stay"]?.phase == .cancelled(.failure(ofStep: "web[1]")))
    #expect(run.state["web[0]"]?.phase.isSuccess == true)
  }

  @Test(arguments: [written, computed])
  func `all items are started again together, or one alone`(_ text: String) async throws {
    let stage = Stage()
    let run = try stage.start(text + "\n  - { id: stay, run: x }")
    await expectEventually("it is used") { run.state["stay"]?.phase == .running }
    try await run.perform(.restartServices(["web"]))
    await expectEventually("both run again") {
      ["web[0]", "web[1]"].allSatisfy {
        run.state[$0]?.attempt == 2 && run.state[$0]?.isReady == true
      }
    }
    try await run.perform(.restartServices(["web[1]"]))
    await expectEventually("one runs again") { run.state["web[1]"]?.attempt == 3 }
    #expect(run.state["web[0]"]?.attempt == 2)
    #expect(run.state["stay"]?.phase == .running)
    run.cancel()
    #expect(try await run.outcomeInTime() == .cancelled)
  }

  @Test func `the services of items that never start do not start after a service has failed`()
    async throws
  {
    let started = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      let id = context.step.id
      started.withLock { $0.append(id) }
      guard id != "m[0]/plug" else { throw FailureReason.exited(status: 3) }
      guard context.step.action.isService else { return [:] }
      context.reportReady(outputs: [:])
      try await Gate().waitUnlessCancelled()
      return [:]
    }
    let text = """
      steps:
        - id: m
          foreach: [1, 2, 3]
          max-parallel: 1
          fail-fast: true
          steps:
            - { id: db, service: x }
            - { id: first, run: x, needs: [db] }
            - { id: plug, service: x, needs: [first] }
            - { id: later, run: x, needs: [plug] }
      """
    let run = Engine(executor: executor).start(try Workflow(text: text, file: "w.yaml"))
    guard case .failed = try await run.outcome else {
      Issue.record("\(run.state.phase)")
      return
    }
    #expect(started.value == ["m[0]/db", "m[0]/first", "m[0]/plug"])
    #expect(run.state["m[1]/db"]?.phase == .skipped(.unused, [:]))
  }
}
