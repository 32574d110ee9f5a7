// Tests of what a step that survives its engine goes on to hold: pool, group, and its own processes.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

struct SurvivingLockTests {
  /// A workflow with a step that survives, and other keys before its steps.
  private static func workflow(_ head: String, _ keys: String = "") -> String {
    """
    \(head)
    steps:
      - id: long
        survive: true
        grace: 100ms
    \(keys)
        run: |
          echo begun >> log
          while ! test -e go; do sleep 0.05; done
          echo ended >> log

    """
  }

  private static let pooled = workflow("pools: { p: 1 }", "    pool: p")

  private static func other(_ head: String, _ keys: String = "") -> String {
    "\(head)\nsteps: [{ id: other\(keys), run: \"echo other >> log\" }]\n"
  }

  @Test func `a step that survives its engine keeps its place in a pool`() async throws {
    let project = try InterruptedProject(Self.pooled)
    let id = try await project.interrupted()
    try project.folder.write("b.yaml", Self.other("pools: { p: 1 }", ", pool: p").utf8)
    let other = try project.started(["run", "b.yaml"])
    await expectEventually("the other step waits") {
      project.waits(for: "p", in: other.process)
    }
    let resumed = try project.started(["resume", "\(id)", "--progress", "none"])
    await expectEventually("the run is resumed") { project.isLive(id) }
    #expect(project.lines() == ["begun"])
    try project.folder.write("go")
    for process in [resumed.process, other.process] {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(project.lines() == ["begun", "ended", "other"])
  }

  // Without the file of the place, its host cannot keep others from taking it, as on another machine.
  @Test func `a step is adopted although another one has its place in a pool`() async throws {
    let project = try InterruptedProject(Self.pooled)
    let id = try await project.interrupted()
    try FileManager.default.removeItem(atPath: project.folder.path + "/.reprise/pools/p/0")
    try project.folder.write(
      "b.yaml",
      "pools: { p: 1 }\nsteps: [{ id: b, pool: p, run: \"echo b >> log; sleep 600\" }]\n".utf8)
    let other = try project.started(["run", "b.yaml", "--progress", "none"])
    await expectEventually("the other step runs") { project.lines().contains("b") }
    try project.folder.write("go")
    let resumed = try project.reprise("resume", "\(id)", "--progress", "none")
    #expect(resumed.status == 0, "\(resumed.output)")
    #expect(project.lines() == ["begun", "b", "ended"])
    let notice =
      "step \"long\" went on without its places in a pool: others have taken places of \"p\""
    let shown = try project.reprise("show", "\(id)").output
    #expect(shown.contains("\nnotice: \(notice)\n"), "\(shown)")
    let json = try project.reprise("show", "\(id)", "--json").output
    let report = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(report?["notices"] as? [String] == [notice])
    other.process.terminate()
    other.process.waitUntilExit()
  }

  @Test func `a step is adopted although its place in a pool cannot be locked`() async throws {
    let project = try InterruptedProject(Self.pooled)
    let id = try await project.interrupted()
    let place = project.folder.path + "/.reprise/pools/p/0"
    try FileManager.default.removeItem(atPath: place)
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    try project.folder.write("go")
    let resumed = try project.reprise("resume", "\(id)", "--progress", "none")
    #expect(resumed.status == 0, "\(resumed.output)")
    #expect(project.lines() == ["begun", "ended"])
    let shown = try project.reprise("show", "\(id)").output
    #expect(
      shown.contains(
        "notice: step \"long\" went on without its places in a pool: cannot lock \(place)"),
      "\(shown)")
  }

  @Test func `a step is adopted although its values cannot be computed any more`() async throws {
    let project = try InterruptedProject(
      """
      dotenv: vars
      steps:
        - id: long
          survive: true
          grace: 100ms
          env: { KEY: "${{ fromJSON(env.DATA).key }}" }
          run: |
            echo begun >> log
            while ! test -e go; do sleep 0.05; done
            echo "$KEY" >> log

      """)
    try project.folder.write("vars", "DATA={\"key\":\"value\"}\n".utf8)
    let id = try await project.interrupted()
    try project.folder.write("vars", "DATA=none\n".utf8)
    let resumed = try project.started(["resume", "\(id)", "--progress", "none"])
    await expectEventually("the run is resumed") { project.isLive(id) }
    try project.folder.write("go")
    resumed.process.waitUntilExit()
    #expect(resumed.process.terminationStatus == 0)
    #expect(project.lines() == ["begun", "value"])
  }

  @Test func `the time limit of a group holds for steps that survive their engine`() async throws {
    let project = try InterruptedProject(
      """
      steps:
        - timeout: 10s
          steps:
            - id: long
              survive: true
              grace: 100ms
              run: |
                echo begun >> log
                while ! test -e go; do sleep 0.05; done

      """)
    let id = try await project.interrupted()
    let resumed = try project.started(["resume", "\(id)", "--progress", "none"])
    await expectEventually("the run has ended") { !resumed.process.isRunning }
    // Ends a step that is not stopped.
    try project.folder.write("go")
    resumed.process.waitUntilExit()
    #expect(resumed.process.terminationStatus == 1)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(id)") == [])
  }

  private static func grouped(_ policy: String) -> String {
    "concurrency: { group: g, policy: \(policy) }"
  }

  @Test func `a run waits for steps of its group that go on without their engine`() async throws {
    let project = try InterruptedProject(Self.workflow(Self.grouped("queue")))
    let id = try await project.interrupted()
    try project.folder.write("b.yaml", Self.other(Self.grouped("queue")).utf8)
    let other = try project.started(["run", "b.yaml", "--progress", "none"])
    await expectEventually("the other run is queued") { project.statuses().contains("queued") }
    // The earlier run is resumed at once: the other one waits for it.
    let resumed = try project.started(["resume", "\(id)", "--progress", "none"])
    await expectEventually("the run is resumed") { project.statuses().contains("running") }
    #expect(project.lines() == ["begun"])
    try project.folder.write("go")
    for process in [resumed.process, other.process] {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(project.lines() == ["begun", "ended", "other"])
  }

  @Test func `a run begins when the last step of its group has ended without its engine`()
    async throws
  {
    let project = try InterruptedProject(Self.workflow(Self.grouped("queue")))
    _ = try await project.interrupted()
    try project.folder.write("b.yaml", Self.other(Self.grouped("queue")).utf8)
    let other = try project.started(["run", "b.yaml", "--progress", "none"])
    await expectEventually("the other run is queued") { project.statuses().contains("queued") }
    #expect(project.lines() == ["begun"])
    try project.folder.write("go")
    other.process.waitUntilExit()
    #expect(other.process.terminationStatus == 0)
    #expect(project.lines() == ["begun", "ended", "other"])
  }

  @Test func `a run that restarts its group cancels steps that go on without their engine`()
    async throws
  {
    let project = try InterruptedProject(Self.workflow(Self.grouped("restart")))
    let id = try await project.interrupted()
    try project.folder.write("b.yaml", Self.other(Self.grouped("restart")).utf8)
    let other = try project.reprise("run", "b.yaml", "--progress", "none")
    #expect(other.status == 0, "\(other.output)")
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(id)") == [])
    #expect(project.lines() == ["begun", "other"])
  }

  @Test func `a run that waits for the end of such steps can be cancelled`() async throws {
    let text = Self.workflow(Self.grouped("restart"))
      .replacingOccurrences(of: "grace: 100ms", with: "grace: 60s")
      .replacingOccurrences(
        of: "echo begun >> log", with: "trap 'echo asked >> log' TERM; echo begun >> log"
      )
      .replacingOccurrences(of: "sleep 0.05", with: "sleep 0.05 || true")
    let project = try InterruptedProject(text)
    let id = try await project.interrupted()
    try project.folder.write("b.yaml", Self.other(Self.grouped("restart")).utf8)
    let other = try project.started(["run", "b.yaml", "--progress", "none"])
    await expectEventually("the step is stopped") { project.lines().contains("asked") }
    other.process.interrupt()
    await expectEventually("the other run has ended", within: .seconds(30)) {
      !other.process.isRunning
    }
    try project.folder.write("go")
    other.process.waitUntilExit()
    await expectEventually("nothing is left") {
      processes(startedWith: "REPRISE_RUN_ID=\(id)").isEmpty
    }
    #expect(!project.lines().contains("other"))
  }

  @Test func `a run is rejected while a step of its group goes on without its engine`() async throws
  {
    let project = try InterruptedProject(Self.workflow(Self.grouped("reject")))
    let id = try await project.interrupted()
    try project.folder.write("b.yaml", Self.other(Self.grouped("reject")).utf8)
    let other = try project.reprise("run", "b.yaml", "--progress", "none")
    #expect(other.status == 4 && other.output.contains("go on without their engine"))
    #expect(try project.reprise("cancel", "\(id)").status == 0)
    #expect(try project.reprise("run", "b.yaml", "--progress", "none").status == 0)
    #expect(project.lines() == ["begun", "other"])
  }

  @Test func `a step is lost only when no process of it is left`() async throws {
    let project = try InterruptedProject(
      """
      steps:
        - id: long
          survive: true
          retry: { limit: 1, delay: 10ms }
          run: |
            echo begun >> log
            test $REPRISE_ATTEMPT = 2 && exit
            (setsid sleep 600 &)
            sleep 600; echo ended >> log

      """)
    let run = try project.started(["run", "w.yaml", "--progress", "none"])
    await expectEventually("the step runs") { project.lines() == ["begun"] }
    let attempts = project.folder.path + "/.reprise/attempts"
    let token = try #require(FileManager.default.contentsOfDirectory(atPath: attempts).first)
    // The host and its guardian.
    let hosts = processes(with: "host\0\(token)")
    func ofStep() -> Set<Int32> {
      Set(processes(startedWith: "REPRISE_HOST=\(token)")).subtracting(hosts)
    }
    await expectEventually("all of its processes run") { ofStep().count >= 3 }
    let steps = ofStep()
    #expect(hosts.count == 2)
    for process in hosts { kill(process, SIGKILL) }
    run.process.waitUntilExit()
    #expect(run.process.terminationStatus == 0)
    #expect(project.lines() == ["begun", "begun"])
    // A zombie does not count.
    #expect(steps.isDisjoint(with: ofStep()))
  }
}

extension InterruptedProject {
  /// The statuses of all runs.
  fileprivate func statuses() -> [String] {
    let journal = try? StateDirectory(path: folder.path + "/.reprise").openJournal(process: 0)
    return (try? journal?.runs())?.map(\.status.rawValue) ?? []
  }

  fileprivate func isLive(_ run: RunID) -> Bool {
    (try? StateDirectory(path: folder.path + "/.reprise").openJournal(process: 0))?.isLive(run)
      == true
  }

  /// Whether a step of a live run waits for a pool.
  fileprivate func waits(for pool: String, in process: Process) -> Bool {
    process.isRunning
      && (try? reprise("show", "@last").output.contains("waits for pool \"\(pool)\"")) == true
  }
}
