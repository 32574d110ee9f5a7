import ChildProcesses
import Foundation
import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// Places that are kept for the steps of a run, here processes of this machine.
struct KeptRunnerTests {
  /// Places that are plain processes, or never come.
  private struct Processes: KeptSite {
    let name = "the place"
    let isThisMachine = true
    let needsAcknowledgement = false
    let holders: FolderRunner
    /// What holds a place, instead of this program.
    var command: [String]?
    /// What connects to a place, instead of this program.
    var connection: [String]?
    var connects = true

    func holder(
      _ token: AttemptToken, _ folder: AttemptFolder, arguments hold: [String]
    ) async throws(RunnerFailure) -> AttemptSpec {
      var spec = AttemptSpec(
        command: command ?? [RunnerCase.program] + hold, grace: connects ? .zero : .seconds(15))
      spec.stopsOthers = connects ? nil : true
      return spec
    }

    func connect(
      to token: AttemptToken, arguments: [String]
    ) async throws(RunnerFailure) -> ConnectedProgram {
      do throws(Errno) {
        return try await ConnectedProgram(
          connection ?? [RunnerCase.program] + arguments, variables: ["REPRISE_HOST": "pool"])
      } catch {
        throw .refused("\(error)")
      }
    }
  }

  private struct Kept: RunnerKind {
    static let name = "kept"
    var command: [String]?
    var connection: [String]?
    var keep: KeepSetting?
    var time: Duration?
    var idle: Duration?
    var connects: Bool?

    func makeExecutor(
      named name: String, in surroundings: RunnerSurroundings
    ) throws(FailureReason) -> any Executor {
      RunnerExecutor(try runner(in: surroundings), named: name, in: surroundings)
    }

    func runner(
      in surroundings: RunnerSurroundings, orphanAfter: Duration = .seconds(60)
    ) throws(FailureReason) -> KeptRunner {
      let attempts = try surroundings.foundAttempts()
      let holders = FolderRunner(
        try ThisMachineSite(surroundings), attempts: attempts, clock: SystemClock())
      return KeptRunner(
        Processes(
          holders: holders, command: command, connection: connection, connects: connects ?? true),
        named: "kept", attempts: attempts,
        orphanAfter: orphanAfter,
        limits: keep?.limits(processors: 2, time: time, idleAfter: idle ?? .seconds(60))
          ?? KeptLimits(), clock: SystemClock())
    }
  }

  private static func engine(in folder: TemporaryFolder) -> Engine {
    var engine = RunnerCase.engine(in: folder)
    engine.register(Kept.self)
    return engine
  }

  private static func workflow(_ text: String, _ engine: Engine) throws -> Workflow {
    try Workflow(text: text, file: "w.yaml", actions: engine.actions)
  }

  /// The folders of the places of a run.
  private static func places(of run: RunID, in folder: TemporaryFolder) -> [String] {
    FolderReader.names(in: folder.path + "/.attempts").filter { $0.hasPrefix("\(run).kept.0.0.") }
  }

  @Test func `the steps of a run share one place, which is gone when the run has ended`()
    async throws
  {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: kept
        steps:
          - { id: a, run: "echo x=1 > $REPRISE_OUTPUT" }
          - { id: b, foreach: [1, 2, 3], env: { X: "${{ steps.a.outputs.x }}" }, run: test $X = 1 }
        """, engine))
    #expect(try await run.outcome == .succeeded)
    let places = Self.places(of: run.id, in: folder)
    #expect(places.count == 1)
    let place = AttemptFolder(path: folder.path + "/.attempts/" + (places.first ?? ""))
    #expect(place.isHeld == false && place.result != nil)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(run.id)") == [])
  }

  @Test func `a cancel does not wait for a place that does not come`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { command: [sleep, "600"] } }
        steps: [{ id: a, run: touch ran }]
        """, engine))
    await expectEventually("a place is requested") {
      !Self.places(of: run.id, in: folder).isEmpty
    }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/ran"))
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(run.id)") == [])
  }

  @Test func `without a place, the step fails for the reason of what holds it`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { command: [sh, -c, "echo no room >&2; exit 3"] } }
        steps: [{ id: a, run: touch ran }]
        """, engine))
    #expect(
      try await run.outcome
        == .failed(step: "a", reason: .notStarted("the place could not be had: no room")))
  }

  @Test func `a place that refuses to begin a step fails it, with what it says`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { connection: [sh, -c, "echo x >> \(folder.path)/calls; echo no such user >&2; exit 1"] } }
        steps: [{ id: a, timeout: 5s, run: touch ran }]
        """, engine))
    let events = Task {
      await run.events.values.reduce(into: [String]()) { $0.append($1.kind.description) }
    }
    guard case .failed("a", .notStarted(let text)) = try await run.outcome else {
      Issue.record("\(try await run.outcome)")
      return
    }
    #expect(text.hasPrefix("gave up after 5") && text.contains("no such user"))
    let queued = await events.value.filter { $0.contains("queued") }
    let reported = queued.filter { $0.contains("no such user") }
    #expect(reported.count == 1, "\(reported)")
    let calls = fileContents(folder.path + "/calls")?.count { $0 == 0x0A }
    #expect((1...6).contains(calls ?? 0), "\(calls ?? 0) connections in five seconds")
  }

  @Test func `a stop does not wait for a place that does not answer`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { connection: [sh, -c, "touch \(folder.path)/asked; exec sleep 600"] } }
        steps: [{ id: a, run: touch ran }]
        """, engine))
    await expectEventually("the place is asked") {
      FileManager.default.fileExists(atPath: folder.path + "/asked")
    }
    let start = ContinuousClock.now
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(start.duration(to: .now) < .seconds(30))
  }

  @Test func `after a cancel no process is left in the place`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: kept
        grace: 100ms
        steps: [{ id: a, run: "(setsid sleep 600 &); trap '' TERM; touch up; sleep 600" }]
        """, engine))
    await expectEventually("the step runs") {
      FileManager.default.fileExists(atPath: folder.path + "/up")
    }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(run.id)") == [])
  }

  private static func token(of run: RunID, attempt: Int = 1) throws -> AttemptToken {
    try #require(AttemptToken("\(run).a.1.\(attempt).x"))
  }

  @Test func `the next engine adopts attempts with their place`() async throws {
    let folder = try TemporaryFolder()
    let surroundings = RunnerSurroundings(
      attempts: folder.path + "/.attempts", hostProgram: RunnerCase.program)
    let run = RunID()
    let token = try Self.token(of: run)
    let script = "echo one; touch up; while ! test -e go; do sleep 0.05; done; echo two"
    var spec = AttemptSpec(command: ["sh", "-c", script], directory: folder.path)
    spec.environment["REPRISE_RUN_ID"] = run.description
    let first = try Kept().runner(in: surroundings)
    var news = try await first.begin(spec, token: token).news(from: OutputMark())
      .makeAsyncIterator()
    while case let item? = try await news.next() {
      if case .started = item.news { break }
    }
    await expectEventually("the step runs") {
      FileManager.default.fileExists(atPath: folder.path + "/up")
    }

    let next = try Kept().runner(in: surroundings)
    let handle = try #require(try await next.find(token))
    try folder.write("go")
    var lines: [String] = []
    var result: AttemptResult?
    for try await item in handle.news(from: OutputMark()) {
      if case .output(_, let text, false) = item.news { lines.append(text) }
      if case .ended(let end) = item.news { result = end }
    }
    #expect(lines.joined(separator: "\n") == "one\ntwo" && result == .succeeded([:]))
    // A further attempt uses the same place.
    let again = try await next.begin(
      AttemptSpec(command: ["true"], directory: folder.path),
      token: try Self.token(of: run, attempt: 2))
    for try await _ in again.news(from: OutputMark()) {}
    #expect(Self.places(of: run, in: folder).count == 1)
    #expect(await next.release(run) == nil)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(run)") == [])
  }

  @Test func `an attempt that was never begun is not found`() async throws {
    let folder = try TemporaryFolder()
    let surroundings = RunnerSurroundings(
      attempts: folder.path + "/.attempts", hostProgram: RunnerCase.program)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/.attempts", withIntermediateDirectories: true)
    let runner = try Kept().runner(in: surroundings)
    #expect(try await runner.find(try Self.token(of: RunID())) == nil)
  }

  @Test func `a place gives itself back when no engine wants it and nothing runs there`()
    async throws
  {
    let folder = try TemporaryFolder()
    let place = AttemptFolder(path: folder.path)
    let clock = SystemClock()
    let start = clock.now
    // No engine has ever given a sign of life.
    await PlaceHold(place, orphanAfter: .milliseconds(300), clock: clock).wait { false }
    #expect(clock.now - start >= .milliseconds(300))
    await PlaceHold(place, orphanAfter: .seconds(600), clock: clock).wait { true }
  }

  @Test(arguments: [
    (125, "Error: initializing source: denied", "initializing source: denied"),
    (127, "Error: crun: nope: not found", "crun: nope: not found"),
    (125, "docker: no such image", "no such image"),
    (127, "sh: nope: not found", nil), (127, "Error: nope not found", nil),
    (1, "Error: failed", nil), (125, "", nil),
    (125, "docker: no daemon.\n\nRun 'docker run --help' for more information", "no daemon."),
    (125, "docker: no daemon.\nSee 'docker run --help'.", "no daemon."),
    (255, "FATAL:   could not open image i: none", "could not open image i: none"),
    (255, "Error: failed", nil), (1, "FATAL:   failed", nil),
  ])
  func `the message of podman decides whether a step has started`(
    _ status: Int, _ words: String, _ text: String?
  ) {
    var lines: [String] = []
    StarterComplaint.note(words, in: &lines)
    #expect(StarterComplaint(status, lines)?.text == text)
  }

  @Test(arguments: [("3", 3), ("{ nodes: 2, slots: 5 }", 1), ("2", 2)])
  func `several places are filled by their slots`(_ keep: String, _ count: Int) async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    // All run at the same time, as far as there are slots: two for each place, or those that are given.
    let width = keep == "2" ? 4 : 5
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { keep: \(keep) } }
        steps:
          - id: a
            foreach: { from: 1, to: \(width) }
            run: touch up.$REPRISE_STEP_ID; while [ $(ls up.* | wc -l) -lt \(width) ]; do sleep 0.02; done
          - { id: b, foreach: { from: 1, to: 9 }, run: "true" }
        """, engine))
    #expect(try await run.outcome == .succeeded)
    #expect(Self.places(of: run.id, in: folder).count >= count)
    #expect(Self.places(of: run.id, in: folder).count <= max(count, 3))
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(run.id)") == [])
  }

  @Test func `without a connection, what holds a place begins its steps`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { keep: 2, connects: false } }
        steps:
          - { id: a, run: "echo x=1 > $REPRISE_OUTPUT" }
          - { id: b, foreach: [1, 2, 3, 4], env: { X: "${{ steps.a.outputs.x }}" }, run: test $X = 1 }
          - { id: c, if: always(), run: "exit 7" }
        """, engine))
    #expect(try await run.outcome == .failed(step: "c", reason: .exited(status: 7)))
    #expect(Self.places(of: run.id, in: folder).count == 2)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(run.id)") == [])
  }

  @Test func `a cancel leaves nothing in a place without a connection`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { keep: true, connects: false } }
        steps: [{ id: a, run: "touch up; (setsid sleep 600 &); sleep 600" }]
        """, engine))
    await expectEventually("the step runs") { mayAccess(folder.path + "/up", .existence) }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(run.id)") == [])
  }

  @Test func `a place without steps is given back while the run goes on`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { keep: 1, idle: 100ms } }
        steps:
          - { id: a, run: "true" }
          - id: wait
            runner: local
            run: while ! ls .attempts/*.kept.0.0.*/result.json; do sleep 0.02; done
          - { id: b, run: "true" }
        """, engine))
    #expect(try await run.outcome == .succeeded)
    #expect(Self.places(of: run.id, in: folder).count == 2)
  }

  @Test func `a step that a place does not last for gets another one`() async throws {
    let folder = try TemporaryFolder()
    let engine = Self.engine(in: folder)
    let run = engine.start(
      try Self.workflow(
        """
        runner: { kept: { keep: true, time: 20s } }
        steps:
          - { id: a, run: "sleep 4" }
          - { id: b, run: "true" }
          - { id: c, timeout: 19s, run: "true" }
          - { id: d, run: "true" }
        """, engine))
    #expect(try await run.outcome == .succeeded)
    #expect(Self.places(of: run.id, in: folder).count == 2)
  }

  @Test(arguments: ["keep: 0", "keep: { nodes: 2, slots: 0 }", "keep: { slots: 2 }", "keep: many"])
  func `a number of places that makes no sense is an error of the file`(_ keep: String) {
    #expect(throws: (any Error).self) {
      try Workflow(
        text: "runner: { slurm: { \(keep) } }\nsteps: [{ id: a, run: x }]", file: "w.yaml",
        actions: RunnerCase.catalog)
    }
  }

  @Test func `what is kept cannot grow with attempts`() {
    let error = #expect(throws: (any Error).self) {
      try Workflow(
        text: "runner: { slurm: { keep: 2, cpus: '${{ attempt }}' } }\nsteps: [{ id: a, run: x }]",
        file: "w.yaml", actions: RunnerCase.catalog)
    }
    let text = String(describing: error)
    #expect(text.contains("keep"))
  }
}
