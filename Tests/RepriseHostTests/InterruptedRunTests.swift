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

  /// A project whose run was interrupted while its step `long` runs.
  private struct Project {
    let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      try folder.write("w.yaml", InterruptedRunTests.workflow.utf8)
    }

    func lines() -> [String] {
      let text = (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map(String.init)
    }

    /// Runs the command.
    @discardableResult
    func reprise(_ arguments: String...) throws -> (status: Int32, output: String) {
      let process = try started(arguments)
      process.process.waitUntilExit()
      let data = process.output.fileHandleForReading.readDataToEndOfFile()
      return (process.process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    func started(_ arguments: [String]) throws -> (process: Process, output: Pipe) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Self.program)
      process.arguments = arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      process.standardInput = FileHandle.nullDevice
      try process.run()
      return (process, output)
    }

    /// Starts the run and kills its engine while the step runs; returns the id of the run.
    func interrupted() async throws -> RunID {
      let started = try started(["run", "w.yaml", "--progress", "none"])
      await expectEventually("the step runs") { lines().contains("begun") }
      for process in Self.children(of: started.process.processIdentifier) {
        kill(process, SIGKILL)
      }
      started.process.waitUntilExit()
      let journal = try StateDirectory(path: folder.path + "/.reprise").openJournal(process: 0)
      let record = try #require(try journal.runs().first)
      #expect(record.status == .interrupted)
      #expect(!processes(startedWith: "REPRISE_RUN_ID=\(record.id)").isEmpty)
      return record.id
    }

    private static func children(of process: Int32) -> [Int32] {
      let path = "/proc/\(process)/task/\(process)/children"
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { Int32($0) }
    }

    private static let program = {
      let tests = Bundle.main.executablePath ?? CommandLine.arguments[0]
      return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/reprise"
    }()
  }

  @Test func `an interrupted run is cancelled without being resumed`() async throws {
    let project = try Project()
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

  @Test func `what a program would resume is given up by a cancel`() async throws {
    let project = try Project()
    let journal = try Journal(at: project.folder.path + "/.reprise")
    let workflow = try Workflow("w") {
      Step("go", approval: "Go?")
      Step("work") { _ in }
    }
    let run = try await Engine().start(workflow, recordedIn: journal)
    run.cancel()
    #expect(await run.outcome == .cancelled)
    #expect(try await journal.unfinishedRuns(of: "w").map(\.id) == [run.id])
    let cancelled = try project.reprise("cancel", "\(run.id)")
    #expect(cancelled.status == 0, "\(cancelled.output)")
    #expect(try await journal.unfinishedRuns(of: "w").isEmpty)
    // Its record is still one of a run that has ended.
    #expect(try await journal.state(of: run.id).phase == .ended(.cancelled))
    #expect(try project.reprise("cancel", "\(run.id)").status == 2)
  }

  @Test func `what runs again from its beginning is stopped first`() async throws {
    let project = try Project()
    let id = try await project.interrupted()
    let before = processes(startedWith: "REPRISE_RUN_ID=\(id)")
    let resumed = try project.started(
      ["resume", "\(id)", "--from", "first", "--progress", "none"])
    await expectEventually("the step runs again") {
      project.lines().filter { $0 == "begun" }.count == 2
    }
    #expect(before.allSatisfy { kill($0, 0) != 0 }, "the first attempt is gone before the second")
    try project.folder.write("go")
    resumed.process.waitUntilExit()
    #expect(resumed.process.terminationStatus == 0)
    #expect(project.lines() == ["first", "begun", "first", "begun", "ended", "last"])
  }

  @Test func `a step that the file does not have any more is stopped`() async throws {
    let project = try Project()
    let id = try await project.interrupted()
    let text = "steps:\n  - { id: first, run: \"echo first >> log\" }\n"
    try project.folder.write("w.yaml", text.utf8)
    #expect(try project.reprise("resume", "\(id)", "--progress", "none").status == 0)
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(id)") == [])
    #expect(project.lines() == ["first", "begun"])
  }

  @Test func `a step that runs elsewhere now is stopped where it ran`() async throws {
    let project = try Project()
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
