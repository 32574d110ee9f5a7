import Foundation
import Platform
import Reprise
import TestSupport
import Testing
import WorkflowFiles

@testable import RepriseRunners

/// What Slurm says of jobs that have ended without a result, by commands that say what is needed.
struct SlurmSiteTests {
  private static let token = AttemptToken("8w0ev0rzs6.a.1.1.2r7g0iek29ch7")

  /// A runner whose commands of Slurm are scripts.
  private static func runner(
    in folder: TemporaryFolder, _ scripts: [String: String]
  ) throws -> FolderRunner {
    let others = ["sbatch": "echo 7", "scancel": ""]
    for (name, script) in others.merging(scripts, uniquingKeysWith: { _, own in own }) {
      let path = "\(folder.path)/\(name)"
      try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let site = SlurmSite(
      options: [], program: "/bin/false",
      commands: SlurmCommands(["PATH": "\(folder.path):/usr/bin:/bin"]), poll: .seconds(15),
      clock: SystemClock())
    return FolderRunner(site, attempts: folder.path + "/attempts", clock: SystemClock())
  }

  @Test func `a job that never began is lost with Slurm's reason, and never will begin`()
    async throws
  {
    let folder = try TemporaryFolder()
    let token = try #require(Self.token)
    let runner = try Self.runner(
      in: folder, ["squeue": "echo '\(token)|NODE_FAIL|JobLaunchFailure|7'"])
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: token)
    #expect(try await runner.look([token]) == [token: .gone])
    #expect(
      await runner.reasonForLoss(of: token)?.text
        == "it never began: Slurm ended its job: NODE_FAIL (JobLaunchFailure)")
    // The claim is the engine's: a host that comes after all ends.
    if let claim = try AttemptFolder(of: token, in: folder.path + "/attempts").takeClaim(host: "n1")
    {
      Issue.record("a host could claim it: \(claim.descriptor)")
    }
  }

  @Test(arguments: [
    (
      "echo '8w0ev0rzs6.a.1.1.2r7g0iek29ch7|7|TIMEOUT|n1'",
      #"Slurm ended its job: TIMEOUT; its time limit has passed (setting "time")"#
    ),
    (
      "echo '8w0ev0rzs6.a.1.1.2r7g0iek29ch7|7|CANCELLED by 0|'",
      "Slurm ended its job: CANCELLED by 0"
    ),
    ("echo 'accounting storage is disabled' >&2; exit 1", "Slurm does not know its job any more"),
    ("", "Slurm does not know its job any more"),
  ])
  func `when the queue has forgotten a job, the accounts are asked`(
    _ script: String, _ reason: String
  ) async throws {
    let folder = try TemporaryFolder()
    let token = try #require(Self.token)
    let runner = try Self.runner(in: folder, ["squeue": "", "sacct": script])
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: token)
    let attempt = AttemptFolder(of: token, in: folder.path + "/attempts")
    guard let claim = try attempt.takeClaim(host: "n1") else { throw CancellationError() }
    #expect(claim.descriptor > 2)
    #expect(await runner.reasonForLoss(of: token)?.text == reason)
  }

  // MARK: What sbatch says

  private static func answer(_ errors: String, status: Int? = 1) -> ProgramAnswer {
    ProgramAnswer(status: status, output: "", errors: errors + "\n")
  }

  private static let policy =
    "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, "
    + "user's size and/or time limits)"

  @Test(arguments: [
    "sbatch: error: QOSMaxSubmitJobPerUserLimit\n" + policy,
    "sbatch: error: AssocGrpSubmitJobsLimit\n" + policy,
    "sbatch: error: Batch job submission failed: Resource temporarily unavailable",
    "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying", policy,
  ])
  func `a limit of the queue is waited for`(_ errors: String) async {
    let failure = await SlurmCommands.failure(of: Self.answer(errors)) { true }
    guard case .full = failure else {
      Issue.record("\(failure)")
      return
    }
  }

  @Test(arguments: [
    "sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: "
      + "Invalid partition name specified",
    "sbatch: error: Batch job submission failed: Invalid account or account/partition combination "
      + "specified",
    "sbatch: error: CPU count per node can not be satisfied\nsbatch: error: Batch job submission "
      + "failed: Requested node configuration is not available",
    "sbatch: error: QOSMaxWallDurationPerJobLimit\n" + policy,
    "sbatch: error: you must set an account\nsbatch: error: Batch job submission failed: "
      + "Unspecified error",
    policy,
  ])
  func `what the controller refuses fails the step, in its words`(_ errors: String) async {
    let failure = await SlurmCommands.failure(of: Self.answer(errors)) { false }
    guard case .refused(let text) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(text.hasPrefix("sbatch: ") && !text.contains("sbatch: error"))
  }

  @Test(arguments: [
    ("sbatch: error: Batch job submission failed: Unable to contact slurm controller", 1),
    ("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", 1),
    ("sbatch: error: the controller does not answer", 1), ("sbatch: error: Invalid account", nil),
  ])
  func `a submission without an answer may have arrived`(_ errors: String, _ status: Int?) async {
    let failure = await SlurmCommands.failure(of: Self.answer(errors, status: status)) { true }
    guard case .cannotAsk = failure else {
      Issue.record("\(failure)")
      return
    }
  }

  @Test func `a job of the engine is not passed on`() {
    let environment = [
      "PATH": "/bin", "HOME": "/root", "SLURM_CONF": "/etc/slurm.conf", "SLURM_JOB_ID": "7",
      "SLURM_CPUS_PER_TASK": "3", "SLURMD_NODENAME": "n3", "SBATCH_ACCOUNT": "a",
      "SBATCH_ARRAY_INX": "1-3", "SRUN_DEBUG": "3", "PMI_RANK": "0", "PMIX_RANK": "0",
      "TMPDIR": "/job/7", "CUDA_VISIBLE_DEVICES": "0", "SQUEUE_USERS": "x", "TOKEN": "secret",
    ]
    let steps = Set(JobVariables.without(environment).keys)
    #expect(
      steps == ["PATH", "HOME", "SLURM_CONF", "SBATCH_ACCOUNT", "SQUEUE_USERS", "TOKEN"])
    let commands = SlurmCommands(environment, further: ["TOKEN"])
    #expect(
      Set(commands.submission.keys) == ["PATH", "HOME", "SLURM_CONF", "SBATCH_ACCOUNT", "TOKEN"])
    #expect(
      Set(commands.environment.keys) == ["PATH", "HOME", "SLURM_CONF", "SBATCH_ACCOUNT", "TOKEN"])
  }

  @Test(arguments: ["--array=1-3", "-a1-3", "--array", "-J", "--wait"])
  func `options that would change how jobs are followed are refused`(_ option: String) throws {
    let text = "runner: { slurm: { extra: [\"\(option)\"] } }\nsteps: [{ id: a, run: \"true\" }]"
    #expect(throws: (any Error).self) {
      try Workflow(text: text, file: "w.yaml", actions: RunnerCase.catalog)
    }
    let harmless = text.replacingOccurrences(of: option, with: "--exclude=n3")
    _ = try Workflow(text: harmless, file: "w.yaml", actions: RunnerCase.catalog)
  }

  // MARK: Submissions and withdrawals

  private static func token(_ number: Int) throws -> AttemptToken {
    try #require(AttemptToken("8w0ev0rzs6.a.1.\(number).2r7g0iek29ch7"))
  }

  /// A queue in a folder, whose commands are as fast as files.
  private static let queue = [
    "sbatch": """
    for word; do case $word in --job-name=*) name=${word#*=} ;; esac; done
    echo $name >> "$0.calls"
    cd "$(dirname $0)"; mkdir -p jobs
    if [ -e limit ] && [ $(ls jobs | wc -l) -ge $(cat limit) ]
    then echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2; exit 1; fi
    n=$(wc -l < sbatch.calls); echo $name > jobs/$n; echo $n
    """,
    "squeue": """
    cd "$(dirname $0)/jobs" 2>/dev/null || exit 0
    for n in *; do [ -e $n ] && echo "$(cat $n)|PENDING|Priority|$n"; done; exit 0
    """,
    "scancel": """
    echo $# >> "$0.calls"; cd "$(dirname $0)/jobs" || exit 1
    # The first commands do nothing.
    [ $(wc -l < "$0.calls") -le 2 ] && exit 0; rm -f "$@"
    """,
  ]

  @Test func `jobs are withdrawn together, and again until they are gone`() async throws {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(in: folder, Self.queue)
    for number in 1...130 {
      let handle = try await runner.begin(
        AttemptSpec(command: ["true"]), token: try Self.token(number))
      #expect(handle.job == String(number))
    }
    for number in 1...130 {
      try await runner.find(try Self.token(number))?.stop(grace: .zero)
    }
    #expect(await runner.release(try #require(RunID("8w0ev0rzs6"))) == nil)
    #expect(FolderReader.names(in: folder.path + "/jobs") == [])
    let calls = fileContents(folder.path + "/scancel.calls")
    let counts =
      calls.map { String(decoding: $0, as: UTF8.self) }?.split(separator: "\n").compactMap {
        Int($0)
      } ?? []
    // How many jobs a command has depends on the speed of the machine.
    #expect(counts.allSatisfy { $0 <= 100 } && counts.count <= 8, "\(counts)")
  }

  @Test func `what cannot be withdrawn is reported with its number`() async throws {
    let folder = try TemporaryFolder()
    var scripts = Self.queue
    scripts["scancel"] = "echo 'scancel: error: not now' >&2; exit 1"
    let runner = try Self.runner(in: folder, scripts)
    for number in 1...3 {
      let handle = try await runner.begin(
        AttemptSpec(command: ["true"]), token: try Self.token(number))
      try await handle.stop(grace: .zero)
    }
    let notice = await runner.release(try #require(RunID("8w0ev0rzs6"))) ?? ""
    #expect(notice.contains("3 cancelled jobs are still") && notice.contains("scancel 1 2 3"))
    #expect(notice.contains("not now"))
  }

  @Test func `a full queue is tried again when a job has ended, and seldom otherwise`() async throws
  {
    let folder = try TemporaryFolder()
    let start = SystemClock().now
    try folder.write("limit", "2\n".utf8)
    let runner = try Self.runner(in: folder, Self.queue)
    let first = try await runner.begin(AttemptSpec(command: ["true"]), token: try Self.token(1))
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: try Self.token(2))
    await #expect(throws: RunnerFailure.full("sbatch: QOSMaxSubmitJobPerUserLimit")) {
      try await runner.begin(AttemptSpec(command: ["true"]), token: try Self.token(3))
    }
    // Waits for its turn, without a question to Slurm.
    let third = Task {
      while true {
        do {
          return try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token(3))
        } catch RunnerFailure.full {}
      }
    }
    await #expect(throws: RunnerFailure.full("sbatch: QOSMaxSubmitJobPerUserLimit")) {
      try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token(4))
    }
    try await first.stop(grace: .zero)
    await expectEventually("the first job is gone") {
      !FileManager.default.fileExists(atPath: folder.path + "/jobs/1")
    }
    _ = try await first.isGone()
    #expect(try await third.value.job != nil)
    let calls = fileContents(folder.path + "/sbatch.calls")?.count { $0 == 0x0A } ?? 0
    let seconds = Int((SystemClock().now - start).components.seconds)
    #expect(calls <= 6 + seconds, "\(calls) submissions in \(seconds) s")
  }

  @Test func `a stop does not wait for a scheduler that does not answer`() async throws {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(
      in: folder, ["sbatch": "echo x >> $0.calls; exec sleep 600", "squeue": "exec sleep 600"])
    let token = try Self.token(1)
    let start = ContinuousClock.now
    let begin = Task { try await runner.begin(AttemptSpec(command: ["true"]), token: token) }
    let folderOfAttempt = AttemptFolder(of: token, in: folder.path + "/attempts")
    await expectEventually("the scheduler is asked") {
      FileManager.default.fileExists(atPath: folder.path + "/sbatch.calls")
    }
    begin.cancel()
    await #expect(throws: RunnerFailure.self) { try await begin.value }
    #expect(try await runner.revoke(token) == nil)
    #expect(start.duration(to: .now) < .seconds(25))
    #expect(folderOfAttempt.claim.map { $0.host == nil } == true)
  }

  @Test func `a stop of a queued job does not wait for a queue that does not answer`() async throws
  {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(in: folder, ["squeue": "echo x >> $0.calls; exec sleep 20"])
    let handle = try await runner.begin(
      AttemptSpec(command: ["true"]), token: try Self.token(1))
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: try Self.token(2))
    let last = Task {
      var last: AttemptNews?
      for try await item in handle.news(from: OutputMark()) { last = item.news }
      return last
    }
    await expectEventually("the queue is asked") {
      FileManager.default.fileExists(atPath: folder.path + "/squeue.calls")
    }
    let start = ContinuousClock.now
    let other = Task { try await runner.find(Self.token(2)) }
    other.cancel()
    await #expect(throws: RunnerFailure.cannotAsk("Slurm has not answered yet")) {
      try await other.value
    }
    try await handle.stop(grace: .zero)
    #expect(try await last.value == .ended(.stopped))
    #expect(start.duration(to: .now) < .seconds(15))
  }

  @Test func `the end of a run leaves the withdrawals of another run alone`() async throws {
    let folder = try TemporaryFolder()
    var scripts = Self.queue
    scripts["scancel"] = "echo 'scancel: error: not now' >&2; exit 1"
    let runner = try Self.runner(in: folder, scripts)
    let runs = [RunID(), RunID()]
    for run in runs {
      let token = AttemptToken(run: run, step: "a", generation: 1, attempt: 1, random: 7)
      let handle = try await runner.begin(AttemptSpec(command: ["true"]), token: token)
      try await handle.stop(grace: .zero)
    }
    async let first = runner.release(runs[0])
    async let second = runner.release(runs[1])
    let notices = await [first, second].map { $0 ?? "" }
    for (index, notice) in notices.enumerated() {
      #expect(notice.contains("1 cancelled job is still"), "\(notice)")
      #expect(notice.hasSuffix("scancel \(index + 1)"), "\(notice)")
    }
  }

  @Test func `what Slurm has ended is said, with the setting that matters`() async throws {
    let folder = try TemporaryFolder()
    let token = try Self.token(1)
    let runner = try Self.runner(in: folder, ["squeue": "echo '\(token)|TIMEOUT|TimeLimit|7'"])
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: token)
    let reason = try #require(await runner.reasonForEnd(of: token)?.text)
    #expect(reason.contains("TIMEOUT (TimeLimit)") && reason.contains("\"time\""))
    let other = try Self.runner(in: folder, ["squeue": "echo '\(token)|FAILED|NonZeroExitCode|7'"])
    #expect(await other.reasonForEnd(of: token) == nil)
  }

  @Test func `the queue is asked for less and less often while nothing changes`() async throws {
    let folder = try TemporaryFolder()
    let token = try Self.token(1)
    let runner = try Self.runner(
      in: folder, ["squeue": "echo x >> $0.calls; echo '\(token)|PENDING|Priority|7'"])
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: token)
    let start = SystemClock().now
    while SystemClock().now - start < .seconds(6) {
      #expect(try await runner.look([token]) == [token: .queued("Priority")])
      try await SystemClock().sleep(for: .milliseconds(50))
    }
    // Twice a second would be 12 or 13. A busy machine may take long for the first one.
    let calls = fileContents(folder.path + "/squeue.calls")?.count { $0 == 0x0A } ?? 0
    #expect((1...7).contains(calls), "\(calls) questions")
  }
}
