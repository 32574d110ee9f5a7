// Runs of programs that embed the engine, as the command sees them.

import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import TestSupport
import Testing

struct ProgramRunTests {
  @Test func `the command resumes a run of a program if it consists of processes`() async throws {
    let folder = try HostFolder()
    let workflow = try Workflow("plain") {
      Step("one", run: "echo one")
      Step("two", run: "test -e go", .directory(.data(folder.path)))
    }
    let run = try await Engine().start(workflow, recordedIn: folder.journal)
    #expect(try await run.outcome != .succeeded)
    try folder.folder.write("go", "".utf8)
    let record = try await folder.journal.run(run.id)
    #expect(record.request.isText && !record.fileHasChanged)
    let resumed = try await ResumedRun(record)
    let (recorded, state) = try resumed.reopen(in: folder.journal)
    let hosted = try #require(
      try await folder.host.begin(
        recorded, resumed.workflow, resumed.secrets, state: state, controls: RunControls()))
    #expect(try await hosted.run.outcome == .succeeded)
    #expect(await hosted.finish() == nil)
    #expect(hosted.run.id == run.id)
  }

  @Test func `the command names the program of a run with Swift code`() async throws {
    let folder = try HostFolder()
    let workflow = try Workflow("code") {
      Step("one") { _ in }
      Step("two", run: "false")
    }
    let run = try await Engine().start(workflow, recordedIn: folder.journal)
    #expect(try await run.outcome != .succeeded)
    let record = try await folder.journal.run(run.id)
    #expect(record.request.program != nil && record.request.workflowFile == nil)
    await #expect { try await ResumedRun(record) } throws: { error in
      (error as? Problem)?.text.string.contains("only that program can resume it") == true
    }
    #expect(!record.fileHasChanged)
  }
}
