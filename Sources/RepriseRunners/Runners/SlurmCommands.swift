// `SlurmCommands`: how the commands of Slurm are run, and what they say.

import Platform
import Reprise

/// The commands of Slurm, with an environment that another job does not change.
///
/// When the engine itself runs in a job, its variables describe that job: with them, sbatch and srun
/// would take its settings, or even start steps there.
struct SlurmCommands: Scheduler {
  let name = "Slurm"

  /// The environment of all commands except sbatch.
  let environment: [String: String]
  /// The environment of sbatch, all of which a job gets.
  let submission: [String: String]

  /// Creates the value from the environment of the engine.
  ///
  /// - Parameters:
  ///   - environment: The variables of the engine.
  ///   - further: The names of variables that sbatch needs as well.
  init(_ environment: [String: String], further: [String] = []) {
    self.environment = JobVariables.without(environment).filter { name, _ in
      !["SQUEUE_", "SCANCEL_", "SACCT_"].contains(where: name.hasPrefix)
    }
    let further = Set(further)
    // With `--export=NONE`, Slurm would log in for each job to ask for an environment, which takes
    // longer than a short step. More than this may contain secrets.
    submission = environment.filter { name, _ in
      JobVariables.isPlain(name) || JobVariables.settingsOfSlurm.contains(name)
        || further.contains(name)
    }
  }

  /// The jobs of this user, by name: several may have the same one.
  func jobs(within limit: Duration) async throws(RunnerFailure) -> [String: [SchedulerJob]] {
    let answer = try await answer(
      of: ["squeue", "--noheader", "--states=all", "--me", "--format=%j|%T|%r|%A|%N"],
      in: environment, within: limit)
    guard answer.status == 0 else {
      throw .cannotAsk("squeue: " + answer.wholeComplaint(of: "squeue"))
    }
    var jobs: [String: [SchedulerJob]] = [:]
    for line in answer.output.split(separator: "\n") {
      let words = line.split(separator: "|", omittingEmptySubsequences: false)
      guard words.count >= 4 else { continue }
      jobs[String(words[0]), default: []].append(
        SchedulerJob(
          String(words[3]), Self.phase(words[1]), state: String(words[1]),
          reason: words[2] == "None" ? "" : String(words[2]),
          node: Self.node(words.dropFirst(4).first)))
    }
    return jobs
  }

  /// Attempts are known by the names of their jobs.
  func key(of token: AttemptToken) -> String? { token.text }

  /// Returns the only node of a list; an empty text for several.
  private static func node(_ list: Substring?) -> String {
    guard let list, !list.contains(where: { ",[ (".contains($0) }) else { return "" }
    return String(list)
  }

  private static func phase(_ state: Substring) -> SchedulerJob.Phase {
    switch state {
    case "PENDING", "REQUEUED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SUSPENDED", "CONFIGURING": .queued
    case "RUNNING", "STAGE_OUT", "SIGNALING", "STOPPED", "RESIZING": .running
    case "COMPLETING": .ending
    default: .ended
    }
  }

  func cancel(_ jobs: [String], within limit: Duration) async -> String? {
    let answer = try? await answer(of: ["scancel"] + jobs, in: environment, within: limit)
    guard let answer, answer.status != 0 else { return nil }
    return "scancel: " + answer.wholeComplaint(of: "scancel")
  }

  func removal(of jobs: [String]) -> String { (["scancel"] + jobs).joined(separator: " ") }

  private static let namesPerCommand = 100

  /// What Slurm's accounts say of jobs that it does not list; a cluster need not keep accounts.
  func accounts(
    of tokens: [AttemptToken], within limit: Duration
  ) async -> [AttemptToken: JobAccount] {
    guard let sacct = findProgram("sacct", in: environment["PATH"]) else { return [:] }
    var accounts: [AttemptToken: JobAccount] = [:]
    for start in stride(from: 0, to: tokens.count, by: Self.namesPerCommand) {
      let some = tokens[start..<min(start + Self.namesPerCommand, tokens.count)]
      let words = [
        sacct, "--noheader", "--parsable2", "--allocations",
        "--name=" + some.map(\.text).joined(separator: ","), "--format=JobName,State",
        "--starttime=now-30days",
      ]
      let answer = try? await answer(of: words, in: environment, within: limit)
      for token in some { accounts[token] = Self.account(of: token.text, in: answer) }
    }
    return accounts
  }

  /// What an answer of sacct says of the jobs with a name.
  static func account(of name: String, in answer: ProgramAnswer?) -> JobAccount {
    guard let answer, answer.status == 0 else {
      return answer?.errors.contains("disabled") == true ? .unknown : .silent
    }
    var isKnown = false
    for line in answer.output.split(whereSeparator: \.isNewline) {
      let fields = line.split(separator: "|")
      guard fields.count == 2, fields[0] == name else { continue }
      isKnown = true
      // Its words are those of squeue, with more behind some: `CANCELLED by 0`.
      let isActive = phase(fields[1].prefix { $0 != " " }) != .ended
      if isActive { return .active(String(fields[1])) }
    }
    return isKnown ? .ended : .unknown
  }

  /// The last state and the node of a job by Slurm's accounts, which a cluster need not keep.
  func accounted(of token: AttemptToken) async -> (state: String, node: String)? {
    guard let sacct = findProgram("sacct", in: environment["PATH"]) else { return nil }
    let words = [
      sacct, "--noheader", "--parsable2", "--allocations", "--name=\(token)",
      "--format=State,NodeList",
      "--starttime=now-30days",
    ]
    let answer = try? await answer(of: words, in: environment, within: .seconds(5))
    guard let answer, answer.status == 0 else { return nil }
    guard let line = answer.output.split(separator: "\n").last else { return nil }
    let fields = line.split(separator: "|", omittingEmptySubsequences: false)
    return (String(fields[0]), Self.node(fields.dropFirst().first))
  }

  // MARK: What sbatch says

  /// What it says when it is unknown whether the job was submitted.
  private static let silences = [
    "Unable to contact", "Socket timed out", "Zero Bytes", "ommunication", "onnection", "send/recv",
    "Transport endpoint", "standby",
  ]

  /// What it says when the queue is full: the same job may be submitted later.
  private static let limits = [
    "SubmitJob", "MaxSubmit", "MaxJobCount", "MaxJobs", "temporarily un", "too many jobs",
    "maximum number of jobs",
  ]

  /// What it says of settings, besides the answers of the controller.
  private static let refusals = [
    "submission failed", "nvalid ", "unrecognized option", "requires an argument", "not permitted",
    "exceeds", "is not available", "More processors requested", "can not be satisfied",
  ]

  /// A limit of an account by its name, such as `QOSMaxWallDurationPerJobLimit`.
  private static func namesLimit(_ text: String) -> Bool {
    text.split { !$0.isLetter }.contains { word in
      word.hasSuffix("Limit") && (word.hasPrefix("QOS") || word.hasPrefix("Assoc"))
    }
  }

  /// What it means that sbatch has not succeeded.
  ///
  /// The controller answers each submission that it has received, so what it refuses was not begun.
  ///
  /// - Parameters:
  ///   - answer: What sbatch has said.
  ///   - hasOthers: Returns whether other jobs of this user are known, so that a limit of their number
  ///     may be the reason.
  /// - Returns: The failure.
  static func failure(
    of answer: ProgramAnswer, hasOthers: () async -> Bool
  ) async -> RunnerFailure {
    let text = "sbatch: " + answer.wholeComplaint(of: "sbatch")
    func says(_ words: [String]) -> Bool { words.contains { text.contains($0) } }
    guard answer.status != nil, !says(silences) else { return .cannotAsk(text) }
    if says(limits) { return .full(text) }
    if text.contains("violates accounting/QOS policy"), !namesLimit(text),
      await hasOthers()
    {
      return .full(text)
    }
    return says(refusals) ? .refused(text) : .cannotAsk(text)
  }
}
