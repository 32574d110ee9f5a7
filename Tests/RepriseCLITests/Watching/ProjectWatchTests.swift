import Foundation
import RepriseJournal
import TestSupport
import Testing

/// `reprise watch` without a name: all workflows of the project that have triggers.
@Suite(.serialized) struct ProjectWatchTests {
  /// Starts to watch a project, and waits until workflows are watched.
  private func watching(
    _ scenario: Scenario, _ names: String...
  ) async throws -> Scenario.Started {
    let started = try scenario.start("watch --progress plain", writingTo: "output")
    for name in names { await scenario.becomes("watching", name) }
    return started
  }

  private func logs(_ name: String, on: String) -> String {
    "on: \(on)\nsteps: [{ id: a, run: 'echo \(name) >> \(name).log' }]\n"
  }

  @Test func `it watches every workflow with triggers, and says what it waits for`() async throws {
    let scenario = try Scenario()
    try scenario.write(logs("site", on: "{ files: 'src/**' }"), to: "workflows/site.yaml")
    try scenario.write(
      logs("nightly", on: "{ schedule: '0 2 * * *' }"), to: "workflows/nightly.yaml")
    try scenario.write(
      """
      workflows:
        deploy: { on: { socket: true }, steps: [{ id: a, run: 'echo deploy >> deploy.log' }] }
        other: { steps: [{ id: a, run: echo other }] }
      """, to: "workflows/tasks.yaml")
    try scenario.write("steps: [{ id: a, run: echo plain }]\n", to: "workflows/plain.yaml")
    let started = try await watching(scenario, "site", "nightly", "deploy")
    try scenario.write("1", to: "src/x")
    try await scenario.reprise("trigger", "deploy", "--wait").succeeds()
    await expectEventually("both have run") {
      scenario.has("site.log") && scenario.has("deploy.log")
    }
    await expectEventually("it says what comes next") {
      scenario.read("output").contains("next: nightly at 20")
    }
    started.send(SIGINT)
    try await started.end().fails(with: 130)
    let output = scenario.read("output")
    #expect(output.contains("watching site: files src/**"))
    #expect(output.contains("watching deploy: socket"))
    #expect(output.contains(" site a started"))
    #expect(!output.contains("plain"))
  }

  @Test func `workflows are taken up as they are added, changed and removed`() async throws {
    let scenario = try Scenario()
    try scenario.write(logs("site", on: "{ files: 'src/**' }"), to: "workflows/site.yaml")
    let started = try await watching(scenario, "site")
    try scenario.write(logs("added", on: "{ start: true }"), to: "workflows/added.yaml")
    await expectEventually("the added workflow has run") { scenario.has("added.log") }
    await scenario.becomes("watching", "added")
    // Its file is one of those that start it, so that it runs once before the change applies.
    try scenario.write(logs("site", on: "{ files: 'lib/**' }"), to: "workflows/site.yaml")
    await scenario.becomes("watching", "site", on: "files lib/**")
    try? FileManager.default.removeItem(at: scenario.folder.appendingPathComponent("site.log"))
    try scenario.write("1", to: "src/x")
    try scenario.write("1", to: "lib/x")
    await expectEventually("site has run") { scenario.read("site.log") == "site\n" }
    try FileManager.default.removeItem(
      at: scenario.folder.appendingPathComponent("workflows/added.yaml"))
    await scenario.becomes("ended", "added")
    started.send(SIGINT)
    try await started.end().fails(with: 130)
    #expect(scenario.read("output").contains("added is not watched any more"))
    #expect(scenario.read("added.log") == "added\n")
  }

  @Test func `a change waits for the end of a run, which is not cancelled`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      on: { socket: true }
      steps: [{ id: a, run: 'touch begun; until test -e go; do sleep 0.02; done; touch done' }]
      """, to: "workflows/long.yaml")
    let started = try await watching(scenario, "long")
    try await scenario.reprise("trigger", "long").succeeds()
    await expectEventually("the run has begun") { scenario.has("begun") }
    try scenario.write(logs("long", on: "{ files: 'src/**' }"), to: "workflows/long.yaml")
    await expectEventually("it says so") {
      scenario.read("output").contains("the change of \"on\" applies when its run has ended")
    }
    try scenario.write("", to: "go")
    await scenario.becomes("watching", "long", on: "files src/**")
    #expect(scenario.has("done"))
    started.send(SIGINT)
    try await started.end().fails(with: 130)
    #expect(try await scenario.runs().first?.status == "succeeded")
  }

  @Test func `a file with errors is reported, and its workflow stays watched`() async throws {
    let scenario = try Scenario()
    try scenario.write(logs("site", on: "{ files: 'src/**' }"), to: "workflows/site.yaml")
    try scenario.write(logs("deploy", on: "{ socket: true }"), to: "workflows/deploy.yaml")
    let started = try await watching(scenario, "site", "deploy")
    try scenario.write("on: { socket: true\n", to: "workflows/deploy.yaml")
    await expectEventually("the error is reported") {
      scenario.read("output").contains("workflows/deploy.yaml:2")
    }
    try scenario.write("1", to: "src/x")
    await expectEventually("the other one runs") { scenario.has("site.log") }
    await scenario.becomes("watching", "deploy")
    try scenario.write(logs("deploy", on: "{ socket: true }"), to: "workflows/deploy.yaml")
    await expectEventually("the event is accepted again") {
      (try? await scenario.reprise("trigger", "deploy", "--wait"))?.status == 0
    }
    started.send(SIGINT)
    try await started.end().fails(with: 130)
  }

  @Test func `after a crash, the next one resumes the runs of all workflows`() async throws {
    let scenario = try Scenario()
    for name in ["one", "two"] {
      try scenario.write(
        """
        on: { socket: true }
        steps:
          - { id: a, run: 'echo \(name) >> \(name).log' }
          - { id: b, run: 'touch \(name).begun; until test -e go; do sleep 0.02; done' }
        """, to: "workflows/\(name).yaml")
    }
    let first = try await watching(scenario, "one", "two")
    for name in ["one", "two"] {
      for _ in 0..<2 { try await scenario.reprise("trigger", name).succeeds() }
    }
    await expectEventually("both are in their second step") {
      scenario.has("one.begun") && scenario.has("two.begun")
    }
    kill(first.id, SIGKILL)
    _ = try await first.end()
    try scenario.write("", to: "go")
    let second = try await watching(scenario, "one", "two")
    try await expectEventually("every event has one run") {
      try await scenario.runs().filter { $0.status == "succeeded" }.count == 4
    }
    second.send(SIGINT)
    try await second.end().fails(with: 130)
    for name in ["one", "two"] { #expect(scenario.read("\(name).log") == "\(name)\n\(name)\n") }
    #expect(try await scenario.runs().count == 4)
  }

  @Test func `what cannot be watched is refused with the reason`() async throws {
    let scenario = try Scenario()
    let none = try await scenario.reprise("watch").fails(with: 2)
    #expect(none.errors.contains("reprise init"))
    try scenario.write("steps: [{ id: a, run: echo plain }]\n", to: "workflows/plain.yaml")
    let plain = try await scenario.reprise("watch").fails(with: 2)
    #expect(plain.errors.contains("no workflow in \"workflows\" has triggers"))
    try scenario.write(logs("lines", on: "{ stdin: lines }"), to: "workflows/lines.yaml")
    let lines = try await scenario.reprise("watch").fails(with: 2)
    #expect(lines.errors.contains("reprise watch lines"))
    let parameters = try await scenario.reprise("watch", "-p", "a=b").fails(with: 2)
    #expect(parameters.errors.contains("need the name of a workflow"))
    try scenario.write("name: x\n" + logs("a", on: "{ socket: true }"), to: "workflows/a.yaml")
    try scenario.write("name: x\n" + logs("b", on: "{ socket: true }"), to: "workflows/b.yaml")
    let started = try await watching(scenario, "x")
    #expect(scenario.read("output").contains("are both called \"x\""))
    started.send(SIGINT)
    try await started.end().fails(with: 130)
  }
}

extension Scenario {
  /// Waits until a watch is in a state, with a trigger among those that it reports.
  fileprivate func becomes(_ state: String, _ name: String, on trigger: String = "") async {
    await expectEventually("\(name) is \(state) \(trigger)") {
      let listed = try? await reprise("triggers", "--json")
      return listed?.output.split(separator: "\n").contains { line in
        line.contains(#""workflow":"\#(name)""#) && line.contains(#""state":"\#(state)""#)
          && (trigger.isEmpty || line.contains(trigger))
      } == true
    }
  }
}
