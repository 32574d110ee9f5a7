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
  /// The arrays of attempts; nil if there are none.
  var arrays: JobArrays?
  /// Runs a command; a simulation has a cluster in memory instead.
  var perform = SlurmRunner.perform

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

  /// Runs a command of Slurm and waits for its end.
  ///
  /// - Parameters:
  ///   - command: The program with its arguments.
  ///   - environment: Its environment.
  ///   - limit: The time after which it is killed.
  /// - Returns: Its answer.
  /// - Throws: ``RunnerFailure`` if it cannot be started.
  func answer(
    of command: [String], in environment: [String: String], within limit: Duration = .seconds(30)
  ) async throws(RunnerFailure) -> ProgramAnswer {
    try await perform(command, environment, limit)
  }

  /// The jobs of this user, by name, and elements of arrays by their attempts: several may have the same one.
  func jobs(within limit: Duration) async throws(RunnerFailure) -> [String: [SchedulerJob]] {
    let answer = try await answer(
      of: ["squeue", "--noheader", "--states=all", "--me", "--array", "--format=%j|%T|%r|%i|%N"],
      in: environment, within: limit)
    guard answer.status == 0 else {
      throw .cannotAsk("squeue: " + answer.wholeComplaint(of: "squeue"))
    }
    var jobs: [String: [SchedulerJob]] = [:]
    // By bytes: thousands of lines are listed again and again, and a text is slow to split by characters.
    for line in answer.output.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
        .map { Substring($0) }
      guard words.count >= 4 else { continue }
      jobs[key(ofName: words[0], number: words[3]), default: []].append(
        SchedulerJob(
          String(words[3]), Self.phase(words[1]), state: String(words[1]),
          reason: words[2] == "None" ? "" : String(words[2]),
          node: Self.node(words.dropFirst(4).first)))
    }
    return jobs
  }

  private func key(ofName name: Substring, number: Substring) -> String {
    guard let arrays, let index = SlurmArrays.index(in: number) else { return String(name) }
    return arrays.token(of: JobArrays.Element(name: String(name), index: index))?.text
      ?? String(name)
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
    let words = ["scancel"] + SlurmArrays.joined(jobs)
    let answer = try? await answer(of: words, in: environment, within: limit)
    guard let answer, answer.status != 0 else { return nil }
    return "scancel: " + answer.wholeComplaint(of: "scancel")
  }

  func removal(of jobs: [String]) -> String { (["scancel"] + jobs).joined(separator: " ") }

  // MARK: Accounts

  private static let namesPerCommand = 100

  /// A line of sacct.
  struct AccountLine: Sendable, Equatable {
    let name: String
    let number: String
    let state: String
    let nodes: String

    /// Whether it is about a job that was submitted by a name, alone or as an element of an array.
    func isAbout(_ token: AttemptToken, _ elements: [JobArrays.Element]) -> Bool {
      name == token.text
        || elements.contains { $0.name == name && SlurmArrays.includes($0.index, in: number) }
    }
  }

  /// What Slurm's accounts have of jobs, which a cluster need not keep.
  ///
  /// - Returns: The lines; nil if there are no accounts.
  /// - Throws: ``RunnerFailure/cannotAsk(_:)``.
  private func accountLines(
    of names: [String], within limit: Duration
  ) async throws(RunnerFailure) -> [AccountLine]? {
    guard let sacct = findProgram("sacct", in: environment["PATH"]) else { return nil }
    var lines: [AccountLine] = []
    for start in stride(from: 0, to: names.count, by: Self.namesPerCommand) {
      let some = names[start..<min(start + Self.namesPerCommand, names.count)]
      let answer = try await answer(
        of: [
          sacct, "--noheader", "--parsable2", "--allocations", "--starttime=now-30days",
          "--name=" + some.joined(separator: ","), "--format=JobName,JobID,State,NodeList",
        ], in: environment, within: limit)
      guard answer.status == 0 else {
        if answer.errors.contains("disabled") { return nil }
        throw .cannotAsk("sacct: " + answer.wholeComplaint(of: "sacct"))
      }
      lines += Self.accountLines(in: answer.output)
    }
    return lines
  }

  static func accountLines(in text: String) -> [AccountLine] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4 else { return nil }
      return AccountLine(name: fields[0], number: fields[1], state: fields[2], nodes: fields[3])
    }
  }

  func accounts(
    of tokens: [AttemptToken], within limit: Duration
  ) async -> [AttemptToken: JobAccount] {
    var elements: [AttemptToken: [JobArrays.Element]] = [:]
    for token in tokens { elements[token] = arrays?.elements(of: token) ?? [] }
    let names = Set(tokens.map(\.text) + elements.values.joined().map(\.name)).sorted()
    do throws(RunnerFailure) {
      guard let lines = try await accountLines(of: names, within: limit) else { return [:] }
      return elements.reduce(into: [:]) { accounts, pair in
        accounts[pair.key] = Self.account(lines.filter { $0.isAbout(pair.key, pair.value) })
      }
    } catch {
      return elements.mapValues { _ in .silent }
    }
  }

  /// What lines of the accounts say of one attempt.
  static func account(_ lines: [AccountLine]) -> JobAccount {
    // Its words are those of squeue, with more behind some: `CANCELLED by 0`.
    let active = lines.first { phase($0.state.prefix { $0 != " " }) != .ended }
    guard let active else { return lines.isEmpty ? .unknown : .ended }
    return .active(active.state)
  }

  /// The last state and the node of a job by Slurm's accounts.
  func accounted(of token: AttemptToken) async -> (state: String, node: String)? {
    let elements = arrays?.elements(of: token) ?? []
    let lines = try? await accountLines(
      of: [token.text] + elements.map(\.name), within: .seconds(5))
    let last = lines?.last { $0.isAbout(token, elements) }
    return last.map { ($0.state, Self.node($0.nodes[...])) }
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

  /// What it says of an array that is larger than the cluster allows.
  static func refusesArray(_ answer: ProgramAnswer) -> Bool {
    answer.status != nil && answer.wholeComplaint(of: "sbatch").contains("job array")
  }

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
