// `SchedulerSite`: any scheduler as a site of attempts. Jobs are known by their numbers.

import ChildProcesses
import Platform
public import Reprise

extension RunnerExecutor {
  /// Creates an executor whose attempts are jobs of a scheduler, which survive the engine.
  ///
  /// The machines share the folder of the attempts and the files of the steps, and each has the program
  /// `reprise` at the same path: the one in `PATH`, or `RunnerSurroundings.hostProgram`. Steps get the
  /// variables that they would inherit on this machine, except those that describe a job that the engine
  /// itself runs in.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler.
  ///   - name: The name of the runner, for displays.
  ///   - surroundings: What it may use of its engine.
  ///   - attempts: A folder that all machines share; nil for the one in the surroundings.
  ///   - poll: The longest time between two questions for the queue.
  ///   - submitEvery: The shortest time between two submissions.
  ///   - lostAfter: The time after which an attempt that is out of sight is given up; nil to wait for as
  ///     long as it takes.
  /// - Throws: `FailureReason` if `reprise` is not found, or there is no folder for the attempts.
  public init(
    jobsOf scheduler: any JobScheduler, named name: String, in surroundings: RunnerSurroundings,
    attempts: String? = nil, poll: Duration = .seconds(30), submitEvery: Duration = .zero,
    lostAfter: Duration? = nil
  ) throws(FailureReason) {
    try self.init(
      jobsOf: scheduler, named: name, in: surroundings, attempts: attempts, poll: poll,
      submitEvery: submitEvery, lostAfter: lostAfter, prepare: nil, keeping: nil, comparing: { $0 })
  }

  /// Does the same for a scheduler whose commands differ in how they show a number: `comparing`
  /// returns what is compared of one; for attempts that are changed by `prepare`, which get no variables
  /// of the engine; and for jobs that are kept.
  init(
    jobsOf scheduler: any JobScheduler, named name: String, in surroundings: RunnerSurroundings,
    attempts: String?, poll: Duration, submitEvery: Duration, lostAfter: Duration?,
    prepare: Preparation?, keeping kept: KeptJobSettings?,
    comparing: @escaping @Sendable (String) -> String
  ) throws(FailureReason) {
    let program = try surroundings.foundHostProgram()
    let folder: String
    if let attempts { folder = attempts } else { folder = try surroundings.foundAttempts() }
    let share = surroundings.share
    let numbered = share.part(folder) {
      NumberedJobs(scheduler, attempts: folder, comparing: comparing)
    }
    let jobs = share.part(folder) {
      SubmittedJobs(numbered, poll: poll, submitEvery: submitEvery, clock: surroundings.clock)
    }
    let arrays = kept == nil ? JobArrays(in: folder) : nil
    let site = SchedulerSite(
      scheduler, jobs, numbered, arrays, program: program, clock: surroundings.clock)
    // The engine may run in a job itself, which is another one.
    var surroundings = surroundings
    surroundings.environment = JobVariables.without(surroundings.environment)
    let single = FolderRunner(site, named: name, attempts: folder, clock: surroundings.clock)
    var runner: any Runner = single
    if let kept {
      runner = KeptRunner(
        KeptJobs(holders: single, program: program), named: kept.name, attempts: folder,
        orphanAfter: kept.orphanAfter, limits: kept.limits, clock: surroundings.clock)
    }
    self.init(
      runner, named: name, in: surroundings, inheritsEnvironment: prepare == nil,
      lostAfter: lostAfter,
      prepare: prepare ?? { spec, _ in spec })
  }
}

/// A site whose hosts are the jobs of a scheduler.
protocol JobSite: AttemptSite {
  /// The jobs of the runner.
  var jobs: SubmittedJobs { get }
}

extension JobSite {
  var isThisMachine: Bool { false }

  func withdraw(_ token: AttemptToken) { jobs.withdraw(token) }

  func finishWithdrawals(of run: RunID, _ claimed: () -> [AttemptToken]) async -> String? {
    await jobs.finishWithdrawals(of: run, claimed())
  }
}

/// A scheduler as a site of attempts.
final class SchedulerSite: JobSite {
  let jobs: SubmittedJobs
  private let scheduler: any JobScheduler
  private let numbered: NumberedJobs
  private let arrays: JobArrays?
  private let program: String
  private let clock: any RunClock

  /// How long the end of a job is waited for, since it comes a little after that of its host.
  private static let endTimeMax = Duration.seconds(5)
  /// The same for its account: that of Grid Engine is written every 15 seconds.
  private static let accountTimeMax = Duration.seconds(20)
  private static let commandTimeMax = Duration.seconds(5)
  private static let pauseMax = Duration.seconds(4)

  var name: String { numbered.name }

  init(
    _ scheduler: any JobScheduler, _ jobs: SubmittedJobs, _ numbered: NumberedJobs,
    _ arrays: JobArrays?, program: String, clock: any RunClock
  ) {
    (self.scheduler, self.jobs, self.numbered) = (scheduler, jobs, numbered)
    (self.arrays, self.program, self.clock) = (arrays, program, clock)
  }

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String {
    // Equal steps are not worth a wait for each other, except items.
    let isItem = spec.environment["REPRISE_STEP_ID"]?.contains("[") == true
    var group: String?
    if isItem, arrays != nil, let run = token.run, let common = arrayScheduler?.arrayGroup {
      group = "\(run)\u{0}\(common)"
    }
    return try await jobs.submit(
      Submission(token: token, folder: folder, group: group) { [self] submissions in
        let tokens = submissions.map(\.token)
        tokens.forEach(numbered.noteSubmission)
        let answer = await answer(to: submissions, of: token.run)
        switch answer {
        case .success(let numbers):
          for (token, number) in zip(tokens, numbers) { numbered.noteAnswer(number, to: token) }
        case .failure(.failure(.cannotAsk)): tokens.forEach(numbered.noteLackOfAnswer)
        case .failure: tokens.forEach(numbered.noteAnswer(to:))
        }
        return answer
      })
  }

  private func answer(
    to submissions: [Submission], of run: RunID?
  ) async -> Result<[String], Submission.Refusal> {
    do throws(RunnerFailure) {
      guard submissions.count > 1, let arrays, let arrayScheduler, let run else {
        return .success([try await submitted(submissions[0])])
      }
      return try await submitted(submissions, of: run, arrays, arrayScheduler)
    } catch {
      return .failure(.failure(error))
    }
  }

  private var arrayScheduler: (any ArrayScheduler)? { scheduler as? any ArrayScheduler }

  /// The variables that steps do not see, whether they are elements of an array or not.
  private var hiddenVariables: [String] { arrayScheduler?.arrayVariables ?? [] }

  /// Submits a job.
  ///
  /// - Returns: Its number.
  private func submitted(_ job: Submission) async throws(RunnerFailure) -> String {
    let (token, folder) = (job.token, job.folder)
    // The environment, which may contain secrets, is in the folder, where only this user reads it. The
    // marks keep an engine that runs on the same machine from taking the step for a leftover.
    let marks = DetachedHost.entries(named: token.text).map(shellQuoted).joined(separator: " ")
    let hiding = hiddenVariables.isEmpty ? "" : "unset \(hiddenVariables.joined(separator: " "))\n"
    let script =
      "\(hiding)exec /usr/bin/env \(marks) \(shellQuoted(program)) host \(token) --folder "
      + shellQuoted(folder.path)
    let new = try newJob(
      script, in: folder.path, named: token.text, log: folder.hostLogPath, step: token)
    return try await scheduler.submit(new)
  }

  /// Submits jobs as one array.
  ///
  /// - Returns: The number of each.
  private func submitted(
    _ jobs: [Submission], of run: RunID, _ arrays: JobArrays, _ scheduler: any ArrayScheduler
  ) async throws(RunnerFailure) -> Result<[String], Submission.Refusal> {
    let name = try arrays.make(jobs.map(\.token), of: run)
    let folder = arrays.folder(of: name)
    let host = JobArrays.script(
      program, in: folder, index: "$((\(hiddenVariables.first ?? "") - 1))",
      without: hiddenVariables)
    let new = try newJob(
      host, in: folder, named: name, log: folder + "/log", step: jobs[0].token)
    return try await scheduler.submit(new, elements: jobs.count)
  }

  /// Writes the script of a job, right before its submission: an attempt without one was never submitted.
  private func newJob(
    _ script: String, in folder: String, named name: String, log: String, step: AttemptToken
  ) throws(RunnerFailure) -> NewJob {
    let job = NewJob(
      script: NumberedJobs.script(in: folder), log: log, folder: folder, name: Self.shownName(step),
      marks: DetachedHost.variables(named: name))
    do throws(Errno) {
      try writeFile(Array("#!/bin/sh\n\(script)\n".utf8), to: job.script, overwriting: true)
      try changePermissions(of: job.script, to: .ownerReadWriteExecute)
    } catch {
      throw .refused("cannot write \(job.script): \(error)")
    }
    return job
  }

  /// A name for people: the step, as far as every scheduler takes it.
  private static func shownName(_ token: AttemptToken) -> String {
    let parts = token.text.split(separator: ".")
    let step = parts.count > 1 ? parts[1] : "step"
    return "r_" + step.prefix(13).map { $0.isLetter || $0.isNumber ? $0 : "_" }
  }

  func job(_ note: String) -> String? { note.isEmpty ? nil : note }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    numbered.noteIfUnanswered(token, arrays)
    let sight = try await jobs.queue.sight(of: token)
    // What will never run would stay in the queue for ever.
    if await jobs.queue.job(of: token)?.phase == .refused {
      jobs.withdraw(token)
    }
    return sight
  }

  func end(of token: AttemptToken) async -> AttemptEnd? {
    if let job = await jobs.queue.job(of: token) { return end(job) }
    return await accountedEnd(of: token) ?? AttemptEnd("\(name) does not list its job any more")
  }

  func intervention(in token: AttemptToken) async -> AttemptEnd? {
    let start = clock.now
    var pause = GrowingDelay(from: .milliseconds(400))
    while !Task.isCancelled {
      await jobs.queue.refresh()
      if let job = await jobs.queue.job(of: token) {
        guard job.isActive || job.phase == .ending else {
          if job.cause != nil { return end(job) }
          break
        }
      } else {
        guard await jobs.queue.isTooEarly(for: token) else { break }
      }
      guard clock.now - start < Self.endTimeMax else { break }
      try? await clock.sleep(for: pause.next(upTo: Self.pauseMax))
    }
    return await accountedEnd(of: token)
  }

  private func end(_ job: SchedulerJob) -> AttemptEnd {
    AttemptEnd(
      "\(name) says of its job: \(job.state)"
        + (job.reason == job.state ? "" : " (\(job.reason))"), cause: job.cause)
  }

  /// What the scheduler says of a job that it does not list any more.
  private func accountedEnd(of token: AttemptToken) async -> AttemptEnd? {
    guard let job = numbered.number(of: token) else { return nil }
    let start = clock.now
    var pause = GrowingDelay(from: .milliseconds(500))
    while !Task.isCancelled {
      do throws(RunnerFailure) {
        return try await scheduler.end(ofJob: job, within: Self.commandTimeMax)
      } catch {
        guard clock.now - start < Self.accountTimeMax else { return nil }
      }
      try? await clock.sleep(for: pause.next(upTo: Self.pauseMax))
    }
    return nil
  }

  func withdraw(_ token: AttemptToken) {
    numbered.noteIfUnanswered(token, arrays)
    jobs.withdraw(token)
  }

  func finishWithdrawals(of run: RunID, _ claimed: () -> [AttemptToken]) async -> String? {
    let claimed = claimed()
    // An earlier engine may have died before it was answered.
    for token in claimed { numbered.noteIfUnanswered(token, arrays) }
    let left = await jobs.finishWithdrawals(of: run, claimed)
    let sentences = [left, numbered.end(run)].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  func forget(_ token: AttemptToken) {
    // The number of a job may still come; of several jobs, another one may have run the attempt.
    if jobs.isSubmitting(token) || numbered.isOneOfSeveral(token) { jobs.withdraw(token) }
    numbered.forget(token)
    Task { await jobs.forget(token) }
  }
}
