import ChildProcesses
import Foundation
import Platform
import TestSupport
import Testing

@testable import Reprise

/// `cache: auto`: what steps use and make is learnt by watching them.
@Suite(.enabled(if: FileTrace.problem == nil)) struct LearningTests {
  private let folder: TemporaryFolder
  private let path: String
  private let memory = TraceMemory()

  init() throws {
    folder = try TemporaryFolder()
    path = try #require(realPath(folder.path))
    for (name, text) in [("a", "1"), ("b", "1"), ("src/x", "1")] {
      try folder.write(name, (text + "\n").utf8)
    }
  }

  /// A clock of runs after the wall clock was set forward by an hour.
  private struct ClockBehind: RunClock {
    var now: Timestamp { SystemClock().now.advanced(by: .seconds(-3600)) }

    func sleep(for duration: Duration) async throws { try await SystemClock().sleep(for: duration) }
  }

  private func engine(
    _ environment: [String: String] = [:], clock: any RunClock = SystemClock()
  ) -> Engine {
    let inherited = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
    var engine = Engine(
      executor: LocalExecutor(environment: inherited, directory: path), clock: clock,
      memory: memory)
    engine.watch = FileWatch(of: path, guardian: nil)
    return engine
  }

  /// Runs a workflow.
  ///
  /// - Returns: The ids of the steps that ran, and the last line of the output of each.
  private func run(
    _ steps: String, _ environment: [String: String] = [:], clock: any RunClock = SystemClock()
  ) async throws -> [String: String] {
    let workflow = try Workflow(text: "steps:\n" + steps, file: "w.yaml")
    let run = engine(environment, clock: clock).start(workflow)
    #expect(try await run.outcome == .succeeded, "\(run.state.steps.map(\.phase))")
    var ran: [String: String] = [:]
    for step in run.state.steps where step.startedAt != nil {
      ran[step.id] = step.output.lines.last?.text ?? ""
    }
    return ran
  }

  private func step(_ script: String, _ cache: String = "auto", id: String = "s") -> String {
    "  - { id: \(id), run: \"\(script)\", cache: \(cache) }\n"
  }

  private func write(_ text: String, to name: String) throws {
    try folder.write(name, (text + "\n").utf8)
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  @Test func `a step runs again when what it has read has changed, and only then`() async throws {
    let steps = step("cat a > out", id: "one") + step("cat b > out2", id: "two")
    #expect(try await run(steps).keys.sorted() == ["one", "two"])
    #expect(try await run(steps).isEmpty)
    try write("2", to: "a")
    #expect(try await run(steps).keys.sorted() == ["one"])
    #expect(try String(contentsOfFile: path + "/out", encoding: .utf8) == "2\n")
    // The same content, with other times.
    try write("2", to: "a")
    #expect(try await run(steps).isEmpty)
  }

  @Test(arguments: [
    // What it has looked for appears, or what it has only looked at changes.
    ("cat none a 2> e > out || true", "none"), ("[ -e none ] || cat a > out", "none"),
    ("[ a -nt b ] || cat b > out", "a"),
    // Something new in a folder that it lists.
    ("ls src > out", "src/y"), ("cat src/* > out", "src/y"), ("find . -name 'q*' > out", "src/q"),
    // What it has made is something else.
    ("cat a > out", "out"), ("mkdir -p d/e; cat a > d/e/out", "d/e/out"),
  ])
  func `a step runs again when this changes`(_ script: String, _ name: String) async throws {
    let steps = step(script)
    #expect(try await run(steps).count == 1)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
    try write("new", to: name)
    #expect(try await run(steps).count == 1)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
  }

  @Test(arguments: ["out", "d", "a"])
  func `a step runs again when this is gone`(_ name: String) async throws {
    let steps = step("mkdir -p d; cat a > out || cat b > out")
    #expect(try await run(steps).count == 1)
    #expect(try await run(steps).isEmpty)
    try remove(name)
    #expect(try await run(steps).count == 1)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
  }

  @Test(arguments: ["extra", "a.swp"])
  func `other files are nothing to it`(_ name: String) async throws {
    let steps = step("cat a src/x > out")
    #expect(try await run(steps).count == 1)
    try write("new", to: name)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
  }

  @Test func `what another step makes in a folder is no reason to list it again`() async throws {
    let steps = step("ls > out", id: "list") + step("mkdir -p gen; cat a > gen/x", id: "make")
    _ = try await run(steps)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
  }

  @Test func `a step learns what it lists, also after the wall clock was set`() async throws {
    let steps = step("find . -name 'q*' > out")
    _ = try await run(steps, clock: ClockBehind())
    #expect(try await run(steps, clock: ClockBehind()).isEmpty, "\(explained(steps))")
  }

  @Test func `what a step before it makes in a listed folder counts`() async throws {
    let steps =
      step("mkdir -p out; for i in $(cat a); do echo $i > out/$i; done", id: "parts")
      + step("cat out/* > all", id: "collect")
    #expect(try await run(steps).count == 2)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
    try write("1 2", to: "a")
    #expect(try await run(steps).count == 2)
    #expect(try String(contentsOfFile: path + "/all", encoding: .utf8) == "1\n2\n")
  }

  @Test(arguments: [
    // Permissions that are not the usual ones.
    ("cp -p src/x out", "chmod 600 src/x"), ("cp -p src/x out", "chmod 600 out"),
    // What a name in a listed folder is.
    ("find src -type f > out", "rm src/x; mkdir src/x"),
    ("find src -type f > out", "ln -s x src/y; rm src/x; ln -s y src/x"),
  ])
  func `a step runs again after this`(_ script: String, _ change: String) async throws {
    let steps = step(script)
    #expect(try await run(steps).count == 1)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
    try TemporaryFolder.run("/bin/sh", ["-c", "cd \(path); \(change)"])
    #expect(try await run(steps).count == 1)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
  }

  @Test func `two names that look alike are two names`() async throws {
    try write("1", to: "src/e\u{301}")
    let steps = step("ls src > out")
    #expect(try await run(steps).count == 1)
    #expect(try await run(steps).isEmpty, "\(explained(steps))")
    try TemporaryFolder.run(
      "/bin/sh",
      ["-c", "cd \(path)/src; mv \"$(printf 'e\\314\\201')\" \"$(printf '\\303\\251')\""])
    #expect(try await run(steps).count == 1)
  }

  @Test func `a change of the outputs or of the rule is one of the step`() async throws {
    func steps(_ outputs: String, _ cache: String = "auto") -> String {
      "  - { id: s, run: cat a src/x, cache: \(cache), outputs: { \(outputs) } }\n"
    }
    let versions = [
      steps("v: \"one ${{ stdout }}\""), steps("v: \"two ${{ stdout }}\""),
      steps("w: \"two ${{ stdout }}\""), steps("w: \"two\""),
      steps("w: \"two\"", "{ auto: true, ignore: b }"),
    ]
    for version in versions {
      #expect(try await run(version).count == 1, "\(version)")
      #expect(try await run(version).isEmpty, "\(explained(version))")
    }
  }

  @Test func `a step that uses what is different in each run is not remembered`() async throws {
    for variable in ["REPRISE_RUN_ID", "REPRISE_ATTEMPT"] {
      let steps = step("cat a > out; echo $\(variable)")
      #expect(try await run(steps)["s"]?.contains("it uses \(variable)") == true)
      #expect(try await run(steps).count == 1)
    }
  }

  @Test func `a name that others add to a listed folder is not taken as seen`() async throws {
    let steps = step(
      "ls src > out; touch began; while [ -e began ]; do sleep 0.02; done",
      "{ auto: true, ignore: began }")
    let workflow = try Workflow(text: "steps:\n" + steps, file: "w.yaml")
    let run = engine().start(workflow)
    await expectEventually("the step has listed the folder") {
      FileManager.default.fileExists(atPath: path + "/began")
    }
    try write("new", to: "src/new")
    try remove("began")
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["s"]?.output.lines.last?.text.contains("changed the folder \"src\"") == true)
  }

  @Test func `a step that changes what it has read is not remembered, and says so`() async throws {
    for script in ["cat a >> b", "read n < a; echo $((n + 1)) > a"] {
      let said = try await run(step(script))["s"]
      #expect(
        said?.contains("cache: auto: it will run again, since it reads and changes") == true,
        "\(said ?? "-")")
      #expect(try await run(step(script)).count == 1)
      #expect(explained(step(script)).contains("nothing was remembered: it reads and changes"))
    }
    // The same content is an input, and files can be left out.
    let same = step("read n < a; echo $n > a; cat b > out")
    #expect(try await run(same).count == 1)
    #expect(try await run(same).isEmpty, "\(explained(same))")
    let left = step("cat a > out; date >> x.log", "{ auto: true, ignore: '*.log' }")
    #expect(try await run(left).count == 1)
    #expect(try await run(left).isEmpty, "\(explained(left))")
  }

  @Test func `a step depends on the variables that it inherits, unless its file says otherwise`()
    async throws
  {
    let steps = step("echo $WORD > out")
    #expect(try await run(steps, ["WORD": "x", "SHLVL": "1"]).count == 1)
    #expect(try await run(steps, ["WORD": "x", "SHLVL": "2", "SSH_CLIENT": "1"]).isEmpty)
    #expect(try await run(steps, ["WORD": "y"]).count == 1)
    let without = step("cat a > out", "{ auto: true, env: false }")
    #expect(try await run(without, ["WORD": "x"]).count == 1)
    #expect(try await run(without, ["WORD": "y"]).isEmpty)
  }

  @Test func `a second attempt is not remembered: it may have read what the first has made`()
    async throws
  {
    let steps =
      "  - { id: s, run: \"[ -e half ] || { touch half; exit 1; }; cat half > out\", cache: auto, "
      + "retry: { limit: 1, delay: 0s } }\n"
    #expect(try await run(steps)["s"]?.contains("it has taken 2 attempts") == true)
    #expect(explained(steps).contains("it has taken 2 attempts"))
  }

  @Test(arguments: [("a", "has changed \"a\" while it ran"), ("none", "has made \"none\"")])
  func `a file that others change while the step runs is not an input that is known`(
    _ name: String, _ reason: String
  ) async throws {
    let steps = step(
      "cat a > out; [ -e none ] || touch out2; touch began; while [ -e began ]; do sleep 0.02; done",
      "{ auto: true, ignore: began }")
    let workflow = try Workflow(text: "steps:\n" + steps, file: "w.yaml")
    let run = engine().start(workflow)
    await expectEventually("the step has read its input") {
      FileManager.default.fileExists(atPath: path + "/began")
    }
    try write("changed", to: name)
    try remove("began")
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["s"]?.output.lines.last?.text.contains(reason) == true)
    #expect(explained(steps).contains("nothing was remembered"))
  }

  @Test func `without a watch, a step always runs`() async throws {
    let workflow = try Workflow(text: "steps:\n" + step("cat a > out"), file: "w.yaml")
    var engine = engine()
    engine.watch = nil
    for _ in 0..<2 {
      let run = engine.start(workflow)
      #expect(try await run.outcome == .succeeded)
      #expect(run.state["s"]?.phase == .succeeded([:]))
      #expect(run.state["s"]?.output.lines.last?.text.contains("watches no files") == true)
    }
  }

  @Test func `programs outside of the project are recognized by their times, or by their contents`()
    throws
  {
    try write("1", to: "tool")
    let tool = path + "/tool"
    var rule = LearningRule()
    var place = try LearningPlace(path + "/project", rule, [:]) { $0 }
    let before = place.mark(of: tool, like: nil)
    #expect(place.mark(of: tool, like: before) == before)
    try write("1", to: "tool")
    #expect(place.mark(of: tool, like: before) != before)
    rule.readsSystem = true
    place = try LearningPlace(path + "/project", rule, [:]) { $0 }
    let content = place.mark(of: tool, like: nil)
    try write("1", to: "tool")
    #expect(place.mark(of: tool, like: content) == content)
    try write("2", to: "tool")
    #expect(place.mark(of: tool, like: content) != content)
  }

  /// What `explain` says about the step `s`.
  private func explained(_ steps: String) -> String {
    guard let workflow = try? Workflow(text: "steps:\n" + steps, file: "w.yaml"),
      let step = workflow.graph.index(of: "s")
    else { return "" }
    return "\(engine().explain(step, of: workflow, after: nil, secrets: Secrets()))"
  }
}
