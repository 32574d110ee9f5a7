// Steps as jobs of a Slurm cluster.

import Platform
package import Reprise
import Synchronization

/// Steps as jobs of a Slurm cluster: one job for each attempt.
///
/// Slurm decides when and where; the host that the job runs carries the attempt out and writes its
/// result to a folder that all nodes share. Slurm's own account of a job is used only to say why it
/// waits, and to know that it is gone: job numbers are used again after a crash of its controller,
/// and jobs are forgotten, so attempts are known by the token in their name and comment.
package struct SlurmRunner: RunnerKind {
  package static let name = "slurm"

  private enum CodingKeys: String, CodingKey {
    case partition, cpus, memory, gpus, time, account, extra, attempts, keep
    case orphanAfter = "orphan-after"
    case lostAfter = "lost-after"
  }

  var partition: String?
  var cpus: Int?
  var memory: String?
  var gpus: String?
  var time: Duration?
  var account: String?
  var extra: [String]?
  /// The folder for the records of attempts, which all nodes share.
  var attempts: String?
  /// Whether all steps of a run share one allocation.
  var keep: Bool?
  /// How long an allocation without steps waits for an engine.
  var orphanAfter: Duration?
  var lostAfter: Duration?

  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    guard findProgram("sbatch", in: surroundings.environment["PATH"]) != nil else {
      throw .notStarted(Self.missing)
    }
    let program = try surroundings.foundHostProgram()
    let isKept = keep == true
    let site = SlurmSite(
      options: options + (isKept ? ["--nodes=1", "--ntasks=1"] : []), program: program,
      environment: surroundings.environment, clock: surroundings.clock)
    let folder: String
    if let attempts { folder = attempts } else { folder = try surroundings.foundAttempts() }
    let jobs = FolderRunner(site, attempts: folder, clock: surroundings.clock)
    let runner: any Runner =
      isKept
      ? KeptRunner(
        SlurmAllocations(site: site, holders: jobs, program: program),
        named: surroundings.placeName(for: name, options), attempts: folder,
        orphanAfter: orphanAfter ?? .seconds(60), clock: surroundings.clock)
      : jobs
    return RunnerExecutor(
      runner, named: name, in: surroundings, inheritsEnvironment: true, lostAfter: lostAfter)
  }

  /// The options of sbatch for the settings.
  private var options: [String] {
    var options: [String] = []
    if let partition { options.append("--partition=\(partition)") }
    if let cpus { options.append("--cpus-per-task=\(cpus)") }
    if let memory { options.append("--mem=\(memory)") }
    if let gpus { options.append("--gpus=\(gpus)") }
    if let account { options.append("--account=\(account)") }
    if let time {
      // Slurm counts whole minutes; the host keeps to a shorter `timeout` of the step.
      let minutes = max(1, (time.components.seconds + 59) / 60)
      options.append("--time=\(minutes)")
    }
    return options + (extra ?? [])
  }

  package func problems(in surroundings: RunnerSurroundings) async -> [String] {
    let path = surroundings.environment["PATH"]
    for program in ["sbatch", "squeue", "scancel"] where findProgram(program, in: path) == nil {
      return [Self.missing]
    }
    do throws(RunnerFailure) {
      let test = try await answer(
        of: ["sbatch", "--test-only", "--wrap", "true"] + options, in: surroundings.environment)
      return test.status == 0
        ? [] : ["Slurm would not take a job with these settings: \(test.complaint)"]
    } catch {
      return [error.description]
    }
  }

  private static let missing =
    "the programs of Slurm (sbatch, squeue, scancel) are not in PATH; install slurm-client, or run "
    + "on a machine that submits jobs"
}

/// A Slurm cluster, as its commands show it.
final class SlurmSite: AttemptSite {
  let name = "Slurm"
  let isThisMachine = false

  private let options: [String]
  private let program: String
  private let environment: [String: String]
  private let queue: SlurmQueue
  /// The submissions in progress: sbatch answers in milliseconds, but not to hundreds at once.
  private let submissions = Gate(places: 4)

  init(
    options: [String], program: String, environment: [String: String], clock: any RunClock
  ) {
    self.options = options
    self.program = program
    self.environment = environment
    queue = SlurmQueue(environment: environment, clock: clock)
  }

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) {
    // The environment, which may contain secrets, is in the folder, where only this user reads it.
    // A job is never queued again by Slurm: the engine decides about retries.
    let host = shellQuoted(program)
    let command =
      [
        "sbatch", "--parsable", "--no-requeue", "--export=ALL", "--job-name=\(token)",
        "--comment=\(token)", "--output=\(folder.hostLogPath)", "--open-mode=append",
        "--chdir=\(folder.path)",
      ] + options + ["--wrap", "exec \(host) host \(token) --folder \(shellQuoted(folder.path))"]
    await submissions.enter()
    let result: Result<ProgramAnswer, RunnerFailure>
    do throws(RunnerFailure) {
      result = .success(try await answer(of: command, in: submitted(for: token)))
    } catch {
      result = .failure(error)
    }
    await submissions.leave()
    let answer = try result.get()
    guard answer.status != 0 else { return await queue.submitted(token) }
    let text = "sbatch: " + answer.complaint
    // What cannot be asked now may have been submitted; what is refused has not.
    let isRefused = Self.refusals.contains { answer.errors.contains($0) }
    throw isRefused ? .refused(text) : .cannotAsk(text)
  }

  /// The environment of sbatch, all of which a job gets.
  ///
  /// With `--export=NONE`, Slurm would log in for each job to ask for an environment, which takes
  /// longer than a short step.
  private func submitted(for token: AttemptToken) -> [String: String] {
    var variables = environment.filter { name, _ in
      Self.plainVariables.contains(name) || name.hasPrefix("LC_") || name.hasPrefix("SLURM_")
        || name.hasPrefix("SBATCH_")
    }
    // Keeps an engine that runs on the same machine from taking the step for a leftover.
    variables["REPRISE_HOST"] = token.text
    return variables
  }

  private static let plainVariables: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "KRB5CCNAME",
  ]

  /// What sbatch says of settings that it will never accept.
  private static let refusals = [
    "invalid partition", "Invalid account", "Requested node configuration is not available",
    "unrecognized option", "invalid option", "Invalid --", "Invalid numeric value",
    "More processors requested than permitted", "Invalid generic resource", "not permitted",
    "Invalid feature specification", "exceeds", "Invalid qos",
  ]

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    try await queue.sight(of: token)
  }

  /// The number of the job of an attempt, as the scheduler knows it now.
  func job(of token: AttemptToken) async throws(RunnerFailure) -> String {
    _ = try await queue.sight(of: token)
    guard let id = await queue.job(of: token) else {
      throw .cannotAsk("Slurm does not show its job")
    }
    return id
  }

  func withdraw(_ token: AttemptToken) async throws(RunnerFailure) {
    let answer = try await answer(of: ["scancel", "--name=\(token)"], in: environment)
    if answer.status != 0 { throw .cannotAsk("scancel: " + answer.complaint) }
  }

  func end(of token: AttemptToken) async -> String? {
    if let end = await queue.end(of: token) { return "Slurm ended its job: \(end)" }
    guard let state = await accountedState(of: token) else {
      return "Slurm does not know its job any more"
    }
    return "Slurm ended its job: \(state)"
  }

  /// The last state of a job by Slurm's accounts, which a cluster need not keep.
  private func accountedState(of token: AttemptToken) async -> String? {
    guard let sacct = findProgram("sacct", in: environment["PATH"]) else { return nil }
    let words = [
      sacct, "--noheader", "--parsable2", "--allocations", "--name=\(token)", "--format=State",
      "--starttime=now-30days",
    ]
    let answer = try? await answer(of: words, in: environment, within: .seconds(5))
    guard let answer, answer.status == 0 else { return nil }
    return answer.output.split(separator: "\n").last.map(String.init)
  }

  func forget(_ token: AttemptToken) {
    Task { [queue] in await queue.forget(token) }
  }
}

/// The jobs of this user, asked for at most twice a second for all attempts together.
private actor SlurmQueue {
  private static let interval = Duration.milliseconds(500)
  /// How long a job must be missing in answers until they are believed.
  private static let doubt = Duration.seconds(2)

  private struct Job {
    var id: String
    var state: String
    var reason: String
  }

  private let environment: [String: String]
  private let clock: any RunClock
  private var jobs: [String: Job] = [:]
  private var askedAt: Timestamp?
  private var problem: RunnerFailure?
  private var asking: Task<Void, Never>?
  /// When attempts were submitted: what is newer than the answer is not absent in it.
  private var submittedAt: [AttemptToken: Timestamp] = [:]
  /// Since when answers do not list attempts: a single one may be wrong.
  private var missingSince: [AttemptToken: Timestamp] = [:]

  init(environment: [String: String], clock: any RunClock) {
    self.environment = environment
    self.clock = clock
  }

  func submitted(_ token: AttemptToken) { submittedAt[token] = clock.now }

  func forget(_ token: AttemptToken) {
    submittedAt[token] = nil
    missingSince[token] = nil
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    if askedAt.map({ clock.now - $0 >= Self.interval }) ?? true {
      let task = asking ?? Task { await self.ask() }
      asking = task
      await task.value
    }
    if let problem { throw problem }
    guard let job = jobs[token.text] else {
      guard let askedAt else { return .present }
      if let submitted = submittedAt[token], submitted > askedAt { return .present }
      let since = missingSince[token] ?? askedAt
      missingSince[token] = since
      if askedAt - since >= Self.doubt { return .absent }
      throw .cannotAsk("Slurm does not list the job")
    }
    missingSince[token] = nil
    switch job.state {
    case "PENDING", "REQUEUED", "SUSPENDED", "CONFIGURING":
      return .queued(job.reason == "None" ? "" : job.reason)
    case "RUNNING", "COMPLETING", "STAGE_OUT", "SIGNALING", "STOPPED":
      return .present
    default:
      return .absent
    }
  }

  func job(of token: AttemptToken) -> String? { jobs[token.text]?.id }

  /// The state in which a job has ended, and Slurm's reason for it; nil if it is not known.
  func end(of token: AttemptToken) -> String? {
    guard let job = jobs[token.text] else { return nil }
    return job.reason.isEmpty || job.reason == "None" ? job.state : "\(job.state) (\(job.reason))"
  }

  private func ask() async {
    defer { asking = nil }
    let before = clock.now
    do throws(RunnerFailure) {
      let answer = try await answer(
        of: ["squeue", "--noheader", "--states=all", "--me", "--format=%j|%T|%r|%A"],
        in: environment)
      guard answer.status == 0 else { throw .cannotAsk("squeue: " + answer.complaint) }
      var jobs: [String: Job] = [:]
      for line in answer.output.split(separator: "\n") {
        let words = line.split(separator: "|", omittingEmptySubsequences: false)
        guard words.count == 4 else { continue }
        let job = Job(
          id: String(words[3]), state: String(words[1]), reason: String(words[2]))
        // Two jobs of a token: the one that may still run counts.
        if let other = jobs[String(words[0])], other.state == "RUNNING" { continue }
        jobs[String(words[0])] = job
      }
      self.jobs = jobs
      problem = nil
    } catch {
      problem = .cannotAsk(error.description)
    }
    askedAt = before
  }
}

/// Lets a number of tasks in at once.
private actor Gate {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) { free = places }

  func enter() async {
    if free > 0 {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
