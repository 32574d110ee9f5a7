// Tests of runs whose engine has died while steps of it go on.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

struct InterruptedRunTests {
  private static let workflow = """
    steps:
      - { id: first, run: "echo first >> log" }
      - id: long
        survive: true
        grace: 100ms
        run: |
          echo begun >> log
          while ! test -e go; do sleep 0.05; done
          echo ended >> log
      - { id: last, run: "echo last >> log" }

    """

  @Test func `a run that another process has finished in the meantime keeps its result`()
    async throws
  {
    let folder = try HostFolder()
    let id = try folder.record(try folder.load("steps: [{ id: a, run: echo a }]")).id
    let record = try folder.journal.run(with: id)
    #expect(record.status == .interrupted)
    try folder.journal.reopen(id) { record, _ in record.request }.0.end(as: .succeeded)
    await #expect(throws: Problem.self) {
      try await InterruptedRun(record, in: folder.journal).cancel(
        isKilled: false, by: .api, say: { _ in })
    }
    #expect(try folder.journal.run(with: id).status == .succeeded)
  }

  @Test func `an interrupted run is cancelled without being resumed`() async throws {
    let project = try InterruptedProject(Self.workflow)
    let id = try await project.interrupted()
    let shown = try project.reprise("show", "\(id)")
    #expect(shown.output.contains("may go on: survive"))
    #expect(shown.output.contains("reprise cancel \(id)"))
    #expect(try project.reprise("runs").output.contains("long may go on"))
    // Other commands leave it alone.
    #expect(!processes(startedWith: "REPRISE_RUN_ID=\(id)").isEmpty)

    let cancelled = try project.reprise("cancel", "\(id)")
    #expect(cancelled.status == 0)
    #expect(cancelled.output.contains("nothing is left of long"))
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(id)") == [])
    #expect(try project.reprise("show", "\(id)").output.contains("cancelled"))
    #expect(project.lines() == ["first", "begun"])

    // As after any cancel, the run can be resumed.
    try project.folder.write("go")
    #expect(try project.reprise("resume", "\(id)", "--progress", "none").status == 0)
    #expect(project.lines() == ["first", "begun", "begun", "ended", "last"])
  }

  @Test func `a submission whose answer the engine has not lived to see is named at the cancel`()
    async throws
  {
    let project = try InterruptedProject("")
    let (log, queue) = (project.folder.path + "/log", project.folder.path + "/queue")
    try project.folder.write("queue")
    try project.folder.write(
      "w.yaml",
      """
      runners:
        slow:
          batch:
            submit: [sh, -c, "echo begun >> \(log); exec sleep 60", submit]
            job: "{job}"
            status: [cat, \(queue)]
            line: "{job} {state}"
            states: { waiting: queued }
            cancel: ["true"]
      steps:
        - { id: job, runner: slow, needs: [], run: "true" }
        - { id: beside, needs: [], run: exec sleep 60 }

      """.utf8)
    let started = try project.started(["run", "w.yaml", "--progress", "none"])
    await expectEventually("the job is submitted") { project.lines() == ["begun"] }
    let journal = try StateDirectory(path: project.folder.path + "/.reprise").openJournal(
      process: 0)
    let id = try #require(try journal.runs().first).id
    #expect(try project.reprise("cancel", "\(id)", "--step", "job", "--wait").status == 0)
    for process in InterruptedProject.children(of: started.process.processIdentifier) {
      kill(process, SIGKILL)
    }
    started.process.waitUntilExit()
    let text = "1 submission was not answered by"
    let cancelled = try project.reprise("cancel", "\(id)")
    #expect(cancelled.status == 0 && cancelled.output.contains(text), "\(cancelled.output)")
    #expect(try project.reprise("show", "\(id)").output.contains("\nnotice: \(text)"))
  }

  /// The steps for computed items are in no file; they survive like any other.
  private static let computed = """
    grace: 100ms
    steps:
      - { id: plan, run: 'echo "items=[1,2]" >> $REPRISE_OUTPUT; echo first >> log' }
      - id: fit
        foreach: "${{ fromJSON(steps.plan.outputs.items) }}"
        key: "n${{ item }}"
        survive: true
        run: |
          echo begun >> log
          while ! test -e go; do sleep 0.05; done
          echo ended >> log
      - { id: last, run: "echo last >> log" }

    """

  @Test func `steps of computed items that survive are adopted`() async throws {
    let project = try InterruptedProject(Self.computed)
    let id = try await project.interrupted()
    try project.folder.write("go")
    let resumed = try project.reprise("resume", "\(id)", "--progress", "none")
    #expect(resumed.status == 0, "\(resumed.output)")
    #expect(project.lines().sorted() == ["begun", "begun", "ended", "ended", "first", "last"])
  }

  @Test func `a run with surviving steps of computed items is cancelled`() async throws {
    let project = try InterruptedProject(Self.computed)
    let id = try await project.interrupted()
    let cancelled = try project.reprise("cancel", "\(id)")
    #expect(cancelled.status == 0, "\(cancelled.output)")
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(id)") == [])
  }

  @Test(arguments: ["plan", "fit", "fit[n1]"])
  func `surviving steps of computed items that run again are stopped first`(
    _ step: String
  ) async throws {
    let project = try InterruptedProject(Self.computed)
    let id = try await project.interrupted()
    let before = processes(startedWith: "REPRISE_RUN_ID=\(id)")
    let count = project.lines().count
    let resumed = try project.started(
      ["resume", "\(id)", "--from", step, "--progress", "none"])
    await expectEventually("a step runs again") { project.lines().count > count }
    let isAll = step != "fit[n1]"
    // A zombie does not count.
    let alive = Set(processes(startedWith: "REPRISE_RUN_ID=\(id)"))
    #expect(alive.isDisjoint(with: before) == isAll, "only what runs again was stopped")
    try project.folder.write("go")
    resumed.process.waitUntilExit()
    #expect(resumed.process.terminationStatus == 0)
    #expect(project.lines().count { $0 == "ended" } == 2)
  }

  @Test func `what a program would resume is given up by a cancel`() async throws {
    let project = try InterruptedProject(Self.workflow)
    let journal = try Journal(at: project.folder.path + "/.reprise")
    let workflow = try Workflow("w") {
      Step("go", approval: "Go?")
      Step("work") { _ in }
    }
    let run = try await Engine().start(workflow, recordedIn: journal)
    run.interrupt()
    #expect(try await run.outcome == .interrupted)
    #expect(try await journal.unfinishedRuns(of: "w").map(\.id) == [run.id])
    let cancelled = try project.reprise("cancel", "\(run.id)")
    #expect(cancelled.status == 0, "\(cancelled.output)")
    #expect(try await journal.unfinishedRuns(of: "w").isEmpty)
    // Its events are still those of a run that its program has stopped.
    #expect(try await journal.state(of: run.id).phase == .ended(.interrupted))
    #expect(try await journal.run(run.id).status == .cancelled)
    #expect(try project.reprise("cancel", "\(run.id)").status == 2)
  }

  @Test func `what runs again from its beginning is stopped first`() async throws {
    let project = try InterruptedProject(Self.workflow)
    let id = try await project.interrupted()
    let before = processes(startedWith: "REPRISE_RUN_ID=\(id)")
    let resumed = try project.started(
      ["resume", "\(id)", "--from", "first", "--progress", "none"])
    await expectEventually("the step runs again") {
      project.lines().filter { $0 == "begun" }.count == 2
    }
    // A zombie does not count.
    let alive = Set(processes(startedWith: "REPRISE_RUN_ID=\(id)"))
    #expect(alive.isDisjoint(with: before), "the first attempt is gone before the second")
    try project.folder.write("go")
    resumed.process.waitUntilExit()
    #expect(resumed.process.terminationStatus == 0)
    #expect(project.lines() == ["first", "begun", "first", "begun", "ended", "last"])
  }

  @Test func `a step that the file does not have any more is stopped`() async throws {
    let project = try InterruptedProject(Self.workflow)
    let id = try await project.interrupted()
    let text = "steps:\n  - { id: first, run: \"echo first >> log\" }\n"
    try project.folder.write("w.yaml", text.utf8)
    #expect(try project.reprise("resume", "\(id)", "--progress", "none").status == 0)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(id)") == [])
    #expect(project.lines() == ["first", "begun"])
  }

  @Test func `a step that runs elsewhere now is stopped where it ran`() async throws {
    let project = try InterruptedProject(Self.workflow)
    let id = try await project.interrupted()
    let text = Self.workflow.replacingOccurrences(of: "    survive: true\n", with: "")
    try project.folder.write("w.yaml", text.utf8)
    try project.folder.write("go")
    #expect(try project.reprise("resume", "\(id)", "--progress", "none").status == 0)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(id)") == [])
    let lines = project.lines()
    #expect(lines.filter { $0 == "begun" }.count == 2 && lines.last == "last")
  }
}
