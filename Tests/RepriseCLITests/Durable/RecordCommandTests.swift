import Foundation
import TestSupport
import Testing

/// The commands that show recorded runs.
struct RecordCommandTests {
  /// Returns a folder with a successful run of `hello` and a failed one of `ship`.
  private func recorded() async throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: greet, run: echo hi }]", to: "workflows/hello.yaml")
    try scenario.write(
      "steps: [{ id: build, run: echo built }, { id: push, run: echo no; exit 3 }]",
      to: "workflows/ship.yaml")
    try await scenario.reprise("run", "hello", "--progress", "none").succeeds()
    try await scenario.reprise("run", "ship", "--progress", "none").fails(with: 1)
    try await scenario.reprise("run", "hello", "--progress", "none").succeeds()
    return scenario
  }

  @Test func `a run is named by its workflow, or as the last failed one`() async throws {
    let scenario = try await recorded()
    let ids = try await scenario.runs().map(\.id)
    for (name, id) in [
      ("@last", ids[0]), ("@hello", ids[0]), ("@ship", ids[1]), ("@failed", ids[1]),
    ] {
      let shown = try await scenario.reprise("show", name).succeeds()
      #expect(shown.output.hasPrefix("run \(id) of "), "\(name)")
    }
    let unknown = try await scenario.reprise("logs", "@shop").fails(with: 2)
    #expect(unknown.errors.contains("did you mean \"@ship\"?"))
    #expect(unknown.errors.contains("choose from: @last, @failed, @hello, @ship"))
  }

  @Test func `attach to a run that has ended shows it, with its exit status`() async throws {
    let scenario = try await recorded()
    let failed = try await scenario.reprise("attach", "@failed").fails(with: 1)
    #expect(failed.output.contains("of ship: failed\n") && failed.output.contains("push"))
    let succeeded = try await scenario.reprise("attach", "@hello").succeeds()
    #expect(succeeded.output.contains("of hello: succeeded\n"))
    let json = try await scenario.reprise("attach", "@hello", "--progress", "json").succeeds()
    #expect(json.output.split(separator: "\n").last?.contains(#""event":"run-ended""#) == true)
    let none = try await scenario.reprise("attach", "@failed", "--progress", "none").fails(with: 1)
    #expect(none.output.isEmpty)
  }

  @Test func `show has formats for people and for programs`() async throws {
    let scenario = try await recorded()
    let timeline = try await scenario.reprise("show", "@failed", "--timeline").succeeds()
    #expect(timeline.output.contains("* critical path, ") && timeline.output.contains("▓"))
    for arguments in [["--json"], ["--format", "json"], ["--format", "trace"]] {
      let ended = try await scenario.start(["show", "@failed"] + arguments).end().succeeds()
      #expect(throws: Never.self) {
        try JSONSerialization.jsonObject(with: Data(ended.output.utf8))
      }
    }
    try await scenario.reprise("show", "@failed", "--json", "--timeline").fails(with: 2)
  }

  @Test func `logs prints all steps with times, or those that failed`() async throws {
    let scenario = try await recorded()
    let all = try await scenario.reprise("logs", "@ship").succeeds()
    let lines = all.output.split(separator: "\n")
    #expect(lines.map { $0.dropFirst(13) } == ["build │ built", "push │ no"])
    #expect(lines.allSatisfy { $0.prefix(13).wholeMatch(of: #/\d\d:\d\d:\d\d\.\d{3} /#) != nil })
    let failed = try await scenario.reprise("logs", "@ship", "--failed", "--no-timestamps")
    #expect(failed.succeeds().output == "push │ no\n")
    #expect(try await scenario.reprise("logs", "@ship", "push").succeeds().output == "no\n")
    let none = try await scenario.reprise("logs", "@hello", "--failed").fails(with: 2)
    #expect(none.errors.contains("no step of run"))
    try await scenario.reprise("logs", "@ship", "--since", "yesterday").fails(with: 2)
  }

  @Test func `old runs are deleted when a run has ended`() async throws {
    let scenario = try Scenario()
    try scenario.write("keep: { runs: 2 }\nsteps: [{ id: a, run: echo hi }]", to: "w.yaml")
    for _ in 0..<3 {
      try await scenario.reprise("run", "w.yaml", "--progress", "none").succeeds()
    }
    #expect(try await scenario.runs().count == 2)
    try scenario.write("{ runs: one }", to: ".reprise/keep.yaml")
    let warned = try await scenario.reprise("run", "w.yaml", "--progress", "plain").succeeds()
    #expect(warned.errors.contains("old runs are not deleted"))
    #expect(warned.errors.contains("keep.yaml:1:9"))
  }
}
