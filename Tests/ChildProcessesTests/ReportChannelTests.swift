import Foundation
import Platform
import TestSupport
import Testing

@testable import ChildProcesses

final class ReportChannelTests {
  /// The folder in which the tests create channels.
  private let folder: String

  init() throws {
    folder = try temporaryFolder()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func reporting(_ script: String) -> Command {
    var command = shell(script, directory: folder)
    command.environment["TMPDIR"] = folder
    command.reportVariable = "REPORT"
    return command
  }

  private var leftovers: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? ["no folder"]
  }

  /// Returns the lines that a script reports.
  private func reports(of script: String) async throws -> [String] {
    let recorder = Recorder()
    #expect(try await run(reporting(script), recorder) == .exited(code: 0))
    #expect(recorder.partials == [])
    return recorder.text(of: .report)
  }

  @Test func `reported lines arrive in order, separately from the output`() async throws {
    let recorder = Recorder()
    let script =
      "for i in 1 2 3; do echo report $i > \"$REPORT\"; echo out $i; echo error $i >&2; done"
    #expect(try await run(reporting(script), recorder) == .exited(code: 0))
    #expect(recorder.text(of: .report) == ["report 1", "report 2", "report 3"])
    #expect(recorder.text() == ["out 1", "out 2", "out 3"])
    #expect(recorder.text(of: .standardError) == ["error 1", "error 2", "error 3"])
  }

  @Test func `reported lines arrive while the process runs`() async throws {
    let recorder = Recorder()
    let child = try await ChildProcess.spawn(
      reporting("echo now > \"$REPORT\"; exec sleep 60"), onOutput: recorder.take)
    await expectEventually("the line is there") { recorder.text(of: .report) == ["now"] }
    child.kill()
    _ = await child.end()
    #expect(recorder.text(of: .report) == ["now"])
  }

  @Test func `lines written just before the end arrive`() async throws {
    for _ in 0..<50 {
      let lines = try await reports(of: "exec seq 1 3000 > \"$REPORT\"")
      #expect(lines == (1...3000).map(String.init))
    }
  }

  @Test func `the rest of the pipe at the end arrives`() async throws {
    let (recorder, room) = (Recorder(), Gate())
    let child = try await ChildProcess.spawn(
      reporting(
        """
        exec 3> "$REPORT"; echo first >&3; while [ ! -e go ]; do sleep 0.02; done
        seq 1 3000 >&3; touch done; exec sleep 60
        """),
      roomForOutput: { await room.wait() },
      onOutput: { lines in
        _ = recorder.take(lines)
        return false
      })
    defer { room.open() }
    // Nothing is read from now on until the end: there is no room.
    await expectEventually("the pause begins") { recorder.text(of: .report) == ["first"] }
    #expect(FileManager.default.createFile(atPath: folder + "/go", contents: nil))
    await expectEventually("all output is written") {
      FileManager.default.fileExists(atPath: folder + "/done")
    }
    child.kill()
    _ = await child.end()
    #expect(recorder.text(of: .report) == ["first"] + (1...3000).map(String.init))
  }

  @Test func `many lines do not block the writer`() async throws {
    // Far more than the capacity of a pipe.
    let lines = try await reports(
      of: """
        i=0
        while [ $i -lt 10000 ]; do
          i=$((i + 1)); echo "of a line in ten thousand this is number $i"
        done > "$REPORT"
        """)
    #expect(lines.count == 10_000)
    #expect(lines.last == "of a line in ten thousand this is number 10000")
  }

  @Test func `a grandchild may write to the channel`() async throws {
    // On a busy machine, it may take longer than the time that leftover processes are given.
    for attempt in 1...10 {
      let lines = try await reports(
        of: "echo early > \"$REPORT\"; (sleep 0.02; echo late > \"$REPORT\") > /dev/null 2>&1 &")
      #expect(lines.first == "early")
      guard lines != ["early", "late"] else { return }
      #expect(attempt < 10, "the grandchild was never heard: \(lines)")
    }
  }

  @Test func `a writer that keeps the channel open does not delay the end`() async throws {
    for rest in ["exit", "sleep 60 >&- 2>&- &"] {
      let start = ContinuousClock.now
      let lines = try await reports(of: "exec 3<> \"$REPORT\"; echo held >&3; \(rest)")
      #expect(lines == ["held"])
      #expect(ContinuousClock.now - start < promised(.seconds(3), busy: .seconds(30)))
    }
  }

  @Test func `garbage in the channel is skipped`() async throws {
    let lines = try await reports(
      of: """
        exec 3> "$REPORT"
        head -c 200000 /dev/urandom >&3; echo >&3
        head -c 1048576 /dev/zero | tr '\\0' x >&3; echo >&3
        echo after >&3
        """)
    #expect(lines.last == "after")
    #expect(!lines.contains { $0.hasPrefix("xxx") })
    #expect(lines.allSatisfy { $0.unicodeScalars.count <= ReportLines.lineBytesMax })
  }

  @Test func `a line has at most 4 KiB`() async throws {
    let lines = try await reports(
      of: """
        for size in 4096 4097 9000 4096; do
          head -c $size /dev/zero | tr '\\0' x > "$REPORT"; echo > "$REPORT"
        done
        """)
    #expect(lines == Array(repeating: String(repeating: "x", count: 4096), count: 2))
  }

  @Test func `an unterminated line is not reported`() async throws {
    #expect(try await reports(of: "printf 'a\\n\\nb' > \"$REPORT\"") == ["a", ""])
  }

  @Test func `reported lines do not depend on how the bytes are split`() {
    let bytes = Array("one\n\ntwo\n\(String(repeating: "x", count: 5000))\nthree\nno end".utf8)
    for size in [1, 2, 3, 7, 4096, bytes.count] {
      var report = ReportLines(after: nil)
      let pieces = stride(from: 0, to: bytes.count, by: size)
        .map { report.append(bytes[$0..<min($0 + size, bytes.count)]) }
      #expect(String(decoding: pieces.joined(), as: UTF8.self) == "one\n\ntwo\nthree\n")
      #expect(report.finish() == [])
    }
  }

  @Test func `reported lines go through the filter`() async throws {
    let recorder = Recorder()
    let made = Protected(0)
    let child = try await ChildProcess.spawn(
      reporting("printf 'a SEC' > $REPORT; printf 'RET\nb SEC\nS' > $REPORT"),
      filter: {
        made.withLock { $0 += 1 }
        return WordFilter()
      }, onOutput: recorder.take)
    _ = await child.end()
    #expect(made.value == 3)
    #expect(recorder.text(of: .report) == ["a ***", "b SEC"])
  }

  @Test func `reported lines held back by a filter arrive`() {
    struct Hoarder: OutputFilter {
      var all: [UInt8] = []
      mutating func append(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        all += bytes
        return []
      }
      mutating func finish() -> [UInt8] { all }
    }
    var report = ReportLines(after: Hoarder())
    #expect(report.append(Array("a\nb".utf8)[...]) == [])
    #expect(report.finish() == Array("a\n".utf8))
  }

  @Test func `a pause blocks the writer and loses no lines`() async throws {
    let recorder = Recorder()
    let command = reporting("exec seq 1 100000 > \"$REPORT\"")
    #expect(try await runWithPauses(command, recorder) == .exited(code: 0))
    #expect(recorder.text(of: .report) == (1...100_000).map(String.init))
  }

  @Test(arguments: [
    "echo x > \"$REPORT\"", "exit 3", "kill -KILL $$", "rm \"$REPORT\"",
    "rm \"$REPORT\"; echo x > \"$REPORT\"", "rm -r \"${REPORT%/*}\"",
  ])
  func `the channel is removed after the end`(_ script: String) async throws {
    _ = try await run(reporting(script))
    #expect(leftovers == [])
  }

  @Test func `the channel is removed after a kill`() async throws {
    let recorder = Recorder()
    let child = try await ChildProcess.spawn(
      reporting("echo ready; exec sleep 60"), onOutput: recorder.take)
    await expectEventually("it is ready") { recorder.text() == ["ready"] }
    #expect(leftovers.count == 1)
    child.kill()
    _ = await child.end()
    #expect(leftovers == [])
  }

  @Test func `the channel is removed when the process cannot be started`() async throws {
    for (name, text) in [("script", "#!/no/such/interpreter\n"), ("garbage", "\u{1}\u{2}")] {
      var command = reporting(":")
      command.executable = folder + "/" + name
      #expect(
        FileManager.default.createFile(
          atPath: command.executable, contents: Data(text.utf8),
          attributes: [.posixPermissions: 0o755]))
      await #expect(throws: SpawnError.self) {
        try await ChildProcess.spawn(command, onOutput: Recorder().take)
      }
      try FileManager.default.removeItem(atPath: command.executable)
    }
    #expect(leftovers == [])
  }

  @Test func `only its user has access to the channel`() async throws {
    let recorder = Recorder()
    let script = "ls -ld \"${REPORT%/*}\" \"$REPORT\" | cut -c1-10"
    #expect(try await run(reporting(script), recorder) == .exited(code: 0))
    #expect(recorder.text() == ["drwx------", "prw-------"])
  }

  @Test func `the channel is in the temporary folder of the command`() async throws {
    let standard = temporaryFolder(nil)
    #expect(["/dev/shm", "/tmp"].contains(standard))
    for (temporary, expected) in [(folder, folder), ("relative", standard), (nil, standard)] {
      var command = reporting("echo \"$REPORT\"")
      command.environment["TMPDIR"] = temporary
      let recorder = Recorder()
      #expect(try await run(command, recorder) == .exited(code: 0))
      #expect(recorder.text().first?.hasPrefix("\(expected)/reprise-\(getpid())-report-") == true)
    }
  }

  @Test func `no channel is created unless requested`() async throws {
    var command = reporting("ls \"$TMPDIR\"; echo \"$REPORT\"")
    command.reportVariable = nil
    let recorder = Recorder()
    #expect(try await run(command, recorder) == .exited(code: 0))
    #expect(recorder.text() == [""])
  }

  @Test func `the error names a folder in which no channel can be created`() async {
    var command = reporting(":")
    command.environment["TMPDIR"] = folder + "/none"
    let expected = SpawnError.noReportChannel(folder: folder + "/none", errorNumber: ENOENT)
    await #expect(throws: expected) {
      try await ChildProcess.spawn(command, onOutput: Recorder().take)
    }
    #expect(expected.description.contains("set TMPDIR"))
  }

  @Test func `children do not inherit descriptors of the channel`() async throws {
    let waiting = try await ChildProcess.spawn(
      reporting("exec sleep 60"), onOutput: Recorder().take)
    let recorder = Recorder()
    _ = try await run(reporting("ls -l /proc/self/fd | grep -c ' -> '"), recorder)
    // 0, 1, 2 and the directory that `ls` reads.
    #expect(recorder.text() == ["4"])
    waiting.kill()
    _ = await waiting.end()
  }

  @Test func `two hundred channels leave no descriptors`() async throws {
    let before = FolderReader.names(in: "/proc/self/fd").count
    for round in 0..<200 {
      let lines = try await reports(of: "echo \(round) > \"$REPORT\"")
      #expect(lines == ["\(round)"])
    }
    var broken = reporting(":")
    broken.executable = folder + "/broken"
    #expect(
      FileManager.default.createFile(
        atPath: broken.executable, contents: Data("#!/no/such/interpreter\n".utf8),
        attributes: [.posixPermissions: 0o755]))
    for _ in 0..<50 { _ = try? await ChildProcess.spawn(broken, onOutput: Recorder().take) }
    let own = FolderReader.names(in: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
    }.filter { $0.hasPrefix(folder) }
    #expect(own == [])
    // Other tests that run concurrently have open descriptors, too.
    await expectEventually("the descriptors are closed") {
      FolderReader.names(in: "/proc/self/fd").count < before + 25
    }
  }
}
