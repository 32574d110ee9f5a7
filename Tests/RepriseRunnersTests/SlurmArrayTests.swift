import Foundation
import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// Items of a `foreach` as one array of Slurm, whose commands are scripts.
struct SlurmArrayTests {
  private static let run = RunID("8w0ev0rzs6") ?? RunID()

  private static func token(_ number: Int) -> AttemptToken {
    AttemptToken(run: run, step: "a[\(number)]", generation: 1, attempt: 1, random: 7)
  }

  /// A queue in a folder: a file for each job or element, with its name.
  private static let commands = [
    "sbatch": """
    range=
    for word; do
      case $word in --job-name=*) name=${word#*=} ;; --array=*) range=${word#*=0-} ;; esac
    done
    cd "$(dirname "$0")"; mkdir -p jobs
    echo "${range:+array }$name" >> sbatch.calls
    if [ -n "$range" ] && [ -e array-max ] && [ "$range" -ge "$(cat array-max)" ]; then
      echo 'sbatch: error: Batch job submission failed: Invalid job array specification' >&2
      exit 1
    fi
    [ ! -e hold ] || until [ -e go ]; do sleep 0.05; done
    n=1; until mkdir "number.$n" 2> /dev/null; do n=$((n + 1)); done
    if [ -n "$range" ]; then
      for i in $(seq 0 $range); do echo $name > jobs/${n}_$i; done
    else
      echo $name > jobs/$n
    fi
    echo $n
    """,
    "squeue": """
    cd "$(dirname "$0")/jobs" 2>/dev/null || exit 0
    for n in *; do [ -e $n ] && echo "$(cat $n)|PENDING|Priority|$n|"; done; exit 0
    """,
    "scancel": """
    echo "$*" >> "$0.calls"; cd "$(dirname "$0")/jobs" || exit 1
    for word; do
      case $word in
      *'['*) for i in $(echo "${word#*'['}" | tr -d ']' | tr , ' '); do rm -f "${word%%'['*}$i"; done ;;
      *) rm -f "$word" ;;
      esac
    done
    """,
    "sacct": "echo 'Slurm accounting storage is disabled' >&2; exit 1",
  ]

  /// A clock that is forty times slower, so that a busy machine does not part what belongs together.
  private struct SlowClock: RunClock {
    let start = SystemClock().now

    var now: Timestamp { start.advanced(by: (SystemClock().now - start) / 40) }

    func sleep(for duration: Duration) async throws {
      try await SystemClock().sleep(for: duration * 40)
    }
  }

  private static func runner(
    in folder: TemporaryFolder, _ clock: any RunClock = SlowClock()
  ) throws -> FolderRunner {
    for (name, script) in commands {
      try BatchRunnerTests.Fake.write("#!/bin/sh\n\(script)\n", as: name, to: folder)
    }
    var commands = SlurmCommands(["PATH": "\(folder.path)/bin:/usr/bin:/bin"])
    commands.arrays = JobArrays(in: folder.path + "/attempts")
    let site = SlurmSite(
      options: [], program: "/bin/false", commands: commands, poll: .seconds(15), clock: clock)
    return FolderRunner(site, attempts: folder.path + "/attempts", clock: SystemClock())
  }

  /// Begins items at once.
  private func begin(
    _ numbers: ClosedRange<Int>, with runner: FolderRunner
  ) async throws -> [Int: any RunnerHandle] {
    try await withThrowingTaskGroup(of: (Int, any RunnerHandle).self) { group in
      for number in numbers {
        var spec = AttemptSpec(command: ["true"])
        spec.environment = ["REPRISE_STEP_ID": "a[\(number)]"]
        group.addTask { [spec] in
          (number, try await runner.begin(spec, token: Self.token(number)))
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func jobs(in folder: TemporaryFolder) -> [String] {
    FolderReader.names(in: folder.path + "/bin/jobs").sorted()
  }

  @Test func `equal items are one submission, and have a number each`() async throws {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(in: folder)
    let handles = try await begin(1...30, with: runner)
    #expect(folder.lines("bin/sbatch.calls").count == 1)
    #expect(Set(handles.values.map(\.job)) == Set((0..<30).map { "1_\($0)" }))
    for number in 1...30 {
      #expect(try await runner.look([Self.token(number)]).values.first == .queued("Priority"))
    }
  }

  @Test func `the next engine finds elements by the list of their array`() async throws {
    let folder = try TemporaryFolder()
    _ = try await begin(1...3, with: try Self.runner(in: folder))
    let next = try Self.runner(in: folder)
    #expect(try await next.find(Self.token(2)) != nil)
    #expect(try await next.look([Self.token(2)]) == [Self.token(2): .queued("Priority")])
  }

  @Test func `an element is cancelled alone, and begins again alone`() async throws {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(in: folder, SystemClock())
    let handles = try await begin(1...4, with: runner)
    let stopped = try #require(handles[2])
    try await stopped.stop(grace: .zero)
    await expectEventually("it leaves the queue") { jobs(in: folder).count == 3 }
    #expect(folder.lines("bin/scancel.calls") == [stopped.job].compactMap(\.self))
    let other = AttemptToken(run: Self.run, step: "a[2]", generation: 1, attempt: 2, random: 8)
    let next = try await runner.begin(AttemptSpec(command: ["true"]), token: other)
    #expect(next.job?.contains("_") == false)
    #expect(folder.lines("bin/sbatch.calls").last == other.text)
  }

  @Test func `elements are withdrawn together`() async throws {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(in: folder, SystemClock())
    for handle in try await begin(1...150, with: runner).values {
      try await handle.stop(grace: .zero)
    }
    #expect(await runner.release(Self.run) == nil)
    #expect(jobs(in: folder) == [])
    // A hundred with one command, those of an array in one word; how many are stopped by then, and how many
    // arrays there are, depends on the machine.
    let calls = folder.lines("bin/scancel.calls")
    #expect(
      calls.count <= 8 && calls.allSatisfy { $0.split(separator: " ").count < 9 }, "\(calls)")
  }

  @Test func `an array that the cluster does not take is submitted in parts`() async throws {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(in: folder)
    try folder.write("bin/array-max", "6\n".utf8)
    let handles = try await begin(1...20, with: runner)
    #expect(Set(handles.values.compactMap(\.job)).count == 20)
    #expect(jobs(in: folder).count == 20)
    // 20 and 10 are refused.
    #expect(folder.lines("bin/sbatch.calls").count == 6)
  }

  @Test func `without arrays, jobs are submitted one by one`() async throws {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(in: folder)
    try folder.write("bin/array-max", "0\n".utf8)
    let handles = try await begin(1...6, with: runner)
    #expect(Set(handles.values.compactMap(\.job)).count == 6)
    #expect(jobs(in: folder).allSatisfy { !$0.contains("_") })
    #expect(jobs(in: folder).count == 6)
  }

  @Test func `a stop of one element does not end the submission of the others`() async throws {
    let folder = try TemporaryFolder()
    let runner = try Self.runner(in: folder, SystemClock())
    try folder.write("bin/hold")
    async let others = begin(2...5, with: runner)
    var spec = AttemptSpec(command: ["true"])
    spec.environment = ["REPRISE_STEP_ID": "a[1]"]
    let first = Task { [spec] in try await runner.begin(spec, token: Self.token(1)) }
    await expectEventually("they are submitted") { !folder.lines("bin/sbatch.calls").isEmpty }
    first.cancel()
    await #expect(throws: RunnerFailure.cannotAsk("its submission was not answered")) {
      try await first.value
    }
    #expect(try await runner.revoke(Self.token(1)) == nil)
    try folder.write("bin/go")
    let handles = try await others
    #expect(handles.count == 4)
    #expect(await runner.release(Self.run) == nil)
    #expect(jobs(in: folder).count == 4)
  }

  @Test func `a submission goes on although its jobs are not wanted, so that they are known`()
    async throws
  {
    let submissions = JobSubmissions(
      every: .zero, SubmissionTimes(since: SystemClock().now), clock: SlowClock())
    let begun = Protected<[Int]>([])
    let wasCancelled = Protected<[Bool]>([])
    let gates = (1...3).map { _ in Gate() }
    let command: Submission.Command = { jobs in
      let count = begun.withLock { begun in
        begun.append(jobs.count)
        return begun.count
      }
      try? await gates[count - 1].waitUnlessCancelled()
      wasCancelled.withLock { $0.append(Task.isCancelled) }
      return .success(jobs.map(\.token.text))
    }
    func submit(_ number: Int) -> Task<String, any Error> {
      let submission = Submission(
        token: Self.token(number), folder: AttemptFolder(path: "/nowhere"), group: "g",
        command: command)
      return Task { try await submissions.submit(submission) }
    }
    let tasks = (1...3).map { submit($0) }
    await expectEventually("they are submitted") { begun.value == [3] }
    tasks[0].cancel()
    await #expect(throws: RunnerFailure.cannotAsk("its submission was not answered")) {
      try await tasks[0].value
    }
    gates[0].open()
    #expect(try await tasks[1].value == Self.token(2).text)
    #expect(try await tasks[2].value == Self.token(3).text)
    let last = submit(4)
    await expectEventually("it is submitted") { begun.value == [3, 1] }
    last.cancel()
    await #expect(throws: RunnerFailure.self) { try await last.value }
    let next = submit(5)
    gates[1].open()
    await expectEventually("the next one is submitted") { begun.value == [3, 1, 1] }
    #expect(wasCancelled.value == [false, false])
    gates[2].open()
    #expect(try await next.value == Self.token(5).text)
  }

  @Test func `the script of an element becomes the host with its index`() throws {
    let folder = try TemporaryFolder()
    let host = "#!/bin/sh\nprintf '%s\\n' \"$@\" > '\(folder.path)/words'\n"
    try BatchRunnerTests.Fake.write(host, as: "it's a host", to: folder)
    let script = SlurmArrays.script(folder.path + "/bin/it's a host", in: "/its/array")
    try TemporaryFolder.run("/bin/sh", ["-c", "export SLURM_ARRAY_TASK_ID=10; \(script)"])
    #expect(folder.lines("words") == ["host", "--element", "10", "--folder", "/its/array"])
  }

  @Test func `an element finds its attempt by its index`() throws {
    let folder = try TemporaryFolder()
    let arrays = try #require(JobArrays(in: folder.path))
    let tokens = (0...11).map(Self.token)
    let array = arrays.folder(of: try arrays.make(tokens, of: Self.run))
    let folders = (-1...13).map { ArrayElement($0, of: array)?.folder }
    #expect(folders == [nil] + tokens.map { folder.path + "/" + $0.text } + [nil, nil])
    #expect(ArrayElement(0, of: folder.path) == nil)
    #expect(JobArrays(in: folder.path)?.elements(of: tokens[3]).map(\.index) == [3])
    #expect(JobArrays(in: "/a\nb") == nil)
  }

  @Test func `the host of an element runs its attempt as in a job of its own`() throws {
    let folder = try TemporaryFolder()
    let arrays = try #require(JobArrays(in: folder.path))
    let tokens = (0...3).map(Self.token)
    let attempt = AttemptFolder(of: tokens[2], in: folder.path)
    try attempt.make()
    let step = "echo \"$REPRISE_HOST ${SLURM_ARRAY_TASK_ID-none} $SLURM_JOB_ID\" > \"$1\""
    let output = folder.path + "/output"
    try attempt.write(AttemptSpec(command: ["/bin/sh", "-c", step, "sh", output]))
    let array = arrays.folder(of: try arrays.make(tokens, of: Self.run))
    func runHost(of index: Int) throws -> String {
      let script = SlurmArrays.script(RunnerCase.program, in: array)
      let variables = "SLURM_ARRAY_TASK_ID=\(index) SLURM_JOB_ID=7 REPRISE_HOST=its-array"
      return try TemporaryFolder.run(
        "/bin/sh", ["-c", "export \(variables); (\(script)) 2>&1; echo $?"])
    }
    #expect(try runHost(of: 2) == "0\n")
    #expect(folder.lines("output") == ["\(tokens[2]) none 7"])
    #expect(attempt.result == .succeeded([:]))
    #expect(
      try runHost(of: 4) == "error: \(array) does not list an attempt with the index 4\n4\n")
  }

  @Test(arguments: [
    ("123_4", 4, true), ("123_4", 5, false), ("123_[0-3,7%2]", 2, true),
    ("123_[0-3,7%2]", 7, true), ("123_[0-3,7%2]", 5, false), ("123", 0, false),
    ("123_[5-3]", 4, false), ("123_[]", 0, false),
  ])
  func `numbers include elements`(_ numbers: String, _ index: Int, _ isIncluded: Bool) {
    #expect(SlurmArrays.includes(index, in: numbers) == isIncluded)
  }

  @Test func `elements are named in one word for each array`() {
    #expect(SlurmArrays.joined(["7", "8_2", "8_10", "9_1", "8_1"]) == ["7", "8_[1,2,10]", "9_1"])
  }
}
