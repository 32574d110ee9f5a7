// `LocalExecutor`: runs steps as processes on this machine.

import ChildProcesses
import Masking
import Paths
import Workflows

/// Runs steps as child processes on this machine.
///
/// - Environment: the `dotenv` files, then the executor's environment, then `env` of the workflow,
///   then `env` of the step; later ones take precedence. In addition, `REPRISE_RUN_ID`,
///   `REPRISE_STEP_ID`, `REPRISE_GENERATION`, `REPRISE_ATTEMPT`, `REPRISE_OUTPUT` (the file for the
///   step's outputs) and `REPRISE_PROGRESS` (the file for its progress).
/// - Directory: the executor's, then `dir` of the workflow, then `dir` of the step, each relative
///   to the one before.
/// - Shell: `exec`, and a `run` that is a simple command line, run without a shell. Other scripts
///   run with `/bin/sh -e -c`, or with the shell that the step or the workflow names.
/// - Stopping: every process in the step's tree receives SIGTERM, then SIGKILL after the grace
///   period.
public struct LocalExecutor: Executor {
  /// The environment that every step inherits.
  ///
  /// Invalid UTF-8 in the environment of this process is replaced here, but passed on to steps byte
  /// for byte.
  public let environment: [String: String]
  /// The same environment, byte for byte, for starting programs.
  let inherited: Environment
  /// The names of inherited variables that are not UTF-8, which expressions cannot use.
  let nonUTF8Variables: Set<String>
  /// The directory in which steps run; nil for that of this process.
  let directory: String?
  /// Whether programs are asked for colours, because they are shown on a terminal.
  ///
  /// Not those whose standard output is used: the values would contain escape sequences.
  package var asksForColours = false
  /// Compiled file patterns of recent steps.
  private let searches = FileSearches()

  /// The executor of the thread that serves all processes.
  ///
  /// Running there avoids thread switches between the end of one step and the start of the next.
  public var taskExecutor: (any TaskExecutor)? { ChildProcess.executor }

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - environment: The environment that every step inherits; by default that of this process.
  ///   - directory: The directory in which steps run; by default that of this process.
  public init(environment: [String: String]? = nil, directory: String? = nil) {
    if let environment {
      self.environment = environment
      inherited = Environment(environment)
      nonUTF8Variables = []
    } else {
      let variables = InheritedVariables()
      self.environment = variables.texts
      inherited = variables.environment
      nonUTF8Variables = variables.nonUTF8Names
    }
    self.directory = directory
  }

  /// Returns one hash of the contents of files.
  ///
  /// - Parameter patterns: Path patterns, relative to the executor's directory.
  /// - Returns: The hash; empty if no file matches.
  /// - Throws: An error that says which file cannot be read or which pattern is invalid.
  public func hash(ofFiles patterns: [String]) throws -> String {
    try contentHash(ofFiles: patterns, in: directory ?? ".", searches)
  }

  /// Returns the paths of files, in byte order.
  ///
  /// A wildcard as the last name selects files only, and a slash at the end selects folders.
  ///
  /// - Parameter patterns: Path patterns, relative to the executor's directory.
  /// - Returns: The paths, relative to the executor's directory.
  /// - Throws: An error that says which folder cannot be read or which pattern is invalid.
  public func files(matching patterns: [String]) throws -> [String] {
    try searches.search(for: patterns, .entries).files(in: directory ?? ".")
  }

  /// Returns the hash of each file in the directory of a step.
  ///
  /// Symbolic links count by their targets, links to folders also by the files behind them, and
  /// folders without entries by names that end with a slash.
  ///
  /// - Parameters:
  ///   - patterns: Path patterns, relative to the last of the directories.
  ///   - directories: The directories of the step, each relative to the previous one.
  /// - Returns: The hashes by path.
  /// - Throws: An error that says which file cannot be read or which pattern is invalid.
  public func hashes(
    ofFiles patterns: [String], in directories: [String]
  ) throws -> [String: String] {
    guard !patterns.isEmpty else { return [:] }
    let folder = directories.reduce(directory, resolvedDirectory) ?? "."
    var hashes: [String: String] = [:]
    for file in try searches.search(for: patterns).contents(in: folder) {
      hashes[file.name] = try contentHash(of: file, in: folder)
    }
    return hashes
  }

  /// Starts the process of a step and waits until no process of its tree is left.
  ///
  /// - Parameter context: The step.
  /// - Returns: The outputs that the step wrote to the file named by `REPRISE_OUTPUT`.
  /// - Throws: ``FailureReason`` or `CancellationError`.
  public func execute(_ context: StepContext) async throws -> StepOutputs {
    if let rule = context.step.extrasIfAny?.service {
      return try await AttemptProcess.run(
        rule, spec(of: context), inheriting: inherited, in: directory, for: context)
    }
    if let outputs = try await executeOnTerminal(context) { return outputs }
    return try await AttemptProcess.run(
      spec(of: context), inheriting: inherited, in: directory, for: context)
  }

  private func spec(of context: StepContext) -> AttemptSpec {
    var spec = AttemptSpec(context)
    if asksForColours, context.capture == nil { spec.askForColours(environment) }
    return spec
  }
}
