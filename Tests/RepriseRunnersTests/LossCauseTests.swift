import Foundation
import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// What has ended an attempt from outside, and how the next one answers it.
struct LossCauseTests {
  private func engine(in folder: TemporaryFolder) -> Engine {
    let environment = ["PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": "/"]
    return RunnerCase.engine(
      in: folder, LocalExecutor(environment: environment, directory: folder.path))
  }

  private func run(_ text: String, in folder: TemporaryFolder) throws -> Run {
    engine(in: folder).start(try Workflow(text: text, file: "w.yaml", actions: RunnerCase.catalog))
  }

  /// A scheduler that says of the first job that it needed more memory than it had.
  private func scheduler(in folder: TemporaryFolder) throws {
    try BatchRunnerTests.Fake.all[1].write(to: folder)
    try folder.write("open")
    try BatchRunnerTests.Fake.write(
      "#!/bin/sh\n[ \"$1\" = 1.server.example.org ] && echo 'job was killed: memory 4g exceeded'\n",
      as: "jreport", to: folder)
  }

  private static func workflow(_ failures: String, status: Int = 0) -> String {
    """
    steps:
      - id: a
        runner:
          batch:
            scheduler: pbs
            report: [jreport, "{job}"]
            causes: { killed: limit, "killed: memory": out-of-memory }
            options: [-l, "mem=${{ attempt * 4 }}g"]
        retry: { limit: 2, delay: 1ms, for: \(failures) }
        run: |
          if ! [ -e begun ]; then
            : > begun
            [ \(status) = 0 ] || exit \(status)
            kill -9 $$
          fi
    """
  }

  @Test func `a job that needed more memory gets more in the next attempt`() async throws {
    let folder = try TemporaryFolder()
    try scheduler(in: folder)
    let run = try run(Self.workflow("[node, out-of-memory]"), in: folder)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["a"]?.attempt == 2)
    let submitted = folder.lines("submitted")
    #expect(submitted.count == 2)
    #expect(submitted.first?.contains("-l mem=4g") == true)
    #expect(submitted.last?.contains("-l mem=8g") == true)
  }

  @Test func `what an attempt asks for and uses is recorded`() async throws {
    let folder = try TemporaryFolder()
    try scheduler(in: folder)
    let text = """
      steps:
        - id: a
          runner: { batch: { scheduler: pbs, options: ["--mem=${{ attempt * 4 }}g"] } }
          run: "head -c 60000000 /dev/zero | tail -c 60000000 > /dev/null; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"
      """
    let run = try run(text, in: folder)
    #expect(try await run.outcome == .succeeded)
    let placement = try #require(run.state["a"]?.placement)
    #expect(placement.place.asked == ["options": "--mem=4g"])
    let use = try #require(placement.use)
    #expect(use.peakBytes > 50_000_000 && use.peakBytes < 2_000_000_000, "\(use)")
    #expect(use.processorTime > .milliseconds(5) && use.processorTime < .seconds(60), "\(use)")
  }

  @Test func `a usual exit status is also asked about if causes decide`() async throws {
    let folder = try TemporaryFolder()
    try scheduler(in: folder)
    let run = try run(Self.workflow("out-of-memory", status: 3), in: folder)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["a"]?.attempt == 2)
  }

  @Test func `the state of a job that ends after its step says the cause`() async throws {
    let folder = try TemporaryFolder()
    try BatchRunnerTests.Fake.all[1].write(to: folder)
    try folder.write("open")
    // Its end is listed a little later than the result of the step is there.
    try BatchRunnerTests.Fake.write(
      """
      #!/bin/sh
      cd '\(folder.path)'
      [ -e killed ] && [ ! -e jobs/1 ] && echo '1.server x x x oom'
      for file in jobs/*; do [ -e "$file" ] && echo "${file#jobs/}.server x x x R"; done
      exit 0

      """, as: "qstat", to: folder)
    let text = """
      steps:
        - id: a
          runner: { batch: { scheduler: pbs, states: { oom: out-of-memory } } }
          retry: { limit: 1, delay: 1ms, for: out-of-memory }
          run: "[ -e killed ] || { : > killed; kill -9 $$; }"
      """
    let run = try run(text, in: folder)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["a"]?.attempt == 2)
  }

  @Test func `attempts with other settings share the queue of their runner`() async throws {
    let folder = try TemporaryFolder()
    try BatchRunnerTests.Fake.all[1].write(to: folder)
    try folder.write("open")
    let real = try String(contentsOfFile: folder.path + "/bin/qsub", encoding: .utf8)
    try BatchRunnerTests.Fake.write(
      real.replacing("mkdir -p jobs\n", with: "mkdir -p jobs\ndate +%s%N >> times\n"), as: "qsub",
      to: folder)
    let text = """
      runners:
        far: { batch: { scheduler: pbs, submit-every: 400ms, options: ["--mem=${{ attempt }}"] } }
      runner: far
      steps:
        - parallel:
            - { id: a, retry: { limit: 1, delay: 1ms }, run: exit $((REPRISE_ATTEMPT == 1)) }
            - { id: b, retry: { limit: 1, delay: 1ms }, run: exit $((REPRISE_ATTEMPT == 1)) }
            - { id: c, retry: { limit: 1, delay: 1ms }, run: exit $((REPRISE_ATTEMPT == 1)) }
      """
    let run = try run(text, in: folder)
    #expect(try await run.outcome == .succeeded)
    let times = folder.lines("times").compactMap { Int($0) }.sorted()
    #expect(times.count == 6)
    // Programs start a little earlier or later.
    #expect(
      (times.last ?? 0) - (times.first ?? 0) > 5 * 400_000_000 - 200_000_000, "\(times)")
  }

  @Test func `another cause is no reason to try again`() async throws {
    let folder = try TemporaryFolder()
    try scheduler(in: folder)
    let run = try run(Self.workflow("[node, 3]"), in: folder)
    #expect(
      try await run.outcome
        == .failed(
          step: "a",
          reason: .lost(
            "PBS ended its job: job was killed: memory 4g exceeded", cause: .outOfMemory,
            status: 137)))
  }

  @Test func `a step beyond its own timeout is retried for a time limit`() async throws {
    let folder = try TemporaryFolder()
    let text = """
      steps:
        - id: a
          retry: { limit: 1, delay: 1ms, for: time-limit }
          timeout: 3s
          run: if [ $REPRISE_ATTEMPT = 1 ]; then exec sleep 60; fi
      """
    let run = try run(text, in: folder)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["a"]?.attempt == 2)
  }

  @Test func `a state of a job may say the cause of its end`() throws {
    let rules = BatchPreset.slurm.rules
    let causes = ["TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED", "FAILED"].map {
      rules.states[$0]?.cause
    }
    #expect(causes == [.timeLimit, .outOfMemory, .node, .preempted, nil])
    #expect(LossCause.allCases.allSatisfy { BatchState(rawValue: $0.rawValue)?.cause == $0 })
  }

  @Test func `a scheduler that kills the process group of a job ends its step`() async throws {
    let folder = try TemporaryFolder()
    for (name, script) in [
      (
        "qsub",
        """
        for word; do script=$word; done
        setsid sh -c 'echo $$ > group; exec "$0"' "$script" < /dev/null > /dev/null 2>&1 &
        echo 1
        """
      ),
      ("qstat", "[ -e killed ] || echo '1 x x x R'"), ("qdel", ""),
    ] {
      try BatchRunnerTests.Fake.write(
        "#!/bin/sh\ncd '\(folder.path)'\n\(script)\n", as: name, to: folder)
    }
    let run = try run(
      "steps: [{ id: a, runner: { batch: { scheduler: pbs } }, run: 'echo $$ > pid; exec sleep 600' }]",
      in: folder)
    func number(in name: String) -> Int32? { folder.lines(name).first.flatMap { Int32($0) } }
    await expectEventually("the step runs") { number(in: "pid") != nil }
    let (group, step) = (try #require(number(in: "group")), try #require(number(in: "pid")))
    sendSignal(SignalNumber.kill, to: -group)
    try folder.write("killed")
    await expectEventually("nothing of it is left") { !processExists(step) }
    guard case .failed(_, .lost(let text, _, _)) = try await run.outcome else {
      Issue.record("it is not lost")
      return
    }
    #expect(text.contains("PBS does not list its job any more"), "\(text)")
  }

  // MARK: Nodes that have failed

  @Test(arguments: [false, true])
  func `the next attempt leaves the failed node out, if there is another one`(
    _ isOnly: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let token = try #require(AttemptToken("8w0ev0rzs6.a.1.1.2r7g0iek29ch7"))
    let next = try #require(AttemptToken("8w0ev0rzs6.a.1.2.2r7g0iek29ch8"))
    let other = try #require(AttemptToken("8w0ev0rzs6.b.1.1.2r7g0iek29ch9"))
    let refusal = isOnly ? "echo 'Batch job submission failed: not available' >&2; exit 1" : ""
    for (name, script) in [
      ("squeue", "echo '\(token)|NODE_FAIL|None|7|n1'"), ("scancel", ""),
      (
        "sbatch",
        "echo \"$*\" >> \(folder.path)/calls; case $* in *--exclude*) \(refusal) ;; esac; echo 7"
      ),
    ] {
      try BatchRunnerTests.Fake.write("#!/bin/sh\n\(script)\n", as: name, to: folder)
    }
    let site = SlurmSite(
      options: [], program: "/bin/false",
      commands: SlurmCommands(["PATH": "\(folder.path)/bin:/usr/bin:/bin"]), poll: .seconds(15),
      clock: SystemClock())
    let runner = FolderRunner(site, attempts: folder.path + "/attempts", clock: SystemClock())
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: token)
    #expect(try await runner.look([token]) == [token: .gone])
    let end = try #require(await runner.reasonForLoss(of: token))
    #expect(end.cause == .node && end.text.contains("NODE_FAIL on n1"), "\(end)")
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: next)
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: other)
    let excluding = folder.lines("calls").map { $0.contains("--exclude=n1") }
    #expect(excluding == (isOnly ? [false, true, false, false] : [false, true, false]))
  }

  // MARK: Settings that depend on the attempt

  private func choice(_ settings: String) throws -> RunnerChoice {
    let text = """
      params: { hours: { type: number, default: 2 } }
      steps: [{ id: a, run: x, runner: { slurm: \(settings) } }]
      """
    let workflow = try Workflow(text: text, file: "w.yaml", actions: RunnerCase.catalog)
    return try #require(workflow.runners.first)
  }

  @Test func `settings are computed from the number of the attempt`() throws {
    let choice = try choice(
      """
      { memory: "${{ attempt * 4 }}g", cpus: "${{ attempt }}", time: "${{ params.hours * attempt }}h",
        extra: ["--nice=${{ attempt }}", --exclusive], partition: big }
      """)
    for attempt in [1, 3] {
      let settings = try choice.settled(for: attempt).settings
      #expect(
        settings == [
          "memory": .text("\(attempt * 4)g"), "cpus": .number(Double(attempt)),
          "time": .text("\(2 * attempt)h"),
          "extra": .list([.text("--nice=\(attempt)"), .text("--exclusive")]),
          "partition": .text("big"),
        ])
    }
    #expect(try choice.settled(for: 1) == choice)
  }

  @Test(arguments: [
    (#"{ cpus: "${{ 1 / attempt }}" }"#, "cpus"),
    (#"{ keep: true, cpus: "${{ attempt }}" }"#, "\"cpus\" cannot depend on the attempt"),
    (#"{ keep: "${{ attempt == 2 }}" }"#, "\"keep\" cannot depend on the attempt"),
    (#"{ cpus: "${{ 4 / (2 - attempt) }}" }"#, "no value for the second attempt"),
    (#"{ max-parallel: "${{ attempt }}" }"#, "settings of a runner, except max-parallel"),
    (#"{ memory: "${{ attempt.x }}" }"#, "attempt"),
    (#"{ memory: "${{ attempt && steps.a.outputs.x }}" }"#, "\"steps\""),
  ])
  func `settings that no attempt can have are errors of the file`(
    _ settings: String, _ part: String
  ) {
    do {
      _ = try choice(settings)
      Issue.record("there is no error")
    } catch {
      #expect("\(error)".contains(part), "\(error)")
    }
  }

  // MARK: The rate of submissions

  @Test func `a step that waits for its turn says why`() async throws {
    let folder = try TemporaryFolder()
    try BatchRunnerTests.Fake.all[1].write(to: folder)
    try folder.write("open")
    let text = """
      runner: { batch: { scheduler: pbs, submit-every: 2s } }
      steps:
        - parallel:
            - { id: a, run: "true" }
            - { id: b, run: "true" }
      """
    let run = try run(text, in: folder)
    await expectEventually("one of them says so") {
      run.state.steps.contains {
        $0.placement?.queuedBecause == "at most one submission every 2.0 s (submit-every)"
      }
    }
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `submissions keep a distance`() async throws {
    let folder = AttemptFolder(path: "/nowhere")
    let submissions = JobSubmissions(
      every: .milliseconds(100), SubmissionTimes(since: SystemClock().now), clock: SystemClock())
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for step in ["a", "b", "c", "d"] {
        let token = AttemptToken(run: RunID(), step: step, generation: 1, attempt: 1)
        group.addTask {
          let submission = Submission(token: token, folder: folder, group: nil) { _ in
            .success(["1"])
          }
          let number = try await submissions.submit(submission)
          #expect(number == "1")
        }
      }
      try await group.waitForAll()
    }
    #expect(start.duration(to: .now) >= .milliseconds(300))
  }
}
