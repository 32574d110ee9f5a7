import Platform
import Reprise
import Synchronization
import TestSupport
import Testing

@testable import RepriseRunners

/// Jobs whose submissions were not answered, or whose engine has died since.
struct UnansweredSubmissionTests {
  private static let run = RunID()

  private static func token(_ number: Int = 1) -> AttemptToken {
    AttemptToken(run: run, step: "a", generation: 1, attempt: number, random: 7)
  }

  @Test func `jobs that an engine before this one has claimed leave the queue at the end`()
    async throws
  {
    let folder = try TemporaryFolder()
    let root = folder.path + "/attempts"
    let (clock, scheduler) = (SteppingClock(), NumberScheduler())
    func runner() throws -> FolderRunner { scheduler.runner(in: root, clock) }
    let numbers = (1...3).map { Self.token($0) }
    for token in numbers {
      _ = try await runner().begin(AttemptSpec(command: ["true"]), token: token)
    }
    // The engine dies when it has claimed two of them, before it has withdrawn any.
    for token in numbers.prefix(2) {
      #expect(try AttemptFolder(of: token, in: root).claimForEngine())
    }
    #expect(try await runner().release(Self.run) == nil)
    #expect(scheduler.left == ["3"])
  }

  @Test func `a runner removes no job that has the number of another runner's`() async throws {
    let folder = try TemporaryFolder()
    let (clock, first, second) = (SteppingClock(), NumberScheduler(), NumberScheduler())
    let attempts = folder.path + "/attempts"
    for scheduler in [first, second] {
      // Of the second one, the job is no attempt.
      _ = try await scheduler.runner(in: folder.path + "/attempts", clock, named: "first")
        .begin(AttemptSpec(command: ["true"]), token: Self.token(scheduler === first ? 1 : 2))
    }
    #expect(first.left == ["1"] && second.left == ["1"])
    #expect(
      try await first.runner(in: attempts, clock, named: "first").revoke(Self.token(1)) == nil)
    // An engine that comes later has both runners.
    for (scheduler, name) in [(first, "first"), (second, "second")] {
      #expect(await scheduler.runner(in: attempts, clock, named: name).release(Self.run) == nil)
    }
    #expect(first.left == [] && second.left == ["1"])
  }

  @Test func `a late job does not begin when the next submission finds the queue full`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (clock, scheduler) = (SteppingClock(), NumberScheduler())
    let runner = scheduler.runner(in: folder.path, clock)
    let spec = AttemptSpec(command: ["true"])
    scheduler.answers.withLock { $0 = [.lost, .full] }
    await #expect(throws: RunnerFailure.cannotAsk("no answer")) {
      try await runner.begin(spec, token: Self.token())
    }
    #expect(try await runner.isAbsent(Self.token()))
    await #expect(throws: RunnerFailure.full("full")) {
      try await runner.begin(spec, token: Self.token())
    }
    // The engine takes it for not begun from now on.
    let attempt = AttemptFolder(of: Self.token(), in: folder.path)
    #expect(throws: Errno.noSuchFileOrDirectory) { _ = try attempt.takeClaim(host: "n1") != nil }
    // As soon as there is room, it can begin.
    _ = try await runner.begin(spec, token: Self.token())
    #expect(try attempt.takeClaim(host: "n1") != nil)
  }

  @Test func `a job that came too late to run its attempt leaves the queue`() async throws {
    let folder = try TemporaryFolder()
    let (clock, scheduler) = (SteppingClock(), NumberScheduler())
    let runner = scheduler.runner(in: folder.path, clock)
    let spec = AttemptSpec(command: ["true"])
    scheduler.answers.withLock { $0 = [.lost] }
    await #expect(throws: RunnerFailure.self) {
      try await runner.begin(spec, token: Self.token())
    }
    #expect(try await runner.isAbsent(Self.token()))
    let handle = try await runner.begin(spec, token: Self.token())
    #expect(handle.job == "2" && scheduler.left == ["1", "2"])
    // The job without a number runs it.
    let attempt = AttemptFolder(of: Self.token(), in: folder.path)
    _ = try attempt.takeClaim(host: "n1") != nil
    scheduler.end("1")
    try attempt.write(.succeeded([:]))
    #expect(try await handle.isGone())
    clock.advance(by: .seconds(10))
    let notice = await runner.release(Self.run)
    #expect(scheduler.left == [])
    #expect(notice?.hasPrefix("1 submission was not answered by the cluster") == true)
  }

  @Test func `the number of a job is known although it is cancelled during its submission`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (clock, scheduler) = (SteppingClock(), NumberScheduler())
    let runner = scheduler.runner(in: folder.path, clock)
    await scheduler.cancelSubmission(of: Self.token(), by: runner)
    #expect(try await runner.revoke(Self.token()) == nil)
    await scheduler.answer(Self.token())
  }

  @Test(arguments: [false, true])
  func `a job that is cancelled during its submission leaves the queue`(
    answersFirst: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let (clock, scheduler) = (SteppingClock(), NumberScheduler())
    let runner = scheduler.runner(in: folder.path, clock)
    await scheduler.cancelSubmission(of: Self.token(), by: runner)
    if answersFirst { await scheduler.answer(Self.token()) }
    #expect(try await runner.revoke(Self.token()) == nil)
    if !answersFirst { await scheduler.answer(Self.token()) }
    clock.advance(by: .seconds(10))
    #expect(await runner.release(Self.run) == nil)
    #expect(scheduler.left == [])
  }

  @Test(arguments: [false, true])
  func `an engine that comes after one which died during such a submission knows of it`(
    isAnswered: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let (clock, scheduler) = (SteppingClock(), NumberScheduler())
    let runner = scheduler.runner(in: folder.path, clock)
    await scheduler.cancelSubmission(of: Self.token(), by: runner)
    #expect(try await runner.revoke(Self.token()) == nil)
    if isAnswered { await scheduler.answer(Self.token()) }
    let next = scheduler.runner(in: folder.path, clock)
    clock.advance(by: .seconds(10))
    let notice = await next.release(Self.run)
    if isAnswered {
      #expect(notice == nil)
      #expect(scheduler.left == [])
    } else {
      #expect(notice?.hasPrefix("1 submission was not answered by the cluster") == true)
    }
    scheduler.gate.open()
  }
}

/// A scheduler that knows jobs by their numbers only.
private final class NumberScheduler: JobScheduler {
  enum Answer: Sendable { case number, lost, full }

  let name = "the cluster"
  /// The answers to the next submissions; then numbers.
  let answers = Mutex<[Answer]>([])
  /// Whether answers to submissions wait for ``gate``.
  let isSlow = Mutex(false)
  let gate = Gate()
  /// What its last runner knows of its jobs.
  let numbered = Mutex<NumberedJobs?>(nil)
  private let jobs = Mutex<[String]>([])
  private let count = Mutex(0)

  /// Has an attempt submitted, and cancels that before it is answered.
  func cancelSubmission(of token: AttemptToken, by runner: FolderRunner) async {
    isSlow.withLock { $0 = true }
    let begun = Task { try await runner.begin(AttemptSpec(command: ["true"]), token: token) }
    await expectEventually("it is submitted") { self.left == ["1"] }
    begun.cancel()
    await #expect(throws: RunnerFailure.self) { try await begun.value }
  }

  /// Answers submissions, and waits until the number of a job is known.
  func answer(_ token: AttemptToken) async {
    gate.open()
    await expectEventually("its number is known") {
      self.numbered.withLock { $0?.key(of: token) } != nil
    }
  }

  var left: [String] { jobs.withLock { $0 } }

  func end(_ job: String) { jobs.withLock { $0.removeAll { $0 == job } } }

  func runner(
    in root: String, _ clock: SteppingClock, named name: String? = nil
  ) -> FolderRunner {
    let numbered = NumberedJobs(self, attempts: root) { $0 }
    self.numbered.withLock { $0 = numbered }
    let jobs = SubmittedJobs(numbered, poll: .seconds(15), submitEvery: .zero, clock: clock)
    let site = SchedulerSite(self, jobs, numbered, nil, program: "/bin/false", clock: clock)
    return FolderRunner(site, named: name, attempts: root, clock: clock)
  }

  func submit(_ job: NewJob) async throws(RunnerFailure) -> String {
    let answer = answers.withLock { $0.isEmpty ? .number : $0.removeFirst() }
    if answer == .full { throw .full("full") }
    let number = count.withLock { count in
      count += 1
      return String(count)
    }
    jobs.withLock { $0.append(number) }
    if isSlow.withLock({ $0 }) { await gate.wait() }
    if answer == .lost { throw .cannotAsk("no answer") }
    return number
  }

  func jobs(within limit: Duration) async throws(RunnerFailure) -> [SchedulerJob] {
    left.map { SchedulerJob($0, .queued) }
  }

  func cancel(_ jobs: [String], within limit: Duration) async throws(RunnerFailure) {
    for job in jobs { end(job) }
  }
}
