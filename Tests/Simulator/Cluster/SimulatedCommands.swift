// The commands of a simulated cluster: how the real runners ask it, late and now and then in vain.

import Foundation
import Platform
import Reprise
import RepriseRunners
import RepriseTesting
import WorkflowFiles

extension SimulatedCluster {
  /// A question on its way, which a killed command has sent or not.
  // @unchecked: a simulation runs on one thread.
  private final class Question<Answer>: @unchecked Sendable {
    var answer: Answer?
    var isDropped = false
  }

  /// Asks the scheduler: it decides a little later, and its answer arrives later still.
  ///
  /// - Returns: The answer; nil if there is none in time.
  func ask<Answer: Sendable>(
    within limit: Duration, _ decide: @escaping @Sendable () -> Answer
  ) async -> Answer? {
    let question = Question<Answer>()
    let sleeper = Sleeper(scheduler)
    let limit = Int64(limit / .microseconds(1))
    var time = upTo(min(settings.latency / 2, 150))
    if isAway {
      time = random.chance(0.5) ? limit : time + upTo(settings.latency)
    } else {
      after(time) { if !question.isDropped { question.answer = decide() } }
      time += 1000 + upTo(settings.latency)
    }
    let (killedLate, wait) = (random.chance(0.5), min(time, limit))
    await withTaskCancellationHandler {
      await sleeper.sleep(microseconds: wait)
    } onCancel: {
      if !killedLate { question.isDropped = true }
      sleeper.wake()
    }
    return Task.isCancelled ? nil : question.answer
  }

  /// The jobs that a list shows, with their states then.
  fileprivate func list() -> [(job: ClusterJob, state: ClusterJob.State)] {
    let time = now - upTo(settings.staleness)
    let isForgetful = isForgetful
    return jobs.compactMap { job in
      guard let state = job.shown(at: time, memory: Int64(settings.memory) * 1_000_000),
        !isForgetful || random.chance(0.5)
      else { return nil }
      return (job, state)
    }
  }

  /// The answer to a submission of jobs, whether it arrives or not.
  fileprivate enum Submitted: Sendable {
    case numbers([String])
    case refused(String)
  }

  /// Submits jobs; notes when the command begins.
  ///
  /// - Returns: Nil if the answer is lost, and what they are in that case as well.
  fileprivate func submit(
    _ tokens: [AttemptToken], named name: String, in folder: String, account: String?
  ) async -> Submitted? {
    // Another runner has a pace of its own.
    if account == nil { oracle.submits(at: now) }
    let isLost = random.below(100) < settings.lostAnswers
    return await ask(within: .seconds(30)) { [self] () -> Submitted? in
      if let text = refusal(of: tokens.count, account: account) {
        if text.hasPrefix("QOS") { oracle.refusesFull(at: now) }
        return .refused(text)
      }
      if isLost, random.chance(0.3) { return nil }
      let jobs = add(tokens, named: name, in: folder)
      return isLost ? nil : .numbers(jobs.map(\.id))
    } ?? nil
  }

  // MARK: Slurm

  /// Carries out a command of Slurm.
  func answer(
    to command: [String], within limit: Duration
  ) async throws(RunnerFailure) -> ProgramAnswer {
    let program = command[0].split(separator: "/").last ?? ""
    oracle.print("\(program) \(command.dropFirst().filter { !$0.contains("\n") })")
    let answer =
      switch program {
      case "sbatch": await submission(command)
      case "squeue": await queue(within: limit)
      case "scancel": await removal(command, within: limit)
      default: await accounts(command, within: limit)
      }
    if Task.isCancelled { return ProgramAnswer(output: "", errors: "") }
    oracle.print(
      "\(program) says \(answer.map { $0.output + $0.errors } ?? "nothing")")
    return answer
      ?? ProgramAnswer(
        status: 1, output: "",
        errors: "\(program): error: Unable to contact slurm controller (connect failure)")
  }

  private static func value(_ option: String, _ command: [String]) -> String? {
    command.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
  }

  private static func failure(_ program: String, _ text: String) -> ProgramAnswer {
    ProgramAnswer(status: 1, output: "", errors: "\(program): error: \(text)")
  }

  private func submission(_ command: [String]) async -> ProgramAnswer? {
    guard let name = Self.value("--job-name", command), let folder = Self.value("--chdir", command)
    else { return Self.failure("sbatch", "no name") }
    var tokens = [AttemptToken(name)].compactMap { $0 }
    if Self.value("--array", command) != nil {
      let lines = String(decoding: fileContents(folder + "/folders") ?? [], as: UTF8.self)
      tokens = lines.split(separator: "\n").compactMap {
        $0.split(separator: "/").last.flatMap { AttemptToken(String($0)) }
      }
    }
    let answer = await submit(
      tokens, named: name, in: folder, account: Self.value("--account", command))
    switch answer {
    case .numbers(let ids):
      let number = ids[0].prefix { $0 != "_" }
      return ProgramAnswer(status: 0, output: "\(number)\n", errors: "")
    case .refused(let text): return Self.failure("sbatch", text)
    case nil:
      return isAway ? nil : Self.failure("sbatch", "Socket timed out on send/recv operation")
    }
  }

  private func queue(within limit: Duration) async -> ProgramAnswer? {
    oracle.listed(at: now)
    return await ask(within: limit) { [self] in
      let lines = list().map { job, state in
        let reason = state == .pending ? "Resources" : state.isOver ? "NonZeroExitCode" : "None"
        let node = job.node.map { "n\($0 + 1)" } ?? ""
        return "\(job.name)|\(state.rawValue)|\(reason)|\(job.id)|\(node)\n"
      }
      return ProgramAnswer(status: 0, output: lines.joined(), errors: "")
    }
  }

  private func removal(_ command: [String], within limit: Duration) async -> ProgramAnswer? {
    let ids = command.dropFirst().flatMap { word -> [String] in
      let parts = word.split(separator: "_", maxSplits: 1)
      guard parts.count == 2 else { return [word] }
      return parts[1].filter { $0 != "[" && $0 != "]" }.split(separator: ",")
        .map { "\(parts[0])_\($0)" }
    }
    return await ask(within: limit) { [self] in
      // The number of an array means all of its elements.
      let all = ids.flatMap { id in
        let elements = jobs.map(\.id).filter { $0.hasPrefix(id + "_") }
        return elements.isEmpty ? [id] : elements
      }
      let unknown = all.filter { !cancel($0) }
      guard !unknown.isEmpty else { return ProgramAnswer(status: 0, output: "", errors: "") }
      return Self.failure("scancel", "Invalid job id specified")
    }
  }

  private func accounts(_ command: [String], within limit: Duration) async -> ProgramAnswer? {
    switch settings.accounts {
    case .none, .disabled: return Self.failure("sacct", "Slurm accounting storage is disabled")
    case .silent: return Self.failure("sacct", "Connection refused")
    case .complete: break
    }
    let names = Set((Self.value("--name", command) ?? "").split(separator: ",").map(String.init))
    return await ask(within: limit) { [self] in
      let lines = jobs.filter { names.contains($0.name) }.map { job in
        "\(job.name)|\(job.id)|\(job.state.rawValue)|\(job.node.map { "n\($0 + 1)" } ?? "")\n"
      }
      return ProgramAnswer(status: 0, output: lines.joined(), errors: "")
    }
  }
}

/// The kind `slurm` of the program, with the simulated cluster.
struct SimulatedSlurm: RunnerKind {
  static let name = SlurmRunner.name
  private let runner: SlurmRunner

  init(from decoder: any Decoder) throws { runner = try SlurmRunner(from: decoder) }

  func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    try runner.makeExecutor(named: name, in: surroundings) {
      command, _, limit async throws(RunnerFailure) in
      guard let cluster = activeCluster else { throw .refused("there is no cluster") }
      return try await cluster.answer(to: command, within: limit)
    }
  }
}

/// Any other scheduler: its jobs are known by their numbers.
struct SimulatedJobs: RunnerKind {
  static let name = "jobs"

  private enum CodingKeys: String, CodingKey {
    case poll, account
    case submitEvery = "submit-every"
  }

  var poll: Duration?
  var submitEvery: Duration?
  var account: String?

  func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    guard let cluster = activeCluster else { throw .notStarted("there is no cluster") }
    return try RunnerExecutor(
      jobsOf: SimulatedScheduler(cluster: cluster, account: account), named: name,
      in: surroundings, poll: poll ?? .seconds(15), submitEvery: submitEvery ?? .zero)
  }
}

/// The simulated cluster as runners of one's own see it.
struct SimulatedScheduler: JobScheduler {
  let name = "the cluster"
  let cluster: SimulatedCluster
  let account: String?

  private static let silence = RunnerFailure.cannotAsk("the cluster does not answer")

  func submit(_ job: NewJob) async throws(RunnerFailure) -> String {
    guard let token = AttemptToken(String(job.folder.split(separator: "/").last ?? "")) else {
      throw .refused("no token")
    }
    let answer = await cluster.submit(
      [token], named: job.name, in: job.folder, account: account)
    switch answer {
    case .numbers(let ids): return ids[0]
    case .refused(let text):
      if text.contains("QOSMax") { throw .full(text) }
      throw .refused(text)
    case nil: throw Self.silence
    }
  }

  func jobs(within limit: Duration) async throws(RunnerFailure) -> [SchedulerJob] {
    cluster.oracle.listed(at: cluster.now)
    let answer = await cluster.ask(within: limit) { [cluster] in
      cluster.list().map { job, state in
        let phase: SchedulerJob.Phase =
          switch state {
          case .pending: .queued
          case .running: .running
          case .completing: .ending
          default: .ended
          }
        return SchedulerJob(job.id, phase, state: state.rawValue, cause: state.cause)
      }
    }
    guard let answer else { throw Self.silence }
    return answer
  }

  func cancel(_ jobs: [String], within limit: Duration) async throws(RunnerFailure) {
    let answer = await cluster.ask(within: limit) { [cluster] in
      jobs.filter { !cluster.cancel($0) }
    }
    guard let answer else { throw Self.silence }
    guard answer.isEmpty else { throw .refused("there is no job \(answer[0])") }
  }

  func end(ofJob job: String, within limit: Duration) async throws(RunnerFailure) -> AttemptEnd? {
    guard cluster.settings.accounts == .complete else { return nil }
    let answer = await cluster.ask(within: limit) { [cluster] in
      cluster.jobs.first { $0.id == job }?.state
    }
    guard let state = answer ?? nil else { throw Self.silence }
    guard state.isOver else { throw .cannotAsk("its job has not ended yet") }
    return state.cause.map { AttemptEnd("the cluster says \(state.rawValue)", cause: $0) }
  }
}
