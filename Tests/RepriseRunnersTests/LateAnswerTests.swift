import Platform
import Reprise
import Synchronization
import TestSupport
import Testing

@testable import RepriseRunners

/// Schedulers whose answers are behind: what they do not list yet, or any more, may be there.
struct LateAnswerTests {
  private static let run = RunID()

  private static func token(_ number: Int = 1) -> AttemptToken {
    AttemptToken(run: run, step: "a", generation: 1, attempt: number, random: 7)
  }

  private static func time(_ milliseconds: Int64) -> Timestamp {
    Timestamp(microseconds: milliseconds * 1000)
  }

  // MARK: What a list can show

  @Test func `a list shows a job that was submitted more than two seconds before`() {
    let times = SubmissionTimes(since: Self.time(-10_000))
    times.begin(Self.token())
    #expect(!times.isListed(Self.token(), at: Self.time(60_000)), "it is being submitted")
    times.end(Self.token(), at: Self.time(1000))
    #expect(!times.isListed(Self.token(), at: Self.time(3000)))
    #expect(times.isListed(Self.token(), at: Self.time(3001)))
    // It is submitted again, since the answer was lost.
    times.begin(Self.token())
    #expect(!times.isListed(Self.token(), at: Self.time(60_000)))
  }

  @Test func `what an earlier engine has submitted is as old as this one at least`() {
    let times = SubmissionTimes(since: Self.time(0))
    #expect(!times.isListed(Self.token(), at: Self.time(2000)))
    #expect(times.isListed(Self.token(), at: Self.time(2001)))
  }

  @Test func `old submissions are forgotten, and count as old`() {
    let times = SubmissionTimes(since: Self.time(0))
    times.end(Self.token(1), at: Self.time(1000))
    times.end(Self.token(2), at: Self.time(90_000))
    #expect(times.isListed(Self.token(1), at: Self.time(90_000)))
    #expect(!times.isListed(Self.token(2), at: Self.time(91_000)))
  }

  // MARK: Whether a job is gone

  @Test func `one list without a job does not decide`() {
    var job = MissingJob(since: Self.time(0))
    #expect(!job.needsAccount)
    #expect(job.verdict(of: "Slurm") == .doubtful("Slurm does not list the job"))
    job.note(listAskedAt: Self.time(1999))
    #expect(!job.needsAccount)
    job.note(listAskedAt: Self.time(2000))
    #expect(job.needsAccount)
    #expect(job.verdict(of: "Slurm") == .doubtful("Slurm does not list the job"))
    job.note(.unknown)
    #expect(job.verdict(of: "Slurm") == .gone)
    #expect(!job.needsAccount)
  }

  @Test func `a job that waits or runs by the accounts stays`() {
    var job = MissingJob(since: Self.time(0))
    job.note(listAskedAt: Self.time(600_000))
    job.note(.active("PENDING"))
    #expect(
      job.verdict(of: "Slurm")
        == .doubtful("Slurm does not list the job, which is PENDING by its accounts"))
    #expect(job.needsAccount, "it may end")
    job.note(.ended)
    #expect(job.verdict(of: "Slurm") == .gone)
  }

  @Test func `accounts that do not answer are waited for, but not for ever`() {
    var job = MissingJob(since: Self.time(0))
    job.note(listAskedAt: Self.time(19_000))
    job.note(.silent)
    #expect(job.verdict(of: "Slurm") != .gone)
    #expect(job.needsAccount)
    job.note(listAskedAt: Self.time(20_000))
    #expect(job.verdict(of: "Slurm") == .gone)
  }

  @Test(arguments: [
    ("PENDING", JobAccount.active("PENDING")), ("RUNNING", .active("RUNNING")),
    ("TIMEOUT", .ended), ("CANCELLED by 0", .ended),
  ])
  func `sacct says whether a job waits or runs`(_ state: String, _ account: JobAccount) {
    let lines = SlurmCommands.accountLines(in: "t|7|\(state)|n1\nt|8|FAILED|\n\nx\n")
    #expect(lines.count == 2 && lines.first?.nodes == "n1")
    #expect(SlurmCommands.account(lines) == account)
    #expect(SlurmCommands.account([]) == .unknown)
  }

  // MARK: The queue

  /// A queue that knows a job, and whose list then has no job for a while.
  private func queue(
    of scheduler: FakeScheduler, emptyLists count: Int
  ) async throws -> JobQueue {
    let times = SubmissionTimes(since: scheduler.clock.now)
    scheduler.submit(Self.token(), knownAfter: .zero)
    times.end(Self.token(), at: scheduler.clock.now)
    let queue = JobQueue(scheduler, times, poll: .seconds(15), clock: scheduler.clock)
    #expect(try await queue.sight(of: Self.token()) == .queued("Priority"))
    scheduler.clock.advance(by: .seconds(30))
    scheduler.emptyLists.withLock { $0 = count }
    return queue
  }

  @Test func `a job stays when one list forgets it`() async throws {
    let scheduler = FakeScheduler()
    let queue = try await queue(of: scheduler, emptyLists: 1)
    await #expect(throws: RunnerFailure.cannotAsk("Slurm does not list the job")) {
      try await queue.sight(of: Self.token())
    }
    scheduler.clock.advance(by: .seconds(3))
    #expect(try await queue.sight(of: Self.token()) == .queued("Priority"))
    #expect(scheduler.accountCalls.withLock { $0 } == 0)
  }

  @Test func `a job stays as long as the accounts have it, and is gone when they do not`()
    async throws
  {
    let scheduler = FakeScheduler()
    let queue = try await queue(of: scheduler, emptyLists: 1000)
    scheduler.account.withLock { $0 = .active("RUNNING") }
    for _ in 1...20 {
      await #expect(throws: RunnerFailure.self) { try await queue.sight(of: Self.token()) }
      scheduler.clock.advance(by: .seconds(1))
    }
    // Not with each second.
    #expect((1...12).contains(scheduler.accountCalls.withLock { $0 }))
    scheduler.account.withLock { $0 = .ended }
    scheduler.clock.advance(by: .seconds(15))
    #expect(try await queue.sight(of: Self.token()) == .absent)
  }

  @Test func `a job that was just submitted is there, although lists do not have it`() async throws
  {
    let scheduler = FakeScheduler()
    let times = SubmissionTimes(since: scheduler.clock.now)
    let queue = JobQueue(scheduler, times, poll: .seconds(15), clock: scheduler.clock)
    scheduler.clock.advance(by: .seconds(60))
    scheduler.submit(Self.token(), knownAfter: .milliseconds(1900))
    times.end(Self.token(), at: scheduler.clock.now)
    for _ in 1...3 {
      #expect(try await queue.sight(of: Self.token()) == .present)
      scheduler.clock.advance(by: .milliseconds(600))
    }
    scheduler.clock.advance(by: .seconds(1))
    #expect(try await queue.sight(of: Self.token()) == .queued("Priority"))
  }

  @Test func `a queue that does not change is asked at most 30 times in ten minutes`() async throws
  {
    let scheduler = FakeScheduler()
    let times = SubmissionTimes(since: scheduler.clock.now)
    scheduler.submit(Self.token(), knownAfter: .zero)
    times.end(Self.token(), at: scheduler.clock.now)
    let queue = JobQueue(scheduler, times, poll: .seconds(30), clock: scheduler.clock)
    for _ in 1...1200 {
      #expect(try await queue.sight(of: Self.token()) == .queued("Priority"))
      scheduler.clock.advance(by: .milliseconds(500))
    }
    let lists = scheduler.lists.withLock { $0 }
    #expect((20...30).contains(lists.count))
    #expect(lists[1] - lists[0] == .milliseconds(500))
  }

  @Test func `what lists have said of a submission does not count for the next one`() async throws {
    let scheduler = FakeScheduler()
    let times = SubmissionTimes(since: scheduler.clock.now)
    let queue = JobQueue(scheduler, times, poll: .seconds(15), clock: scheduler.clock)
    times.end(Self.token(), at: scheduler.clock.now)
    var isAbsent = false
    for _ in 1...20 where !isAbsent {
      scheduler.clock.advance(by: .seconds(1))
      isAbsent = (try? await queue.sight(of: Self.token())) == .absent
    }
    #expect(isAbsent, "its submission was not answered, and there is no job")
    times.begin(Self.token())
    scheduler.submit(Self.token(), knownAfter: .zero)
    times.end(Self.token(), at: scheduler.clock.now)
    await queue.submitted(Self.token())
    #expect(try await queue.sight(of: Self.token()) == .present)
  }

  // MARK: Withdrawals

  @Test func `a job that one list forgets leaves the queue all the same`() async {
    let scheduler = FakeScheduler()
    let times = SubmissionTimes(since: scheduler.clock.now)
    scheduler.submit(Self.token(), knownAfter: .zero)
    times.end(Self.token(), at: scheduler.clock.now)
    scheduler.clock.advance(by: .seconds(5))
    scheduler.emptyLists.withLock { $0 = 1 }
    let withdrawals = JobWithdrawals(scheduler, times, clock: scheduler.clock)
    withdrawals.add(Self.token())
    #expect(await withdrawals.finish() == nil)
    #expect(scheduler.left == [])
  }

  @Test(arguments: [Duration.zero, .milliseconds(300), .milliseconds(1900)])
  func `a job that is cancelled at once leaves the queue, however late it is known`(
    _ delay: Duration
  ) async {
    let scheduler = FakeScheduler()
    let times = SubmissionTimes(since: scheduler.clock.now)
    scheduler.clock.advance(by: .seconds(60))
    let start = scheduler.clock.now
    for number in 1...3 {
      scheduler.submit(Self.token(number), knownAfter: delay)
      times.end(Self.token(number), at: scheduler.clock.now)
    }
    let withdrawals = JobWithdrawals(scheduler, times, clock: scheduler.clock)
    for number in 1...3 { withdrawals.add(Self.token(number)) }
    #expect(await withdrawals.finish() == nil)
    #expect(scheduler.left == [])
    #expect(scheduler.clock.now - start < .milliseconds(2500))
  }

  @Test func `the withdrawal of an old job takes no longer than its list`() async {
    let scheduler = FakeScheduler()
    let times = SubmissionTimes(since: scheduler.clock.now)
    scheduler.submit(Self.token(), knownAfter: .zero)
    times.end(Self.token(), at: scheduler.clock.now)
    scheduler.clock.advance(by: .seconds(5))
    let start = scheduler.clock.now
    let withdrawals = JobWithdrawals(scheduler, times, clock: scheduler.clock)
    withdrawals.add(Self.token())
    #expect(await withdrawals.finish() == nil)
    #expect(scheduler.left == [] && scheduler.clock.now - start < .milliseconds(500))
  }

  @Test func `a job whose submission is not answered is waited for`() async {
    let scheduler = FakeScheduler()
    let times = SubmissionTimes(since: scheduler.clock.now)
    scheduler.clock.advance(by: .seconds(60))
    times.begin(Self.token())
    let withdrawals = JobWithdrawals(scheduler, times, clock: scheduler.clock)
    withdrawals.add(Self.token())
    let asked = Task { await withdrawals.finish() }
    await expectEventually("the list is asked for") { scheduler.lists.withLock { $0.count } > 1 }
    scheduler.submit(Self.token(), knownAfter: .milliseconds(500))
    times.end(Self.token(), at: scheduler.clock.now)
    #expect(await asked.value == nil)
    #expect(scheduler.left == [])
  }

  @Test func `the end of a run says how many jobs may be left if there is no answer`() async {
    let scheduler = FakeScheduler()
    scheduler.answers.withLock { $0 = false }
    let times = SubmissionTimes(since: scheduler.clock.now)
    let withdrawals = JobWithdrawals(scheduler, times, clock: scheduler.clock)
    for number in 1...3 { withdrawals.add(Self.token(number)) }
    #expect(
      await withdrawals.finish()
        == "3 cancelled jobs may still be in the queue of Slurm (it is away): each ends at once "
        + "when it starts")
  }

  // MARK: Attempts

  /// A runner whose submissions are not answered, and which lists no job.
  private func silentRunner(
    in folder: TemporaryFolder, _ clock: SteppingClock
  ) throws -> FolderRunner {
    for (name, script) in [
      (
        "sbatch",
        "echo x >> sbatch.calls; [ ! -e open ] || { echo 7; exit; }; echo 'Unable to contact' >&2; exit 1"
      ),
      ("squeue", ""), ("scancel", ""),
      ("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1"),
    ] {
      let text = "#!/bin/sh\ncd '\(folder.path)'\n\(script)\n"
      try BatchRunnerTests.Fake.write(text, as: name, to: folder)
    }
    let commands = SlurmCommands(["PATH": "\(folder.path)/bin:/usr/bin:/bin"])
    let site = SlurmSite(
      options: [], program: "/bin/false", commands: commands, poll: .seconds(15), clock: clock)
    return FolderRunner(site, attempts: folder.path + "/attempts", clock: clock)
  }

  @Test func `an attempt without an answer to its submission is submitted again, not lost`()
    async throws
  {
    let folder = try TemporaryFolder()
    let clock = SteppingClock()
    let runner = try silentRunner(in: folder, clock)
    await #expect(throws: RunnerFailure.self) {
      try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token())
    }
    // The first list is younger than that which would show a job. Followed, the attempt would be lost.
    await #expect(throws: RunnerFailure.cannotAsk("Slurm may not show its job yet")) {
      try await runner.find(Self.token())
    }
    clock.advance(by: .seconds(3))
    await #expect(throws: RunnerFailure.cannotAsk("Slurm does not list the job")) {
      try await runner.find(Self.token())
    }
    clock.advance(by: .seconds(3))
    #expect(try await runner.find(Self.token()) == nil)
    // What lists have said before says nothing of the next submission.
    try folder.write("open")
    let handle = try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token())
    #expect(handle.job == "7")
    #expect(try await runner.look([Self.token()]) == [Self.token(): .queued("")])
  }

  @Test func `a job that is believed to be gone, and comes late, does not begin`() async throws {
    let folder = try TemporaryFolder()
    let clock = SteppingClock()
    let runner = try silentRunner(in: folder, clock)
    await #expect(throws: RunnerFailure.self) {
      try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token())
    }
    // Its host may come, as long as that is not certain.
    let attempt = AttemptFolder(of: Self.token(), in: folder.path + "/attempts")
    var isAbsent = false
    for _ in 1...20 where !isAbsent {
      #expect(attempt.exists && attempt.claim == nil)
      isAbsent = try await runner.isAbsent(Self.token())
      clock.advance(by: .seconds(1))
    }
    #expect(isAbsent)
    // The engine may go on without it from now on: the step is stopped, or restarted.
    #expect(throws: Errno.noSuchFileOrDirectory) { _ = try attempt.takeClaim(host: "n1") != nil }
    // It may be submitted again as well. Then either host runs it, and the other one does not.
    await #expect(throws: RunnerFailure.self) {
      try await runner.begin(AttemptSpec(command: ["true"]), token: Self.token())
    }
    #expect(folder.lines("sbatch.calls").count == 2)
    #expect(try attempt.claimForEngine())
  }
}

extension FolderRunner {
  /// Whether there is certainly no such attempt.
  func isAbsent(_ token: AttemptToken) async throws -> Bool {
    do {
      return try await find(token) == nil
    } catch RunnerFailure.cannotAsk {
      return false
    }
  }
}
