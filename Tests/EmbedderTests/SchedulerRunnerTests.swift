// A runner for a scheduler that does not exist, in a package with the default settings of the compiler.

import Foundation
import Reprise
import RepriseRunners
import RepriseTesting
import TestSupport
import Testing

/// Steps as jobs of a scheduler that only this program knows.
struct SchedulerRunnerTests {
  /// A scheduler whose commands are `depot-submit`, `depot-list` and `depot-cancel`.
  struct Depot: JobScheduler {
    let name = "Depot"
    let shelf: String?
    let commands: SchedulerCommands

    func submit(_ job: NewJob) async throws(RunnerFailure) -> String {
      let answer = try await commands.answer(
        of: ["depot-submit", shelf ?? "any", job.log, job.script], submitting: job)
      if answer.status == 75 { throw .full(answer.complaint) }
      guard answer.status == 0 else { throw .refused(answer.complaint) }
      return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func jobs(within limit: Duration) async throws(RunnerFailure) -> [SchedulerJob] {
      let answer = try await commands.answer(of: ["depot-list"], within: limit)
      guard answer.status == 0 else { throw .cannotAsk(answer.complaint) }
      return answer.output.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3 else { return nil }
        return SchedulerJob(
          words[0], words[1] == "on" ? .running : .queued, state: words[1], reason: words[2])
      }
    }

    func cancel(_ jobs: [String], within limit: Duration) async throws(RunnerFailure) {
      let answer = try await commands.answer(of: ["depot-cancel"] + jobs, within: limit)
      guard answer.status == 0 else { throw .cannotAsk(answer.complaint) }
    }
  }

  struct DepotRunner: RunnerKind {
    static let name = "depot"
    let shelf: String?

    func makeExecutor(
      named name: String, in surroundings: RunnerSurroundings
    ) throws(FailureReason) -> any Executor {
      let commands = SchedulerCommands(in: surroundings, variables: ["DEPOT"])
      return try RunnerExecutor(
        jobsOf: Depot(shelf: shelf, commands: commands), named: name, in: surroundings)
    }

    func problems(in surroundings: RunnerSurroundings) async -> [String] {
      let programs = ["depot-submit", "depot-list", "depot-cancel"]
      let missing = SchedulerCommands(in: surroundings).missing(programs, of: "Depot")
      return missing.map { [$0] } ?? []
    }
  }

  /// The commands; jobs wait as long as there is no file `open`.
  private static let programs = [
    "depot-submit": """
    echo "$*" >> submitted
    [ "$1" != wrong ] || { echo "there is no shelf wrong" >&2; exit 1; }
    [ ! -e full ] || { echo "no room" >&2; exit 75; }
    n=1; until mkdir "job.$n" 2> /dev/null; do n=$((n + 1)); done
    setsid sh -c 'echo $$ > "$DEPOT/job.$1/process"
      until [ -e "$DEPOT/open" ]; do [ -e "$DEPOT" ] || exit; sleep 0.05; done
      echo > "$DEPOT/job.$1/on"
      "$2"
      rm -rf "$DEPOT/job.$1"' sh "$n" "$3" > "$2" 2>&1 < /dev/null &
    # It has a session of its own by then.
    until [ -s "job.$n/process" ] || [ ! -e "job.$n" ]; do sleep 0.02; done
    echo "d$n"
    """,
    "depot-list": """
    for job in job.*; do
      [ -e "$job" ] || continue
      if [ -e "$job/on" ]; then echo "d${job#job.} on shelf"; else echo "d${job#job.} off all shelves are full"; fi
    done
    """,
    "depot-cancel": """
    for n; do
      echo "$n" >> cancelled
      process=$(cat "job.${n#d}/process" 2> /dev/null) || continue
      kill -s TERM -- "-$process"
      rm -rf "job.${n#d}"
    done
    """,
  ]

  @Test func `it keeps the promises of all runners`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("open")
    try await checkRunner("depot", ["shelf": "b"], in: folder.path + "/check") {
      try Self.engine(in: folder)
    }
  }

  /// A folder with the commands, and an engine that knows the runner.
  private static func engine(in folder: TemporaryFolder) throws -> Engine {
    for (name, script) in programs {
      let path = "\(folder.path)/bin/\(name)"
      try FileManager.default.createDirectory(
        atPath: folder.path + "/bin", withIntermediateDirectories: true)
      try "#!/bin/sh\ncd \"$DEPOT\"\n\(script)\n"
        .write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let tests = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let program = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/reprise"
    let environment = ["PATH": "\(folder.path)/bin:/usr/bin:/bin", "DEPOT": folder.path]
    var engine = Engine(
      executor: LocalExecutor(environment: environment, directory: folder.path))
    engine.register(DepotRunner.self)
    engine.surroundings = RunnerSurroundings(
      attempts: folder.path + "/attempts", hostProgram: program)
    return engine
  }

  private static func workflow(
    _ steps: String, shelf: String = "b", on engine: Engine
  ) throws -> Workflow {
    let head = "runners: { far: { depot: { shelf: \(shelf) } } }\nrunner: far\n"
    return try Workflow(text: head + steps, file: "w.yaml", actions: engine.actions)
  }

  private static func lines(_ name: String, in folder: TemporaryFolder) -> [Substring] {
    (try? String(contentsOfFile: folder.path + "/" + name, encoding: .utf8))?
      .split(separator: "\n") ?? []
  }

  private static func isQueued(_ step: String, of run: Run) -> Bool {
    run.state[step]?.placement?.queuedBecause?.isEmpty == false
  }

  @Test func `a step waits in the queue, shows its job and the reason, and has outputs`()
    async throws
  {
    let folder = try TemporaryFolder()
    let engine = try Self.engine(in: folder)
    let steps = #"steps: [{ id: a, run: 'echo "x=$((6 * 7))" > "$REPRISE_OUTPUT"' }]"#
    let run = engine.start(try Self.workflow(steps, on: engine))
    await expectEventually("it waits") {
      run.state["a"]?.placement?.queuedBecause == "all shelves are full"
    }
    #expect(run.state["a"]?.placement?.place.job == "d1")
    try folder.write("open")
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["a"]?.phase == .succeeded(["x": "42"]))
    #expect(Self.lines("submitted", in: folder).first?.hasPrefix("b ") == true)
  }

  @Test func `a cancel leaves nothing in the queue`() async throws {
    let folder = try TemporaryFolder()
    let engine = try Self.engine(in: folder)
    let steps = "steps: [{ id: a, foreach: { from: 1, to: 4 }, run: 'echo x >> effects' }]"
    let run = engine.start(try Self.workflow(steps, on: engine))
    await expectEventually("all wait") {
      run.state.steps.count { Self.isQueued($0.id, of: run) } == 4
    }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(Set(Self.lines("cancelled", in: folder)) == ["d1", "d2", "d3", "d4"])
    #expect(Self.lines("effects", in: folder) == [])
  }

  /// The run before is still there, as a process that is killed would not be, and is not asked any more.
  @Test func `the next engine goes on with the job of the last one`() async throws {
    let folder = try TemporaryFolder()
    let engine = try Self.engine(in: folder)
    let steps = "steps: [{ id: a, run: 'echo x >> effects' }]"
    let first = engine.start(try Self.workflow(steps, on: engine))
    await expectEventually("it waits") { Self.isQueued("a", of: first) }
    let next = try Self.engine(in: folder)
    let second = try next.resume(first.state, with: Self.workflow(steps, on: next))
    try folder.write("open")
    #expect(try await second.outcome == .succeeded)
    #expect(second.state["a"]?.placement?.place.job == "d1")
    #expect(Self.lines("submitted", in: folder).count == 1)
    #expect(Self.lines("effects", in: folder) == ["x"])
    #expect(try await first.outcome == .succeeded)
  }

  @Test func `a job that vanishes from the queue is lost, and never begins`() async throws {
    let folder = try TemporaryFolder()
    let engine = try Self.engine(in: folder)
    let steps = "steps: [{ id: a, run: 'echo x >> effects' }]"
    let run = engine.start(try Self.workflow(steps, on: engine))
    await expectEventually("it waits") { Self.isQueued("a", of: run) }
    try FileManager.default.moveItem(
      atPath: folder.path + "/job.1", toPath: folder.path + "/forgotten")
    guard case .failed(_, .lost(let text, _, _)) = try await run.outcome else {
      Issue.record("it is not lost")
      return
    }
    #expect(text.contains("it never began: Depot does not list its job any more"))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/job.1", withIntermediateDirectories: false)
    try folder.write("open")
    await expectEventually("the job has come all the same, and has ended") {
      !FileManager.default.fileExists(atPath: folder.path + "/job.1")
    }
    #expect(Self.lines("effects", in: folder) == [])
  }

  @Test func `what the scheduler refuses fails the step, and a full queue is waited for`()
    async throws
  {
    let folder = try TemporaryFolder()
    let engine = try Self.engine(in: folder)
    let steps = "steps: [{ id: a, run: 'true' }]"
    try folder.write("open")
    let refused = engine.start(try Self.workflow(steps, shelf: "wrong", on: engine))
    #expect(
      try await refused.outcome
        == .failed(step: "a", reason: .notStarted("there is no shelf wrong")))
    try folder.write("full")
    let waiting = engine.start(try Self.workflow(steps, on: engine))
    await expectEventually("it waits") {
      waiting.state["a"]?.placement?.queuedBecause == "no room"
    }
    try FileManager.default.removeItem(atPath: folder.path + "/full")
    #expect(try await waiting.outcome == .succeeded)
  }

  @Test func `settings of the runner are checked when the file is read`() throws {
    let engine = try Self.engine(in: TemporaryFolder())
    let error = #expect(throws: WorkflowError.self) {
      try Workflow(
        text: "runners: { far: { depot: { shelv: b } } }\nrunner: far\nsteps: [{ id: a, run: x }]",
        file: "w.yaml", actions: engine.actions)
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("w.yaml:1:") && text.contains("shelv") && text.contains("shelf"))
  }

  @Test func `the runners of the command can be registered, too`() throws {
    var engine = Engine()
    let text = "runners: { far: { slurm: { cpus: 4 } } }\nrunner: far\nsteps: [{ id: a, run: x }]"
    #expect(throws: WorkflowError.self) {
      try Workflow(text: text, file: "w.yaml", actions: engine.actions)
    }
    StandardRunners.register(with: &engine)
    let workflow = try Workflow(text: text, file: "w.yaml", actions: engine.actions)
    #expect(workflow.runners.map(\.kind) == ["slurm"])
  }

  @Test func `programs that are missing are named before a run`() async throws {
    let folder = try TemporaryFolder()
    let engine = try Self.engine(in: folder)
    let runner = RunnerChoice(name: "far", kind: "depot")
    #expect(await engine.problems(of: runner) == [])
    try FileManager.default.removeItem(atPath: folder.path + "/bin/depot-list")
    #expect(
      await engine.problems(of: runner)
        == ["depot-list of Depot is not in PATH; run on a machine that submits jobs"])
  }
}
