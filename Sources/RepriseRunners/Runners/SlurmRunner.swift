// Steps as jobs of a Slurm cluster.

package import Reprise

/// Steps as jobs of a Slurm cluster: one job for each attempt.
///
/// Slurm decides when and where; the host that the job runs carries the attempt out and writes its
/// result to a folder that all nodes share. Slurm's own account of a job is used only to say why it
/// waits, and to know that it is gone: job numbers are used again after a crash of its controller,
/// and jobs are forgotten, so attempts are known by the token in their name and comment.
package struct SlurmRunner: RunnerKind {
  package static let name = "slurm"
  package static let resourceSettings: Set = [
    "cpus", "memory", "gpus", "time", "partition", "extra",
  ]

  private enum CodingKeys: String, CodingKey {
    case partition, cpus, memory, gpus, time, account, extra, attempts, keep, poll, variables
    case container
    case submitEvery = "submit-every"
    case orphanAfter = "orphan-after"
    case lostAfter = "lost-after"
  }

  var partition: String?
  var cpus: Int?
  var memory: String?
  var gpus: String?
  var time: Duration?
  var account: String?
  var extra: SubmitOptions?
  /// The container in which each step runs in its job; nil for none.
  var container: JobContainer?
  /// The folder for the records of attempts, which all nodes share.
  var attempts: String?
  /// The allocations that the steps of a run share; nil for a job each.
  var keep: KeepSetting?
  /// The longest time between two questions for the queue.
  var poll: Duration?
  /// The shortest time between two submissions.
  var submitEvery: Duration?
  /// Variables of the engine that sbatch needs, besides the usual ones.
  var variables: [String]?
  /// How long an allocation without steps waits for an engine.
  var orphanAfter: Duration?
  var lostAfter: Duration?

  /// Runs a command in an environment, for at most some time.
  package typealias Perform =
    @Sendable (_ command: [String], _ environment: [String: String], _ limit: Duration)
    async throws(RunnerFailure) -> ProgramAnswer

  /// Runs commands as processes.
  static let perform: Perform = { command, environment, limit async throws(RunnerFailure) in
    try await answer(of: command, in: environment, within: limit)
  }

  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    try makeExecutor(named: name, in: surroundings, performing: Self.perform)
  }

  /// Creates the executor with another way to run the commands of Slurm, for simulations.
  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings, performing perform: @escaping Perform
  ) throws(FailureReason) -> any Executor {
    guard findProgram("sbatch", in: surroundings.environment["PATH"]) != nil else {
      throw .notStarted(Self.missing)
    }
    let program = try surroundings.foundHostProgram()
    let orphanAfter = orphanAfter ?? .seconds(60)
    let keep = keep?.limits(
      processors: cpus, time: minutes.map { .seconds(60 * $0) }, idleAfter: orphanAfter)
    let folder: String
    if let attempts { folder = attempts } else { folder = try surroundings.foundAttempts() }
    var commands = commands(in: surroundings)
    commands.perform = perform
    if keep == nil { commands.arrays = JobArrays(in: folder, random: surroundings.random) }
    let site = SlurmSite(
      options: options + (keep != nil ? ["--nodes=1", "--ntasks=1"] : []), program: program,
      commands: commands, poll: poll ?? .seconds(30),
      submitEvery: submitEvery ?? .zero, clock: surroundings.clock, sharing: surroundings.share)
    let jobs = FolderRunner(site, named: name, attempts: folder, clock: surroundings.clock)
    var runner: any Runner = jobs
    if let keep {
      runner = KeptRunner(
        SlurmAllocations(site: site, holders: jobs, program: program, cpus: cpus),
        named: surroundings.placeName(for: name, options), attempts: folder,
        orphanAfter: orphanAfter, limits: keep, clock: surroundings.clock)
    }
    let prepare = try container?.preparation(attempts, surroundings)
    // The engine may run in a job itself, which is another one.
    var surroundings = surroundings
    surroundings.environment = JobVariables.without(surroundings.environment)
    return RunnerExecutor(
      runner, named: name, in: surroundings, inheritsEnvironment: prepare == nil,
      lostAfter: lostAfter, prepare: prepare ?? { spec, _ in spec })
  }

  /// The time limit as Slurm counts it, in whole minutes; the host keeps to a shorter `timeout` of a step.
  private var minutes: Int64? { time.map { max(1, ($0.components.seconds + 59) / 60) } }

  /// The options of sbatch for the settings.
  private var options: [String] {
    var options: [String] = []
    if let partition { options.append("--partition=\(partition)") }
    if let cpus { options.append("--cpus-per-task=\(cpus)") }
    if let memory { options.append("--mem=\(memory)") }
    if let gpus { options.append("--gpus=\(gpus)") }
    if let account { options.append("--account=\(account)") }
    if let minutes { options.append("--time=\(minutes)") }
    return options + (extra?.words ?? [])
  }

  private func commands(in surroundings: RunnerSurroundings) -> SlurmCommands {
    SlurmCommands(surroundings.environment, further: variables ?? [])
  }

  package func problems(in surroundings: RunnerSurroundings) async -> [String] {
    let path = surroundings.environment["PATH"]
    for program in ["sbatch", "squeue", "scancel"] where findProgram(program, in: path) == nil {
      return [Self.missing]
    }
    do throws(RunnerFailure) {
      let commands = commands(in: surroundings)
      _ = try await commands.jobs(within: .seconds(30))
      let test = try await commands.answer(
        of: ["sbatch", "--test-only", "--wrap", "true"] + options, in: commands.submission)
      guard test.status != 0 else { return [] }
      let reason = test.wholeComplaint(of: "sbatch")
      return ["Slurm would not take a job with these settings: \(reason)"]
    } catch {
      return [error.description]
    }
  }

  private static let missing =
    "the programs of Slurm (sbatch, squeue, scancel) are not in PATH; install slurm-client, or run "
    + "on a machine that submits jobs"
}

/// Further options of sbatch, except those that change how jobs are followed.
struct SubmitOptions: Decodable, Sendable {
  let words: [String]

  private static let refused: [(names: [String], reason: String)] = [
    (["--array", "-a"], "equal items of \"foreach\" are one array by themselves"),
    (["--job-name", "-J", "--comment"], "the attempt is found by it"),
    (["--output", "-o", "--open-mode", "--chdir", "-D"], "the messages of the job are read there"),
    (["--wait", "-W"], "the runner waits for its jobs itself"),
    (["--wrap", "--test-only", "--parsable", "--export"], "the runner sets it"),
    (["--requeue"], "\"retry\" of the step decides whether it runs again"),
  ]

  /// Decodes a list of options.
  init(from decoder: any Decoder) throws {
    words = try decoder.singleValueContainer().decode([String].self)
    for word in words {
      let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
      guard let known = Self.refused.first(where: { $0.names.contains(name) }) else { continue }
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "\"\(name)\" cannot be set here: \(known.reason)"))
    }
  }
}
