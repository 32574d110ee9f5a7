import ChildProcesses
import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// What an engine makes of the messages of a pool, here written by a shell.
struct PoolRunnerTests {
  private static let count = 20_000

  /// Answers the greeting and a begin, and reports lines, each with a write of its own.
  private static func pool(_ token: AttemptToken) -> String {
    """
    read -r hello; echo '{"id":1,"host":"far"}'
    read -r begin; echo '{"id":2}'
    i=0
    while [ $i -lt \(count) ]; do
      i=$((i + 1))
      echo '{"token":"\(token)","next":'$i',"news":{"kind":"stdout","text":"'$i'"}}'
    done
    echo '{"token":"\(token)","next":'$i',"news":{"kind":"ended","result":{"state":"succeeded"}}}'
    cat > /dev/null
    """
  }

  @Test func `news that arrive in many pieces keep their order`() async throws {
    var random = SeededGenerator.announced()
    let token = AttemptToken(
      run: RunID(), step: "a", generation: 1, attempt: 1, random: random.next())
    let runner = PoolRunner("far", patience: .seconds(60)) { () throws(RunnerFailure) in
      do throws(Errno) {
        return try await ConnectedProgram(["/bin/sh", "-c", Self.pool(token)])
      } catch {
        throw .refused("\(error)")
      }
    }
    let handle = try await runner.begin(AttemptSpec(command: ["true"], grace: .zero), token: token)
    var next = 1
    for try await item in handle.news(from: OutputMark()) {
      if case .ended = item.news { break }
      #expect(item.news == .output(.standardOutput, text: String(next), isPartial: false))
      guard item.next.offset == next else { break }
      next += 1
    }
    #expect(next == Self.count + 1)
  }

  private static func token(of run: RunID = RunID()) -> AttemptToken {
    AttemptToken(run: run, step: "a", generation: 1, attempt: 1, random: 7)
  }

  @Test func `a far side that cannot be reached is connected to once a second at most`()
    async throws
  {
    let folder = try TemporaryFolder()
    let calls = folder.path + "/calls"
    let runner = PoolRunner("far", patience: .seconds(5)) { () throws(RunnerFailure) in
      do throws(Errno) {
        return try await ConnectedProgram([
          "/bin/sh", "-c", "echo x >> \(calls); echo no route >&2; exit 1",
        ])
      } catch {
        throw .refused("\(error)")
      }
    }
    let start = SystemClock().now
    for _ in 0..<50 {
      await #expect(throws: RunnerFailure.neverBegun("far: no route")) {
        try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token())
      }
    }
    let seconds = Int((SystemClock().now - start).components.seconds)
    let count = fileContents(calls)?.count { $0 == 0x0A } ?? 0
    #expect((1...seconds + 1).contains(count), "\(count) connections in \(seconds) s")
  }

  @Test func `a question to a far side that does not answer can be given up`() async throws {
    let runner = PoolRunner("far", patience: .seconds(5)) { () throws(RunnerFailure) in
      do throws(Errno) {
        return try await ConnectedProgram(["/bin/sh", "-c", "cat > /dev/null"])
      } catch {
        throw .refused("\(error)")
      }
    }
    let begin = Task {
      try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token())
    }
    begin.cancel()
    await #expect(throws: RunnerFailure.neverBegun("there is no connection yet")) {
      try await begin.value
    }
  }

  @Test func `after a connection that was good, what its program has written last refuses nothing`()
    async throws
  {
    let runner = PoolRunner("far", patience: .seconds(60), failure: FarSide.failure) {
      () throws(RunnerFailure) in
      do throws(Errno) {
        return try await ConnectedProgram([
          "/bin/sh", "-c",
          "read -r hello; echo 'motd: No such file or directory' >&2; echo '{\"id\":1}'; read -r begin",
        ])
      } catch {
        throw .refused("\(error)")
      }
    }
    let text = "the connection to far has ended: motd: No such file or directory"
    await #expect(throws: RunnerFailure.cannotAsk(text)) {
      try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token())
    }
    await #expect(throws: RunnerFailure.neverBegun(text)) {
      try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token())
    }
  }

  @Test func `a host that ssh reaches takes no locks of this machine`() async throws {
    let folder = try TemporaryFolder()
    let ssh = folder.path + "/ssh"
    try folder.write(
      "ssh",
      "#!/bin/sh\nexport HOME=\(folder.path)\nfor line; do :; done\nexec sh -c \"$line\"\n".utf8)
    try changePermissions(of: ssh, to: FilePermissions(rawValue: 0o755))
    try makeFolderTree(folder.path + "/live")
    let base = LocalExecutor(
      environment: ["PATH": folder.path + ":/usr/bin:/bin"], directory: folder.path)
    var engine = RunnerCase.engine(in: folder, base)
    engine.surroundings.locks = folder.path + "/live"
    let far = RunnerCase(kind: "ssh", settings: "{ host: far, program: \(RunnerCase.program) }")
    let run = engine.start(try far.workflow("steps: [{ id: a, run: \"true\" }]"))
    #expect(try await run.outcome == .succeeded)
    #expect(FolderReader.names(in: folder.path + "/live") == [])
  }

  @Test(arguments: [
    (Errno.tooManyOpenFiles, false), (.resourceTemporarilyUnavailable, false), (.noMemory, false),
    (.noSuchFileOrDirectory, true), (.permissionDenied, true),
  ])
  func `a program that cannot be started now may be started later`(
    _ error: Errno, _ isRefused: Bool
  ) {
    let failure = RunnerFailure(notStarting: "ssh", error)
    #expect(failure.isNeverBegun != isRefused)
    #expect(failure.description == "cannot start ssh: \(error)")
  }

  @Test func `at the end of a run its records on the far side are removed`() async throws {
    let folder = try TemporaryFolder()
    let runner = PoolRunner("far", patience: .seconds(60)) { () throws(RunnerFailure) in
      do throws(Errno) {
        return try await ConnectedProgram(
          [RunnerCase.program, "host", "--pool", "--folder", folder.path + "/attempts"],
          variables: ["REPRISE_HOST": "pool"])
      } catch {
        throw .refused("\(error)")
      }
    }
    let (run, other) = (RunID(), RunID())
    for run in [run, other] {
      let handle = try await runner.begin(
        AttemptSpec(command: ["echo", "x"]), token: Self.token(of: run))
      for try await item in handle.news(from: OutputMark()) {
        if case .ended = item.news { break }
      }
    }
    #expect(await runner.release(run) == nil)
    #expect(
      FolderReader.names(in: folder.path + "/attempts") == [Self.token(of: other).text])
  }

  @Test(arguments: [
    ("far: Host key verification failed.", true),
    ("root@far: Permission denied (publickey).", true),
    ("ssh: Could not resolve hostname far: Name or service not known", true),
    ("ssh: Could not resolve hostname far: Temporary failure in name resolution", false),
    ("ssh: connect to host far port 22: Connection refused", false),
    ("kex_exchange_identification: Connection closed by remote host", false),
    ("sh: 1: exec: /nope: not found", true),
  ])
  func `what does not change by itself is refused, and a network comes back`(
    _ text: String, _ isRefused: Bool
  ) {
    let isNow = if case .refused = FarSide.failure(text) { true } else { false }
    #expect(isNow == isRefused)
  }
}
