import ChildProcesses
import Foundation
import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseExecutors

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

    func holder(
      _ token: AttemptToken, _ folder: AttemptFolder, arguments hold: [String]
    ) async throws(RunnerFailure) -> AttemptSpec {
      AttemptSpec(command: command ?? [RunnerCase.program] + hold, grace: .zero)
    }

    func connect(
      to token: AttemptToken, arguments: [String]
    ) async throws(RunnerFailure) -> ConnectedProgram {
      do throws(Errno) {
        let errors = try OpenFile("/dev/null", .writeOnly)
        return try ConnectedProgram(
          [RunnerCase.program] + arguments, errors: errors.descriptor,
          variables: ["REPRISE_HOST": "pool"])
      } catch {
        throw .refused("\(error)")
      }
    }
  }

  private struct Kept: RunnerKind {
    static let name = "kept"
    var command: [String]?

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
        Processes(holders: holders, command: command), named: "kept", attempts: attempts,
        orphanAfter: orphanAfter, clock: SystemClock())
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
    #expect(await run.outcome == .succeeded)
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
    #expect(await run.outcome == .cancelled)
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
      await run.outcome
        == .failed(step: "a", reason: .notStarted("the place could not be had: no room")))
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
    #expect(await run.outcome == .cancelled)
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
    await next.release(run)
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
  ])
  func `the message of podman decides whether a step has started`(
    _ status: Int, _ line: String, _ text: String?
  ) {
    #expect(StarterComplaint(status, line)?.text == text)
  }
}
