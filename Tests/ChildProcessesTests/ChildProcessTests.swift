import Foundation
import Platform
import TestSupport
import Testing

@testable import ChildProcesses

struct ChildProcessTests {
  @Test(arguments: [
    ("exit 0", ChildExit.exited(code: 0)), ("exit 3", .exited(code: 3)),
    ("kill -TERM $$", .signalled(signal: 15)), ("kill -KILL $$", .signalled(signal: 9)),
  ])
  func `the status of the first process is returned`(_ script: String, _ status: ChildExit)
    async throws
  {
    #expect(try await run(shell(script)) == status)
  }

  @Test func `arguments and environment arrive byte for byte`() async throws {
    let hostile = ["", " ", "a b", "'\"`$(echo x)\\", "-rf", "two\nlines", "\u{1B}[31m", "é漢😀"]
    let recorder = Recorder()
    let command = Command(
      executable: "/usr/bin/env",
      arguments: ["-u", "nothing", "printf", "[%s]"] + hostile,
      environment: ["PATH": "/usr/bin:/bin"])
    #expect(try await run(command, recorder) == .exited(code: 0))
    #expect(recorder.text().joined(separator: "\n") == hostile.map { "[\($0)]" }.joined())
    let variable = Recorder()
    let echo = Command(
      executable: "printenv", arguments: ["V"],
      environment: ["PATH": "/usr/bin:/bin", "V": hostile.joined(separator: "|")])
    #expect(try await run(echo, variable) == .exited(code: 0))
    #expect(variable.text().joined(separator: "\n") == hostile.joined(separator: "|"))
  }

  @Test func `a process runs in its directory`() async throws {
    let recorder = Recorder()
    _ = try await run(shell("pwd", directory: "/usr"), recorder)
    #expect(recorder.text() == ["/usr"])
  }

  @Test func `PWD is the directory as it is written, with links but without dots`() async throws {
    let folder = try TemporaryFolder()
    let root = try #require(realPath(folder.path))
    try FileManager.default.createDirectory(
      atPath: root + "/a/b", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: root + "/link", withDestinationPath: root + "/a/b")
    for (directory, expected) in [
      (root + "/link", root + "/link"), (root + "//a/./b/", root + "/a/b"),
      (root + "/link/..", root + "/a"), ("/", "/"),
    ] {
      let recorder = Recorder()
      let command = Command(
        executable: "printenv", arguments: ["PWD"],
        environment: ["PATH": "/usr/bin:/bin", "PWD": "/elsewhere"], directory: directory)
      #expect(try await run(command, recorder) == .exited(code: 0))
      #expect(recorder.text() == [expected])
    }
    // Relative to the directory of this process, not to what PWD claims.
    let own = try #require(workingFolder())
    #expect(writtenFolder("a/b", from: "/elsewhere") == own + "/a/b")
    #expect(writtenWorkingFolder("/elsewhere") == own)
    #expect(writtenWorkingFolder(own + "/.") == own)
  }

  @Test func `output goes to a pseudo-terminal of a size, without an input`() async throws {
    let recorder = Recorder()
    var command = shell(
      "test -t 1 && test -t 2 && ! test -t 0 && stty size <&1; echo err >&2; seq 100000; printf end"
    )
    command.terminal = TerminalSize(columns: 132, rows: 50)
    #expect(try await run(command, recorder) == .exited(code: 0))
    let lines = ["50 132", "err"] + (1...100_000).map(String.init) + ["end"]
    #expect(recorder.text().joined(separator: "\n") == lines.joined(separator: "\n"))
  }

  @Test func `a line on a pseudo-terminal arrives while the program goes on`() async throws {
    let recorder = Recorder()
    var command = Command(
      executable: "python3", arguments: ["-c", "import time; print('early'); time.sleep(8)"],
      environment: ProcessInfo.processInfo.environment)
    command.terminal = TerminalSize()
    let child = try await ChildProcess.spawn(command) { recorder.take($0) }
    await expectEventually("the line arrives") { recorder.text() == ["early"] }
    child.terminate(grace: .seconds(5))
    #expect(await child.end() == .signalled(signal: 15))
  }

  @Test func `what a program leaves on a pseudo-terminal does not keep it open`() async throws {
    let recorder = Recorder()
    var command = shell("setsid sleep 600 & echo done")
    command.terminal = TerminalSize()
    #expect(try await run(command, recorder) == .exited(code: 0))
    #expect(recorder.text().contains("done"))
  }

  @Test func `streams that share a pipe keep the order of their lines`() async throws {
    let recorder = Recorder()
    var command = shell("for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done")
    command.mergesStreams = true
    #expect(try await run(command, recorder) == .exited(code: 0))
    #expect(recorder.text() == (1...9).flatMap { ["out \($0)", "err \($0)"] })
  }

  @Test func `standard input is empty and no descriptor leaks`() async throws {
    let recorder = Recorder()
    _ = try await run(shell("cat; ls -l /proc/self/fd | grep -c ' -> '; :"), recorder)
    // 0, 1, 2 and the directory that `ls` reads.
    #expect(recorder.text() == ["4"])
  }

  @Test func `signals have default actions, and none is blocked`() async throws {
    signal(SIGPIPE, SIG_IGN)
    let recorder = Recorder()
    _ = try await run(shell("exec grep -E '^Sig(Blk|Ign)' /proc/self/status"), recorder)
    let lines = recorder.text()
    #expect(lines.first == "SigBlk:\t0000000000000000")
    // glibc reserves signals 32 and 33 and ignores them.
    #expect(["SigIgn:\t0000000000000000", "SigIgn:\t0000000180000000"].contains(lines.last))
  }

  @Test func `a process is the leader of its own session`() async throws {
    let recorder = Recorder()
    let child = try await ChildProcess.spawn(
      shell("cut -d' ' -f5,6 /proc/self/stat"), onOutput: recorder.take)
    _ = await child.end()
    #expect(recorder.text() == ["\(child.id) \(child.id)"])
  }

  @Test func `the two streams are kept apart, each in its order`() async throws {
    let recorder = Recorder()
    _ = try await run(shell("for i in 1 2 3; do echo out $i; echo err $i >&2; done"), recorder)
    #expect(recorder.text() == ["out 1", "out 2", "out 3"])
    #expect(recorder.text(of: .standardError) == ["err 1", "err 2", "err 3"])
  }

  @Test func `no output of a burst at the end is lost`() async throws {
    for _ in 0..<50 {
      let recorder = Recorder()
      _ = try await run(shell("seq 1 3000"), recorder)
      #expect(recorder.text() == (1...3000).map(String.init))
    }
  }

  @Test func `a pause blocks the process and loses no output`() async throws {
    let recorder = Recorder()
    #expect(
      try await runWithPauses(shell("seq 1 400000; echo end"), recorder) == .exited(code: 0))
    #expect(recorder.text().count == 400_001)
    #expect(recorder.text().last == "end")
  }

  @Test func `a thousand processes leave no zombies and no descriptors`() async throws {
    _ = try await run(shell(":"))
    let before = FolderReader.names(in: "/proc/self/fd").count
    for _ in 0..<250 {
      try await withThrowingTaskGroup(of: ChildExit.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await run(Command(executable: "true", environment: ["PATH": "/bin:/usr/bin"]))
          }
        }
        for try await status in group { #expect(status == .exited(code: 0)) }
      }
    }
    await expectEventually("the descriptors are closed") {
      FolderReader.names(in: "/proc/self/fd").count <= before + 2
    }
  }
}
