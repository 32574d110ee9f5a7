import Foundation
import TestSupport
import Testing

/// The client in `Examples/python`, run by Python with the built command.
@Suite(.serialized) struct EnginePythonTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples/python")

  private func python(_ scenario: Scenario, _ arguments: String) async throws -> Scenario.Ended {
    let executable = Scenario.Started.executable.path
    return try await scenario.shell(
      "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='\(Self.folder.path)' REPRISE='\(executable)' python3 "
        + arguments)
  }

  @Test func `the client is short`() throws {
    let text = try String(
      contentsOf: Self.folder.appendingPathComponent("reprise.py"), encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
  }

  @Test func `the client runs a file, reports each transition, and restarts from a step`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: a, run: echo a >> log }
        - { id: b, run: "[ $REPRISE_GENERATION = 2 ] || exec sleep 63.1; echo b >> log" }
        - { id: c, run: echo c >> log }
      """, to: "w.yaml")
    let demo = "'\(Self.folder.path)/reprise.py' w.yaml"
    let ended = try await python(scenario, demo + " --restart b").succeeds()
    let lines = ended.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.first == "run-started" && lines.last == "run-ended")
    #expect(lines.contains("run-restarting") && lines.contains("step-succeeded c"))
    #expect(lines.filter { $0 == "step-started b" }.count == 2)
    #expect(lines.filter { $0 == "step-started a" }.count == 1)
    // The first `b` may be cancelled before its shell has run a command, so it may write no line.
    #expect(scenario.read("log") == "a\nb\nc\n")
    #expect(try await scenario.runs().map(\.generation) == [2])
  }

  @Test func `the exit status is the outcome of the run`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: exit 3 }]", to: "w.yaml")
    try await python(scenario, "'\(Self.folder.path)/reprise.py' w.yaml").fails(with: 1)
  }

  @Test func `the engine starts, cancels and approves runs, and ends with its block`() async throws
  {
    let scenario = try Scenario()
    let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
    try scenario.write(
      """
      import json
      from reprise import Engine

      with Engine() as engine:
          try:
              engine.start(text="steps: [{ id: a, rum: x }]")
          except RuntimeError as error:
              print("refused", "did you mean" in str(error))
          asking = "steps: [{ id: go, approval: Go on? }]"
          runs = {engine.start(text=asking): name for name in ("one", "two", "three")}
          sleeping = engine.start("sleep.yaml", params={"time": "\(mark)"})
          names = {**runs, sleeping: "sleeping"}
          ended = {}
          for event in engine.events():
              name = names[event["run"]]
              if event["event"] == "step-waiting" and name == "three":
                  engine.cancel(event["run"], now=True)
              elif event["event"] == "step-waiting":
                  engine.approve(event["run"], "go", approved=name == "one")
              elif event["event"] == "run-ended":
                  ended[name] = event["outcome"]
                  if len(ended) == 3:
                      break
          print(json.dumps(ended, sort_keys=True))
      print(engine._process.returncode)
      """, to: "test.py")
    try scenario.write(
      """
      params: { time: { required: true } }
      steps: [{ id: a, env: { TIME: "${{ params.time }}" }, run: sleep $TIME }]
      """, to: "sleep.yaml")
    let ended = try await python(scenario, "test.py").succeeds()
    #expect(
      ended.output == """
        refused True
        {"one": "succeeded", "three": "cancelled", "two": "failed"}
        0

        """, "\(ended.errors)")
    #expect(try await scenario.runs().map(\.status).contains("cancelled"))
    #expect(processes(with: mark) == [])
  }
}
