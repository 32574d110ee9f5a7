// `BatchSite`: any scheduler as a site of attempts, by three commands.

import ChildProcesses
import Platform
import Reprise
import Synchronization

/// A scheduler by its commands; attempts are known by the numbers of their jobs.
final class BatchScheduler: Scheduler {
  let rules: BatchRules
  let environment: [String: String]
  private let attempts: String
  /// The numbers of jobs, besides those that are noted in the folders of attempts.
  private let numbers = Mutex<[AttemptToken: String]>([:])
  /// The whole numbers by what is compared of them.
  private let whole = Mutex<[String: String]>([:])

  var name: String { rules.name }

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - rules: The commands.
  ///   - environment: The environment of the commands.
  ///   - attempts: The folder of all attempts.
  init(_ rules: BatchRules, environment: [String: String], attempts: String) {
    (self.rules, self.environment, self.attempts) = (rules, environment, attempts)
  }

  func note(_ number: String, of token: AttemptToken) {
    numbers.withLock { $0[token] = number }
    whole.withLock { $0[Self.plain(number)] = number }
  }

  func forget(_ token: AttemptToken) {
    guard let number = numbers.withLock({ $0.removeValue(forKey: token) }) else { return }
    whole.withLock { $0[Self.plain(number)] = nil }
  }

  /// The number of the job of an attempt; nil if none is known.
  func number(of token: AttemptToken) -> String? {
    if let number = numbers.withLock({ $0[token] }) { return number }
    let noted = AttemptFolder(of: token, in: attempts).submissionNote
    guard !noted.isEmpty else { return nil }
    note(noted, of: token)
    return noted
  }

  func key(of token: AttemptToken) -> String? { number(of: token).map(Self.plain) }

  /// A number as all commands of a scheduler show it: some add the name of a server to it.
  private static func plain(_ number: String) -> String { String(number.prefix { $0 != "." }) }

  func jobs(within limit: Duration) async throws(RunnerFailure) -> [String: [SchedulerJob]] {
    // Jobs are known by their numbers, so those of other users do no harm.
    let user = environment["USER"] ?? environment["LOGNAME"] ?? "*"
    let words = rules.status.map { $0.replacing("{user}", with: user) }
    let answer = try await answer(of: words, in: environment, within: limit)
    if answer.status != 0 {
      let text = answer.errors + answer.output
      guard answer.status != nil, rules.none.contains(where: text.contains) else {
        throw .cannotAsk("\(words[0]): " + answer.wholeComplaint(of: words[0]))
      }
      return [:]
    }
    var jobs: [String: [SchedulerJob]] = [:]
    for line in answer.output.split(whereSeparator: \.isNewline) {
      guard let fields = rules.line.fields(of: line), let number = fields[.job],
        let word = fields[.state]
      else { continue }
      jobs[Self.plain(number), default: []].append(job(number, word, fields[.reason] ?? ""))
    }
    return jobs
  }

  private func job(_ number: String, _ word: String, _ reason: String) -> SchedulerJob {
    let state = rules.states[word]
    // A word that is not known says nothing; it is shown, and the job counts as there.
    let unknown = state == nil ? "unknown state \(word)" : word
    let text = ["", "None"].contains(reason) ? unknown : reason
    // The list may shorten numbers, which the command that removes jobs does not know.
    let id = whole.withLock { $0[Self.plain(number)] } ?? number
    return SchedulerJob(id: id, state: word, reason: text, phase: state?.phase ?? .queued)
  }

  /// Says what has ended a job that is not listed any more; nil if that is not known, or was the job itself.
  ///
  /// Accounts are written a little after the end, so they are asked for again for some seconds.
  func report(of token: AttemptToken, clock: any RunClock) async -> AttemptEnd? {
    guard !rules.report.isEmpty, let number = number(of: token) else { return nil }
    let words = rules.report.map { $0.replacing("{job}", with: number) }
    let start = clock.now
    while !Task.isCancelled {
      let answer = try? await answer(of: words, in: environment, within: .seconds(5))
      if let answer, answer.status == 0 {
        let lines = answer.output.split(whereSeparator: \.isNewline)
        return lines.lazy.compactMap { self.end(String($0)) }.first
      }
      guard clock.now - start < Self.reportTimeMax else { return nil }
      try? await clock.sleep(for: Self.reportPause)
    }
    return nil
  }

  private static let reportTimeMax = Duration.seconds(5)
  private static let reportPause = Duration.milliseconds(400)

  /// The end that a text tells of; nil if it has none of the known parts.
  private func end(_ text: String) -> AttemptEnd? {
    // The longest part is the most exact one.
    let known = rules.causes.filter { text.contains($0.key) }.max { $0.key.count < $1.key.count }
    guard let cause = known?.value.cause else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return AttemptEnd("\(name) ended its job: \(words)", cause: cause)
  }

  /// How a job that is listed has ended.
  func end(of job: SchedulerJob) -> AttemptEnd {
    let text =
      "\(name) says of its job: \(job.state)"
      + (job.reason == job.state ? "" : " (\(job.reason))")
    return AttemptEnd(text, cause: rules.states[job.state]?.cause ?? end(job.reason)?.cause)
  }

  func cancel(_ jobs: [String], within limit: Duration) async -> String? {
    let answer = try? await answer(of: rules.cancel + jobs, in: environment, within: limit)
    guard let answer, answer.status != 0 else { return nil }
    return "\(rules.cancel[0]): " + answer.wholeComplaint(of: rules.cancel[0])
  }

  func removal(of jobs: [String]) -> String { (rules.cancel + jobs).joined(separator: " ") }

  /// What it means that the command that submits has not succeeded.
  func failure(of answer: ProgramAnswer) -> RunnerFailure {
    let text = "\(rules.submit[0]): " + answer.wholeComplaint(of: rules.submit[0])
    func says(_ words: [String]) -> Bool { words.contains { text.contains($0) } }
    guard answer.status != nil, !says(rules.unreachable) else { return .cannotAsk(text) }
    return says(rules.limited) ? .full(text) : .refused(text)
  }
}

/// A scheduler, as its commands show it.
final class BatchSite: AttemptSite {
  let isThisMachine = false

  private let scheduler: BatchScheduler
  private let options: [String]
  private let program: String
  private let jobs: SubmittedJobs
  private let clock: any RunClock

  var name: String { scheduler.name }

  init(
    _ scheduler: BatchScheduler, options: [String], program: String, poll: Duration,
    submitEvery pace: Duration = .zero, clock: any RunClock
  ) {
    self.scheduler = scheduler
    self.options = options
    self.program = program
    self.clock = clock
    jobs = SubmittedJobs(scheduler, poll: poll, submitEvery: pace, clock: clock)
  }

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String {
    let script = folder.path + "/job.sh"
    // The environment, which may contain secrets, is in the folder, where only this user reads it. The
    // marks keep an engine that runs on the same machine from taking the step, or what the command that
    // submits leaves running, for a leftover.
    let marks = DetachedHost.entries(named: token.text).map(shellQuoted).joined(separator: " ")
    let text = """
      #!/bin/sh
      exec /usr/bin/env \(marks) \(shellQuoted(program)) host \(token) --folder \
      \(shellQuoted(folder.path))

      """
    do throws(Errno) {
      try writeFile(Array(text.utf8), to: script, overwriting: true)
      try changePermissions(of: script, to: .ownerReadWriteExecute)
    } catch {
      throw .refused("cannot write \(script): \(error)")
    }
    let words = command(token, folder, script)
    let environment = scheduler.environment.merging(scheduler.rules.variables) { $1 }
      .merging(DetachedHost.variables(named: token.text)) { $1 }
    let said = try await jobs.submit(token) { () throws(RunnerFailure) in
      let said = try await answer(of: words, in: environment)
      // Noted before anyone asks for it; also if the command was stopped after it had submitted the job.
      if said.status ?? 0 == 0, let number = scheduler.rules.job.number(in: said.output) {
        scheduler.note(number, of: token)
      }
      return said
    } orFail: {
      scheduler.failure(of: $0)
    }
    guard let number = scheduler.number(of: token) else {
      throw .refused(
        "\(words[0]) has not said the number of the job where \"job\" expects it: "
          + said.wholeComplaint(of: words[0]))
    }
    return number
  }

  private func command(
    _ token: AttemptToken, _ folder: AttemptFolder, _ script: String
  ) -> [String] {
    let values = [
      ("{name}", Self.shownName(token)), ("{log}", folder.hostLogPath), ("{folder}", folder.path),
      ("{script}", script),
    ]
    func filled(_ word: String) -> String {
      values.reduce(word) { $0.replacing($1.0, with: $1.1) }
    }
    return scheduler.rules.submit.map(filled) + options + scheduler.rules.script.map(filled)
  }

  /// A name for people: the step, as far as every scheduler takes it.
  private static func shownName(_ token: AttemptToken) -> String {
    let parts = token.text.split(separator: ".")
    let step = parts.count > 1 ? parts[1] : "step"
    return "r_" + step.prefix(13).map { $0.isLetter || $0.isNumber ? $0 : "_" }
  }

  func job(_ note: String) -> String? { note.isEmpty ? nil : note }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    let sight = try await jobs.queue.sight(of: token)
    // What will never run would stay in the queue for ever.
    if await jobs.queue.job(of: token)?.phase == .refused {
      jobs.withdraw(token, isSubmitted: true)
    }
    return sight
  }

  func withdraw(_ token: AttemptToken, isSubmitted: Bool) {
    jobs.withdraw(token, isSubmitted: isSubmitted)
  }

  func finishWithdrawals(of run: RunID) async -> String? { await jobs.finishWithdrawals(of: run) }

  func end(of token: AttemptToken) async -> AttemptEnd? {
    if let job = await jobs.queue.job(of: token) { return scheduler.end(of: job) }
    return await scheduler.report(of: token, clock: clock)
      ?? AttemptEnd("\(name) does not list its job any more")
  }

  func intervention(in token: AttemptToken) async -> AttemptEnd? {
    if let job = await jobs.queue.job(of: token), job.phase == .ended {
      let end = scheduler.end(of: job)
      if end.cause != nil { return end }
    }
    return await scheduler.report(of: token, clock: clock)
  }

  func forget(_ token: AttemptToken) {
    Task {
      await jobs.forget(token)
      scheduler.forget(token)
    }
  }
}
