// `SubmittedEngine`: the engine of a run as a job of a scheduler, by the runners that submit steps.

import Platform
package import Reprise
package import RepriseJournal
import RepriseRunners
package import RepriseTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The engine of a run that a runner starts as a job, on another machine.
///
/// The job is an attempt, as those of steps are, which belongs to no step: `reprise host` claims it and
/// starts this program. So it never runs twice, and can be stopped from each machine that shares the
/// state directory, without a connection.
package struct SubmittedEngine: Sendable {
  /// How far the job is, by its files.
  package enum Status: Sendable, Equatable {
    /// It waits in the queue.
    case waiting
    /// Its host has started on this machine.
    case running(host: String)
    /// It has ended, or was withdrawn.
    case over
  }

  /// The kinds of runners that an engine can be submitted to.
  package static let kinds = ["slurm", "batch"]
  /// The time that an engine has to cancel its run.
  package static let cancelTimeMax = Duration.seconds(600)

  /// The run.
  package let run: RunID
  /// The runner of the job.
  package let runner: RunnerChoice
  /// The number of the job; nil if it is not known.
  package private(set) var job: String?
  /// The log of the engine.
  package let log: String
  private let token: AttemptToken
  private let folder: String
  /// The folder with the output of the run.
  private let runFolder: String

  private init(
    _ run: RunID, _ runner: RunnerChoice, _ token: AttemptToken, in directory: StateDirectory
  ) {
    (self.run, self.runner, self.token) = (run, runner, token)
    (folder, log) = (directory.engineFolder(of: run), directory.engineLog(of: run))
    runFolder = directory.logFolder(of: run)
  }

  /// Returns the runner of a workflow file that an engine is submitted to.
  ///
  /// - Parameters:
  ///   - name: Its name under `runners`.
  ///   - workflow: The workflow.
  /// - Returns: The runner.
  /// - Throws: ``Problem`` if there is none, or if it submits no jobs.
  package static func runner(
    named name: String, of workflow: Workflow
  ) throws(Problem) -> RunnerChoice {
    let known = workflow.scopes[0].runners
    let able = known.values.filter { kinds.contains($0.kind) }.map(\.name)
    guard let runner = known[name], able.contains(name) else {
      let problem =
        known[name].map {
          "the runner \"\(name)\" is of the kind \"\($0.kind)\""
        }
        ?? "the workflow has no runner \"\(name)\""
      let choice =
        able.isEmpty
        ? "add one of the kind slurm or batch under \"runners\""
        : "name one that submits jobs: \(able.sorted().joined(separator: ", "))"
      throw Problem("error: \(problem): \(choice)")
    }
    return runner
  }

  /// Submits the engine of a run.
  ///
  /// - Parameters:
  ///   - words: The words of the command that drives the run.
  ///   - run: The id of the run.
  ///   - runner: The runner.
  ///   - folder: The folder in which the command starts.
  ///   - directory: The state directory.
  /// - Returns: The engine.
  /// - Throws: ``Problem`` if the job is not taken; nothing of it is left then, and it never begins.
  package static func submit(
    _ words: [String], of run: RunID, to runner: RunnerChoice, from folder: String,
    in directory: StateDirectory
  ) async throws(Problem) -> SubmittedEngine {
    let token = AttemptToken(run: run, step: "engine", generation: 1, attempt: 1)
    var submitted = SubmittedEngine(run, try alone(runner), token, in: directory)
    do {
      try directory.create()
      try makeFolderTree(submitted.folder)
      try submitted.note()
    } catch {
      submitted.forget()
      throw Problem(error)
    }
    let engine = EngineSettings().makeEngine(attempts: submitted.folder)
    do {
      submitted.job = try await engine.begin(
        submitted.spec(words, startingIn: folder), as: token, on: submitted.runner)
    } catch {
      let left = await engine.release(run, on: [submitted.runner]).map { "; " + $0 }.joined()
      // Only if there is nothing else, as of an earlier engine of the run.
      submitted.forget()
      throw Problem(
        "error: \(runner.title) has not taken the engine as a job: \(error)\(left)",
        cause: .internalFailure)
    }
    // Without its number in the file, the job is found all the same.
    try? submitted.note()
    return submitted
  }

  /// Returns a runner without what concerns many steps, or files on other machines: the engine needs the
  /// state directory, in which its attempt is.
  private static func alone(_ runner: RunnerChoice) throws(Problem) -> RunnerChoice {
    do throws(EvaluationError) {
      var runner = try runner.settled(for: 1)
      runner.byAttempt = [:]
      for name in ["keep", "orphan-after", "attempts", "container"] { runner.settings[name] = nil }
      return runner
    } catch {
      throw Problem("error: the runner \"\(runner.name)\": \(error)")
    }
  }

  /// What the job runs.
  private func spec(_ words: [String], startingIn directory: String) -> AttemptSpec {
    let order = EngineOrder(run: run, attempt: attempt.path, words: words)
    var spec = AttemptSpec(
      command: [
        "/bin/sh", "-c", #"exec "$@" >> "$0" 2>&1"#, log, StandardRunners.ownProgram ?? "reprise",
        "host", "--engine",
      ], directory: directory, grace: Self.cancelTimeMax)
    // In a file that only this user can read: words may contain secrets.
    spec.script = order.text
    // It cancels its steps itself, and records that they were cancelled.
    spec.stopsOthers = true
    // It does not run in the step that has submitted it, if any.
    spec.hiddenVariables = AttemptSpec.variablesOfSteps
    return spec
  }

  // MARK: Finding and stopping

  /// Finds the job that the engine of a run was submitted as; nil if it was not.
  package init?(of run: RunID, in directory: StateDirectory) {
    let folder = directory.engineFolder(of: run)
    guard let bytes = fileContents(Self.notePath(in: folder), upTo: 1 << 20),
      case .map(let note)? = try? Value(json: String(decoding: bytes, as: UTF8.self)),
      let token = note["token"].flatMap({ AttemptToken($0.asText) }),
      case .map(let settings)? = note["settings"], let name = note["runner"]?.asText,
      let kind = note["kind"]?.asText
    else { return nil }
    self.init(
      run, RunnerChoice(name: name, kind: kind, settings: settings), token, in: directory)
    if case .text(let job)? = note["job"] { self.job = job }
  }

  /// Finds the job that an engine was submitted as, whether or not its run is recorded yet.
  ///
  /// - Parameters:
  ///   - name: The id of the run, or its beginning.
  ///   - directory: The state directory.
  /// - Returns: The engine; nil if there is none, or more than one.
  package static func named(_ name: String, in directory: StateDirectory) -> SubmittedEngine? {
    guard RunID(name) != nil else { return nil }
    let runs = FolderReader.names(in: directory.runsPath).filter { $0.hasPrefix(name) }
    let found = (runs.contains(name) ? [name] : runs).compactMap { RunID($0) }
      .compactMap { SubmittedEngine(of: $0, in: directory) }
    return found.count == 1 ? found.first : nil
  }

  /// Returns the jobs of all runs that were submitted, of each its last one, ordered by run.
  package static func all(in directory: StateDirectory) -> [SubmittedEngine] {
    FolderReader.names(in: directory.runsPath).sorted().compactMap { RunID($0) }
      .compactMap { SubmittedEngine(of: $0, in: directory) }
  }

  /// How far the job is.
  package var status: Status {
    guard attempt.exists, attempt.result == nil else { return .over }
    guard let claim = attempt.claim else { return .waiting }
    return claim.host.map { .running(host: $0) } ?? .over
  }

  /// The runner and the number of the job, for messages.
  package var title: String {
    (job.map { "job \($0)" } ?? "a job") + " of \(runner.title)"
  }

  /// Why the run is not recorded, and what to do.
  package var reasonForNoRecord: TerminalSafe {
    switch status {
    case .waiting:
      "run \(run) has not begun: its engine is \(title), which has not started; cancel it with: "
        + "reprise cancel \(run)"
    case .running(let host): "run \(run) is about to begin on \(host), in \(title)"
    case .over:
      "run \(run) has not begun, and \(title) is over; see \(lastWords)"
    }
  }

  /// The file with what the engine or, if it has not started, its job has written.
  private var lastWords: String { mayAccess(log, .existence) ? log : attempt.hostLogPath }

  /// Why the engine cannot be reached, and what to do; nil if it does not run.
  package var reasonForNoConnection: TerminalSafe? {
    guard case .running(let host) = status else { return nil }
    return """
      the engine of run \(run) is on \(host), in \(title), and cannot be reached from here
        show the run with: reprise show \(run)
        cancel it with: reprise cancel \(run)
        for everything else, use reprise on \(host)
      """
  }

  /// Stops the engine, and waits until nothing of its job is left, neither running nor in the queue.
  ///
  /// The engine cancels its run. Waits for as long as the job is out of sight, until the task is cancelled.
  ///
  /// - Parameter grace: The time that it has for that, after which it is killed.
  /// - Returns: What is left in the queue, in sentences.
  /// - Throws: ``Problem`` if the runner cannot be used here.
  package func stop(grace: Duration) async throws(Problem) -> [String] {
    let engine = EngineSettings().makeEngine(attempts: folder)
    do {
      try await engine.stop(token, on: runner, grace: grace)
    } catch {
      throw Problem("error: \(title) cannot be stopped: \(error)", cause: .internalFailure)
    }
    return await engine.release(run, on: [runner])
  }

  /// Removes the files of a job that never begins, and the folder of a run that has no others.
  ///
  /// - Parameter isForgotten: Whether the log is removed, too.
  package func forget(log isForgotten: Bool = false) {
    attempt.remove()
    if isForgotten { try? removeFile(log) }
    try? removeFile(Self.notePath(in: folder))
    removeFolder(folder)
    removeFolder(runFolder)
  }

  private var attempt: AttemptFolder { AttemptFolder(of: token, in: folder) }

  private static func notePath(in folder: String) -> String { folder + "/job.json" }

  private func note() throws(Errno) {
    var note: [String: Value] = [
      "token": .text(token.text), "runner": .text(runner.name), "kind": .text(runner.kind),
      "settings": .map(runner.settings),
    ]
    if let job { note["job"] = .text(job) }
    try writeFile(
      Array((Value.map(note).json + "\n").utf8), to: Self.notePath(in: folder), overwriting: true)
  }
}

/// What the engine in a job is asked for, in a file that only this user can read.
package struct EngineOrder: Sendable, Codable {
  /// The id of the run.
  private let id: String
  /// The folder of the attempt that is the job.
  private let attempt: String
  /// The words of the command that drives the run.
  package let words: [String]

  init(run: RunID, attempt: String, words: [String]) {
    (id, self.attempt, self.words) = (run.description, attempt, words)
  }

  /// Reads the file of an order; nil if it is none.
  package init?(contentsOf path: String) {
    guard let bytes = fileContents(path),
      let order = try? JSONDecoder().decode(EngineOrder.self, from: Data(bytes))
    else { return nil }
    self = order
  }

  /// The order as JSON.
  var text: String {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The run.
  package var run: RunID? { RunID(id) }

  /// Whether a person has asked to cancel the run, so that a signal does not come from the scheduler.
  package var isCancelled: Bool { AttemptFolder(path: attempt).requestedGrace != nil }
}
