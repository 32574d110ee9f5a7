import Foundation
import Reprise
import SQLite
import TestSupport
import Testing

@testable import RepriseJournal

struct JournalTests {
  @Test func `a run is read back unchanged from a reopened journal`() async throws {
    let folder = try Folder()
    let id = try await folder.run(failing: 3, in: Journal(folder.state))
    let journal = try Journal(folder.state)
    let run = try journal.run(named: id.description)
    #expect(run.request == folder.request())
    #expect(run.status == .failed && run.generation == 1 && run.endedAt != nil)
    let state = try journal.state(of: run)
    #expect(state.phase == .ended(.failed(step: "s3", reason: .exited(status: 3))))
    #expect(state["s2"]?.phase == .succeeded(["by": "s2"]))
    let phase = try #require(state["s4"]?.phase)
    #expect(phase == .cancelled(.failure(ofStep: "s3")))
    let logs = folder.state.logs(of: id, steps: ["s0", "s1", "s4"])
    #expect(logs.map(\.step) == ["s0", "s1"])
    #expect(try String(contentsOfFile: logs[1].path, encoding: .utf8) == "hello from s1\n")
  }

  @Test func `a run is found by id, by a prefix of its id, or as the last run`() async throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    #expect(throws: JournalError.self) { try journal.run(named: "@last") }
    for name in ["aaa1", "aab2", "bbb3"] {
      let id = try #require(RunID(name))
      try journal.begin(folder.request(), id: id).end(as: .succeeded)
    }
    #expect(try journal.run(named: "@last").id.description == "bbb3")
    #expect(try journal.run(named: "b").id.description == "bbb3")
    #expect(try journal.run(named: "aaa").id.description == "aaa1")
    let error = #expect(throws: JournalError.self) { try journal.run(named: "aa") }
    #expect(error?.description.contains("aab2, aaa1") == true)
    for name in ["", "%", "c", "' OR 1=1 --"] {
      #expect(throws: JournalError.self) { try journal.run(named: name) }
    }
  }

  @Test func `@NAME is the last run of a workflow, and @failed the last that failed`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let none = #expect(throws: JournalError.self) { try journal.run(named: "@hello") }
    #expect(none?.description.contains("no run has been recorded") == true)
    func record(_ id: String, _ workflow: String, _ status: RunStatus) throws {
      try journal.begin(folder.request(workflow), id: try #require(RunID(id))).end(as: status)
    }
    try record("aaa1", "hello", .succeeded)
    let unfailed = #expect(throws: JournalError.self) { try journal.run(named: "@failed") }
    #expect(unfailed?.description.contains("no recorded run has failed") == true)
    try record("bbb2", "hello", .timedOut)
    try record("ccc3", "last", .cancelled)
    try record("ddd4", "say \"hi\"", .succeeded)
    #expect(try journal.run(named: "@hello").id.description == "bbb2")
    #expect(try journal.run(named: "@failed").id.description == "bbb2")
    #expect(try journal.run(named: "@last").id.description == "ddd4")
    #expect(try journal.run(named: "@say \"hi\"").id.description == "ddd4")
    #expect(try journal.run(named: "@w").id.description == "ddd4", "by the name of its file")
    let unknown = #expect(throws: JournalError.self) { try journal.run(named: "@helo") }
    #expect(
      unknown?.description
        == """
        there is no run of a workflow "helo"; did you mean "@hello"?
          choose from: @last, @failed, @say "hi", @last, @hello
        """)
    let bare = #expect(throws: JournalError.self) { try journal.run(named: "hello") }
    #expect(bare?.description.contains("the last run of that workflow is @hello") == true)
  }

  @Test func `a run is live while a process holds it, and interrupted afterwards`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    var recorded: RecordedRun? = try journal.begin(folder.request())
    let id = try #require(recorded?.id)
    recorded?.setCleanupNote("where it is")
    #expect(try journal.run(named: "@last").status == .queued)
    #expect(try journal.recover { _ in Issue.record("a live run was recovered") } == [])
    recorded = nil
    #expect(try journal.run(named: "@last").status == .interrupted)
    let found = Protected<[RunID]>([])
    try journal.recover { runs in
      found.withLock { $0 = runs.map(\.id) }
      #expect(runs.map(\.note) == ["where it is"])
      #expect(journal.isLive(id), "the lock is held during recovery")
    }
    #expect(found.value == [id])
    #expect(try journal.run(named: "@last").status == .interrupted)
    #expect(try journal.recover { _ in Issue.record("the run was recovered twice") } == [])
  }

  @Test func `a run that ends during recovery is not taken for interrupted`()
    async throws
  {
    let folder = try Folder()
    let isOver = Protected(false)
    let looks = Protected(0)
    let looking = Task.detached {
      let journal = try Journal(folder.state)
      while !isOver.value {
        try journal.recover { Issue.record("\($0) was recovered although it had ended") }
        looks.withLock { $0 += 1 }
      }
    }
    let journal = try Journal(folder.state)
    for _ in 0..<rounds(400, soak: 5000) {
      try journal.begin(folder.request()).end(as: .succeeded)
    }
    isOver.withLock { $0 = true }
    try await looking.value
    #expect(looks.value > 10)
  }

  @Test func `of concurrent resumes of one run one wins, and the others learn the winner`()
    async throws
  {
    let folder = try Folder()
    let id = try await folder.run(failing: 1, in: try Journal(folder.state))
    for _ in 0..<rounds(20, soak: 200) {
      let winners = Protected<[RecordedRun]>([])
      let losers = Protected<[String]>([])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask {
            let journal = try Journal(folder.state)
            do {
              let (recorded, _) = try journal.reopen(id) { record, _ in record.request }
              winners.withLock { $0.append(recorded) }
            } catch {
              losers.withLock { $0.append("\(error)") }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(winners.value.count == 1 && losers.value.count == 49)
      #expect(losers.value.allSatisfy { $0.contains("is running in process") })
      try winners.value.first?.end(as: .failed)
    }
  }

  @Test func `removal deletes a run with its files, unless the run is held`() async throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let id = try await folder.run(in: journal)
    let held = try journal.begin(folder.request())
    #expect(try !journal.remove(try journal.run(named: held.id.description)))
    #expect(try journal.remove(try journal.run(named: id.description)))
    #expect(try journal.runs().map(\.id) == [held.id])
    #expect(!FileManager.default.fileExists(atPath: folder.state.logFolder(of: id)))
    let count = try journal.database.read { try $0.value("SELECT count(*) FROM event") }
    #expect(count == .integer(0), "its events are gone, too")
  }

  @Test func `usual durations of steps are known from earlier successes of the same file`()
    async throws
  {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let first = try await folder.run(in: journal)
    #expect(try journal.usualDurations(like: first).isEmpty)
    _ = try await folder.run(in: journal)
    let third = try await folder.run(in: journal)
    let steps = try journal.state(of: try journal.run(named: third.description)).steps
    let usual = try journal.usualDurations(like: third)
    #expect(Set(usual.keys) == Set(steps.map(\.id)))
    #expect(usual.values.allSatisfy { $0 >= .zero && $0 < .seconds(60) })
  }

  /// Promise 21: damage to one run does not affect the others.
  @Test func `with any damage to one run, the others can be listed, read and resumed`()
    async throws
  {
    let columns = [
      "id", "workflow", "file", "directory", "source", "options", "concurrency_group", "process",
      "requested_at", "generation", "ended_at", "outcome",
    ]
    let values = ["x'ff00'", "''", "'../../etc'", "-1", "9e99", "'\u{1B}[2J'"]
    for column in columns {
      for value in values {
        let folder = try Folder()
        let journal = try Journal(folder.state)
        let whole = try await folder.run(steps: 2, failing: 1, in: journal)
        try await folder.run(steps: 2, in: journal)
        try folder.tamper("UPDATE run SET \(column) = \(value) WHERE number = 2")
        #expect(try journal.runs().contains { $0.id == whole }, "\(column) = \(value)")
        let run = try journal.run(named: whole.description)
        #expect(try journal.state(of: run).steps.count == 2)
        try journal.recover { _ in }
        try journal.reopen(run.id) { record, _ in record.request }.0.end(as: .failed)
        try journal.begin(folder.request()).end(as: .succeeded)
      }
    }
    for column in ["time", "generation", "kind", "step", "attempt", "json"] {
      for value in values {
        let folder = try Folder()
        let journal = try Journal(folder.state)
        let whole = try await folder.run(steps: 2, in: journal)
        let damaged = try await folder.run(steps: 2, in: journal)
        try folder.tamper("UPDATE event SET \(column) = \(value) WHERE run = 2")
        #expect(try journal.runs().count == 2)
        #expect(try journal.state(of: journal.run(named: whole.description)).steps.count == 2)
        // Reported or harmless; never a crash.
        _ = try? journal.state(of: journal.run(named: damaged.description))
      }
    }
  }

  @Test func `a journal of a newer Reprise is refused and left unchanged`() throws {
    let folder = try Folder()
    _ = try Journal(folder.state)
    try folder.tamper("PRAGMA user_version = 99")
    let database = URL(fileURLWithPath: folder.state.databasePath)
    let before = try Data(contentsOf: database)
    let error = #expect(throws: JournalError.self) { try Journal(folder.state) }
    #expect(error?.description.contains("newer version of Reprise") == true)
    #expect(try Data(contentsOf: database) == before)
  }

  @Test func `a damaged journal is reported and left unchanged`() throws {
    let folder = try Folder()
    _ = try Journal(folder.state)
    let garbage = Data(repeating: 0x41, count: 50_000)
    try garbage.write(to: URL(fileURLWithPath: folder.state.databasePath))
    let error = #expect(throws: JournalError.self) { try Journal(folder.state) }
    #expect(error?.description.contains("is damaged") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.state.databasePath)) == garbage)
  }

  @Test func `the state folder is private to its user and ignored by git`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let recorded = try journal.begin(folder.request())
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.state.path)
    #expect(paths.count >= 4)
    for path in paths + ["."] {
      var status = stat()
      #expect(stat(folder.state.path + "/" + path, &status) == 0)
      #expect(status.st_mode & 0o077 == 0, "\(path)")
    }
    #expect(try String(contentsOfFile: folder.state.path + "/.gitignore", encoding: .utf8) == "*\n")
    withExtendedLifetime(recorded) {}
  }

  /// Promise 20: no id leads out of the folder.
  @Test func `ids cannot form a path outside of the state folder`() throws {
    for id in [
      "..", ".", "a/b", "/etc", "a\0b", "", "-a", "a b", String(repeating: "a", count: 65),
    ] {
      #expect(RunID(id) == nil, "\(id)")
    }
    #expect(StateDirectory.fileName("../../etc/passwd") == "%2e%2e%2f%2e%2e%2fetc%2fpasswd")
    #expect(StateDirectory.fileName("..") == "%2e%2e")
    #expect(StateDirectory.fileName("a-b_C9") == "a-b_C9")
  }

  @Test func `a symlink in place of a log is not followed`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let recorded = try journal.begin(folder.request())
    let victim = folder.path + "/victim"
    try "untouched".write(toFile: victim, atomically: true, encoding: .utf8)
    let log = folder.state.logPath(of: recorded.id, step: "a", generation: 1, attempt: 1)
    try FileManager.default.createDirectory(
      atPath: (log as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: victim)
    let output = Event(
      time: Timestamp(microseconds: 0), run: recorded.id, generation: 1,
      kind: .step("a", attempt: 1, .output(.standardOutput, text: "evil", isPartial: false)))
    #expect(throws: JournalError.self) { try recorded.keep(output) }
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "untouched")
  }

  /// SQLite returns the name of a column as the schema of the file spells it.
  @Test func `a damaged schema is reported, for every column`() async throws {
    let columns = [
      "run": [
        "number", "id", "workflow", "file", "directory", "source", "options", "concurrency_group",
        "process", "requested_at", "generation", "ended_at", "outcome",
      ], "event": ["number", "time", "generation", "kind", "step", "attempt", "json"],
    ]
    for (table, names) in columns {
      for name in names {
        for other in [name.uppercased(), name + "x"] {
          let folder = try Folder()
          let id = try await folder.run(in: try Journal(folder.state))
          try folder.tamper("ALTER TABLE \(table) RENAME COLUMN \(name) TO \(other)")
          let isRead = other != name + "x"
          do {
            let journal = try Journal(folder.state)
            _ = try journal.runs()
            _ = try journal.state(of: try journal.run(named: id.description))
            #expect(isRead, "\(table).\(other)")
          } catch {
            #expect(!isRead, "\(table).\(other): \(error)")
            #expect("\(error)".contains("no such column"), "\(error)")
          }
        }
      }
    }
  }

  @Test(arguments: ["", "/live", "/runs"]) func `a folder that is writable by others is refused`(
    _ place: String
  ) throws {
    let folder = try Folder()
    _ = try Journal(folder.state)
    let path = folder.state.path + place
    for mode in [0o770, 0o707, 0o777] as [mode_t] {
      #expect(chmod(path, mode) == 0)
      let error = #expect(throws: JournalError.self) { try Journal(folder.state) }
      #expect(error?.description.contains("chmod go-w '\(path)'") == true)
    }
    #expect(chmod(path, 0o755) == 0)
    _ = try Journal(folder.state)
  }

  /// Begins a run of a process that has exited, whose files the kernel has not all closed yet.
  ///
  /// - Returns: The run, and the descriptor that still holds its lock.
  private func runOfDyingProcess(in folder: Folder) throws -> (id: RunID, lock: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    let dead = try Journal(folder.state, process: Int(process.processIdentifier))
    let recorded = try dead.begin(folder.request())
    return (recorded.id, fcntl(try #require(recorded.lockDescriptor), F_DUPFD_CLOEXEC, 3))
  }

  @Test func `recovery waits for the lock of a process that is exiting`() async throws {
    let folder = try Folder()
    let (id, lock) = try runOfDyingProcess(in: folder)
    #expect(try Journal(folder.state).isLive(id))
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { close(lock) }
    #expect(try Journal(folder.state).recover { _ in } == [id])
  }

  /// The run was live when recovery listed the runs, and its lock is free when recovery tries it.
  @Test func `a run that ends while recovery waits for another is not taken for interrupted`()
    throws
  {
    let folder = try Folder()
    let (dead, lock) = try runOfDyingProcess(in: folder)
    let journal = try Journal(folder.state)
    let other = try journal.begin(folder.request())
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
      #expect(throws: Never.self) { try other.end(as: .succeeded) }
      close(lock)
    }
    let found = try Journal(folder.state).recover { runs in #expect(runs.map(\.id) == [dead]) }
    #expect(found == [dead])
    #expect(try journal.run(named: other.id.description).status == .succeeded)
  }

  @Test func `recovery does not wait for the lock of a live process`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let recorded = try journal.begin(folder.request())
    let start = ContinuousClock.now
    #expect(try journal.recover { _ in } == [])
    #expect(ContinuousClock.now - start < promised(.milliseconds(500)))
    #expect(!isDying(Int(getpid())))
    withExtendedLifetime(recorded) {}
  }

  @Test func `a process that is being killed records nothing more`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let recorded = try journal.begin(folder.request())
    func event(_ kind: Event.Kind) -> Event {
      Event(time: Timestamp(microseconds: 1), run: recorded.id, generation: 1, kind: kind)
    }
    let plan = RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])
    try recorded.record([event(.runStarted(plan))])
    recorded.freeze()
    // A step that is killed now has not failed: the run resumes from its last record.
    #expect(throws: JournalError.self) {
      try recorded.record([event(.step("a", attempt: 0, .waiting))])
    }
    let run = try journal.run(named: recorded.id.description)
    #expect(try journal.events(of: run).count == 1)
  }
}
