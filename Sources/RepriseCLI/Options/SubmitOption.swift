// The option that submits the engine of a run as a job.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

/// Whether and where a command line submits the engine.
protocol EngineSubmission {
  /// The runner that gets the engine; nil if it runs here.
  var runner: String? { get }
}

struct SubmitOption: ParsableArguments, EngineSubmission {
  @Option(
    name: .customLong("submit"),
    help: ArgumentHelp(
      """
      Submit the engine as a job of this runner of the file, of the kind slurm or batch; print the \
      id of the run and return.
      """, valueName: "runner"))
  var runner: String?
}

extension EngineSubmission {
  /// An option that makes no sense for a job, whether it is given, and why.
  typealias Other = (name: String, isGiven: Bool, reason: String)

  /// Checks that the engine is not submitted together with options that make no sense then.
  ///
  /// - Parameters:
  ///   - detach: Whether `--detach` is given.
  ///   - passThrough: Whether `--pass-through` is given.
  ///   - stay: Whether the display stays, if that is given.
  ///   - notify: Whether the terminal notifies its user.
  ///   - progress: The style of the display.
  ///   - others: Options of one command only.
  /// - Throws: `ValidationError` that names the first one.
  func expectNone(
    detach: Bool, passThrough: Bool, stay: Bool?, notify: Bool, _ progress: ProgressStyle,
    others: [Other] = []
  ) throws {
    let returnsAtOnce = "the command does not wait for the run"
    let hasNoTerminal = "a job has no terminal"
    let all: [Other] =
      others + [
        ("--detach", detach, returnsAtOnce), ("--pass-through", passThrough, returnsAtOnce),
        ("--stay", stay == true, hasNoTerminal),
        ("--notify", notify, hasNoTerminal),
        ("--progress tree", progress == .tree, hasNoTerminal),
      ]
    guard runner != nil, let other = all.first(where: \.isGiven) else { return }
    throw ValidationError("--submit and \(other.name) cannot be combined: \(other.reason).")
  }

  /// Returns the runner of a workflow file that is named; nil if the engine is not submitted.
  ///
  /// - Throws: ``Problem`` if there is none, or if it submits no jobs.
  func runner(of workflow: Workflow) throws(Problem) -> RunnerChoice? {
    guard let runner else { return nil }
    return try SubmittedEngine.runner(named: runner, of: workflow)
  }

  /// The options that both commands have in a job.
  func words(_ progress: ProgressStyle, yes: Bool) -> [String] {
    ["--progress", progress == .auto ? ProgressStyle.plain.rawValue : progress.rawValue]
      + (yes ? ["--yes"] : [])
  }

  /// Submits the engine of a run, and says how the run is seen.
  ///
  /// - Parameters:
  ///   - words: The words of the command that drives the run.
  ///   - run: The id of the run.
  ///   - runner: The runner.
  ///   - directory: The state directory.
  /// - Returns: The exit status.
  /// - Throws: ``Problem`` if the job is not taken.
  func submit(
    _ words: [String], of run: RunID, to runner: RunnerChoice, in directory: StateDirectory
  ) async throws(Problem) -> ExitStatus {
    let state = ["--state-dir", directory.path]
    let engine = try await SubmittedEngine.submit(
      words.prefix(1) + state + words.dropFirst(), of: run, to: runner,
      from: try currentDirectory(), in: directory)
    printLine("\(run)")
    printError(
      """
      submitted as \(engine.title)
      log: \(engine.log)
      when it has begun, show the run with: reprise show \(run), or on its node: reprise attach \(run)
      cancel it with: reprise cancel \(run)
      """)
    return .succeeded
  }
}
