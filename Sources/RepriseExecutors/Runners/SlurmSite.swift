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
  private let jobs: SubmittedJobs
  private var queue: JobQueue { jobs.queue }

  init(
    options: [String], program: String, commands: SlurmCommands, poll: Duration,
    clock: any RunClock
  ) {
    self.options = options
    self.program = program
    self.commands = commands
    self.clock = clock
    jobs = SubmittedJobs(commands, poll: poll, clock: clock)
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
    let said = try await jobs.submit(token) { () throws(RunnerFailure) in
      try await answer(of: command, in: variables)
    } orFail: {
      await SlurmCommands.failure(of: $0) { await queue.hasActiveJobs }
    }
    return said.output.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
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
    jobs.withdraw(token, isSubmitted: isSubmitted)
  }

  func finishWithdrawals(of run: RunID) async -> String? { await jobs.finishWithdrawals(of: run) }

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
      let isCompleting = job.phase == .ending
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
    return "Slurm ended its job: \(state)" + (reason.isEmpty ? "" : " (\(reason))") + hint
  }

  func forget(_ token: AttemptToken) { Task { await jobs.forget(token) } }
}
