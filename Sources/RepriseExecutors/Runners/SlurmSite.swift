// `SlurmSite`: a Slurm cluster as a site of attempts, by its commands.

import ChildProcesses
import Platform
import Reprise
import Synchronization

/// A Slurm cluster, as its commands show it.
final class SlurmSite: AttemptSite {
  let name = "Slurm"
  let isThisMachine = false

  private let options: [String]
  private let program: String
  private let commands: SlurmCommands
  private let clock: any RunClock
  private let queue: SlurmQueue
  private let submissions: SlurmSubmissions
  private let withdrawals = Mutex<[RunID?: SlurmWithdrawals]>([:])

  init(
    options: [String], program: String, commands: SlurmCommands, poll: Duration,
    clock: any RunClock
  ) {
    self.options = options
    self.program = program
    self.commands = commands
    self.clock = clock
    queue = SlurmQueue(commands, poll: poll, clock: clock)
    submissions = SlurmSubmissions(clock: clock)
  }

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String {
    // The environment, which may contain secrets, is in the folder, where only this user reads it.
    // A job is never queued again by Slurm: the engine decides about retries.
    let host = shellQuoted(program)
    let command =
      [
        "sbatch", "--parsable", "--no-requeue", "--export=ALL", "--job-name=\(token)",
        "--comment=\(token)", "--output=\(folder.hostLogPath)", "--open-mode=append",
        "--chdir=\(folder.path)",
      ] + options + ["--wrap", "exec \(host) host \(token) --folder \(shellQuoted(folder.path))"]
    // Keeps an engine that runs on the same machine from taking the step for a leftover.
    var variables = commands.submission
    variables.merge(DetachedHost.variables(named: token.text)) { _, mark in mark }
    try await submissions.enter(token)
    let result: Result<ProgramAnswer, RunnerFailure>
    do throws(RunnerFailure) {
      result = .success(try await answer(of: command, in: variables))
    } catch {
      result = .failure(error)
    }
    return try await taken(result, token)
  }

  /// Returns the number of a job that was submitted.
  private func taken(
    _ result: Result<ProgramAnswer, RunnerFailure>, _ token: AttemptToken
  ) async throws(RunnerFailure) -> String {
    var failure: RunnerFailure?
    if case .success(let answer) = result, answer.status != 0 {
      failure = await SlurmCommands.failure(of: answer) { await queue.hasActiveJobs }
    }
    let full: String? = if case .full(let text)? = failure { text } else { nil }
    await submissions.leave(token, full: full)
    if let failure { throw failure }
    let answer = try result.get()
    await queue.submitted(token)
    return answer.output.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
  }

  func job(_ note: String) -> String? {
    // With the name of its cluster after a semicolon, if there are several.
    let number = note.prefix { $0.isNumber }
    return number.isEmpty ? nil : String(number)
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    try await queue.sight(of: token)
  }

  /// The number of the job of an attempt, as the scheduler knows it now.
  func job(of token: AttemptToken) async throws(RunnerFailure) -> String {
    _ = try await queue.sight(of: token)
    guard let job = await queue.job(of: token) else {
      throw .cannotAsk("Slurm does not show its job")
    }
    return job.id
  }

  func withdraw(_ token: AttemptToken, isSubmitted: Bool) {
    let ofRun = withdrawals.withLock { all in
      let ofRun = all[token.run] ?? SlurmWithdrawals(commands, clock: clock)
      all[token.run] = ofRun
      return ofRun
    }
    ofRun.add(token, isAnswered: isSubmitted)
  }

  func finishWithdrawals(of run: RunID) async -> String? {
    await withdrawals.withLock { $0.removeValue(forKey: run) }?.finish()
  }

  func end(of token: AttemptToken) async -> String? {
    if let job = await queue.job(of: token) { return Self.text(job.state, job.reason) }
    guard let state = await commands.accountedState(of: token) else {
      return "Slurm does not know its job any more"
    }
    return Self.text(state, "")
  }

  /// How long the end of a job is waited for, since it comes a little after that of its host.
  private static let endTimeMax = Duration.seconds(5)
  /// The same for a job that is ending: Slurm gives its processes 30 seconds (`KillWait`).
  private static let completionTimeMax = Duration.seconds(40)
  private static let endPause = Duration.milliseconds(400)

  func intervention(in token: AttemptToken) async -> String? {
    let start = clock.now
    while true {
      await queue.refresh()
      guard !Task.isCancelled, let job = await queue.job(of: token) else { break }
      if ["COMPLETED", "FAILED"].contains(job.state) { return nil }
      let isCompleting = job.state == "COMPLETING"
      guard isCompleting || job.isActive else { return Self.text(job.state, job.reason) }
      let limit = isCompleting ? Self.completionTimeMax : Self.endTimeMax
      guard clock.now - start < limit else { break }
      try? await clock.sleep(for: Self.endPause)
    }
    guard let state = await commands.accountedState(of: token),
      !["COMPLETED", "FAILED", "RUNNING", "PENDING", "COMPLETING"].contains(state)
    else { return nil }
    return Self.text(state, "")
  }

  /// How Slurm has ended a job, with the setting that matters.
  private static func text(_ state: String, _ reason: String) -> String {
    let hint =
      switch state.prefix(while: { $0 != " " }) {
      case "TIMEOUT": "; its time limit has passed (setting \"time\")"
      case "OUT_OF_MEMORY": "; it needed more memory than it had (setting \"memory\")"
      default: ""
      }
    let isKnown = !reason.isEmpty && reason != "None"
    return "Slurm ended its job: \(state)" + (isKnown ? " (\(reason))" : "") + hint
  }

  func forget(_ token: AttemptToken) {
    Task { [queue, submissions] in
      await queue.forget(token)
      await submissions.ended(token)
    }
  }
}

/// The jobs of this user, asked for together for all attempts.
///
/// At first twice a second, and less and less often while nothing changes.
private actor SlurmQueue {
  private static let intervalMin = Duration.milliseconds(500)
  /// The interval while a job runs of which its host gives no sign.
  private static let intervalInDoubt = Duration.seconds(2)
  /// How long a job must be missing in answers until they are believed.
  private static let doubt = Duration.seconds(2)
  private static let commandTimeMax = Duration.seconds(30)

  private let commands: SlurmCommands
  private let intervalMax: Duration
  private let clock: any RunClock
  private var interval = SlurmQueue.intervalMin
  private var jobs: [String: SlurmCommands.Job] = [:]
  private var askedAt: Timestamp?
  private var problem: RunnerFailure?
  private var isAsking = false
  /// Those that wait for the answer, by number.
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var nextID = 1
  /// The attempts that were asked for.
  private var wanted: Set<String> = []
  /// When attempts were submitted: what is newer than the answer is not absent in it.
  private var submittedAt: [AttemptToken: Timestamp] = [:]
  /// Since when answers do not list attempts: a single one may be wrong.
  private var missingSince: [AttemptToken: Timestamp] = [:]

  init(_ commands: SlurmCommands, poll: Duration, clock: any RunClock) {
    self.commands = commands
    intervalMax = max(poll, Self.intervalMin)
    self.clock = clock
  }

  /// Whether a job of this user was listed that may still run.
  var hasActiveJobs: Bool {
    get async {
      await refresh()
      return Task.isCancelled || jobs.values.contains(where: \.isActive)
    }
  }

  func submitted(_ token: AttemptToken) {
    submittedAt[token] = clock.now
    interval = Self.intervalMin
  }

  func forget(_ token: AttemptToken) {
    submittedAt[token] = nil
    missingSince[token] = nil
    wanted.remove(token.text)
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    wanted.insert(token.text)
    if askedAt.map({ clock.now - $0 >= interval }) ?? true {
      await refresh()
      if Task.isCancelled { throw .cannotAsk("Slurm has not answered yet") }
    }
    if let problem { throw problem }
    guard let job = jobs[token.text] else {
      guard let askedAt else { return .present }
      if let submitted = submittedAt[token], submitted > askedAt { return .present }
      let since = missingSince[token] ?? askedAt
      missingSince[token] = since
      interval = Self.intervalMin
      if askedAt - since >= Self.doubt { return .absent }
      throw .cannotAsk("Slurm does not list the job")
    }
    missingSince[token] = nil
    switch job.state {
    case "PENDING", "REQUEUED", "SUSPENDED", "CONFIGURING":
      return .queued(job.reason == "None" ? "" : job.reason)
    case "RUNNING", "COMPLETING", "STAGE_OUT", "SIGNALING", "STOPPED":
      interval = min(interval, Self.intervalInDoubt)
      return .present
    default:
      return .absent
    }
  }

  func job(of token: AttemptToken) -> SlurmCommands.Job? { jobs[token.text] }

  /// Asks now, together with all that ask at the same time; returns early if the task is cancelled.
  func refresh() async {
    if !isAsking {
      isAsking = true
      Task { await ask() }
    }
    let id = nextID
    nextID += 1
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        if Task.isCancelled { continuation.resume() } else { waiting[id] = continuation }
      }
    } onCancel: {
      Task { await self.giveUp(id) }
    }
  }

  private func giveUp(_ id: Int) { waiting.removeValue(forKey: id)?.resume() }

  private func ask() async {
    defer {
      isAsking = false
      let all = waiting.values
      waiting = [:]
      for continuation in all { continuation.resume() }
    }
    let before = clock.now
    let known = jobs.filter { wanted.contains($0.key) }
    do throws(RunnerFailure) {
      // Of several jobs of a token, the one that may still run counts.
      jobs = try await commands.jobs(within: Self.commandTimeMax).compactMapValues { jobs in
        jobs.first { $0.state == "RUNNING" } ?? jobs.last
      }
      problem = nil
    } catch {
      problem = .cannotAsk(error.description)
    }
    askedAt = before
    let isSame = known == jobs.filter { wanted.contains($0.key) }
    interval = isSame ? min(interval * 3 / 2, intervalMax) : Self.intervalMin
  }
}
