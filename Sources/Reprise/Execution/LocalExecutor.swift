// Carries out steps as processes of this machine: a step in, a command line out, lines and a status
// back. Knows nothing of the graph and of other steps.

import ChildProcesses
import Masking
import Paths
import WorkflowLanguage

/// Carries out steps as child processes on this machine.
///
/// - Environment: the files under `dotenv`, then what the executor was given, then the workflow's `env`,
///   then the step's, then `REPRISE_RUN_ID`, `REPRISE_STEP_ID`, `REPRISE_GENERATION`, `REPRISE_ATTEMPT`,
///   `REPRISE_OUTPUT`, the file to which it writes its outputs, and `REPRISE_PROGRESS`, the one to which it
///   writes how far it is.
/// - Directory: the executor's, then the workflow's `dir`, then the step's, each relative to the
///   one before.
/// - Shell: `exec` and a `run` that is a plain command line need none. Other scripts are given to
///   `/bin/sh -e -c`, or to the shell that the step or the workflow names.
/// - Stopping: every process of the step's tree gets SIGTERM, then SIGKILL after the grace period.
public struct LocalExecutor: Executor {
  /// What every step inherits.
  ///
  /// What is not UTF-8 in the environment of this process is replaced here; steps get it byte for byte.
  public let environment: [String: String]
  /// The same, as programs are given it.
  private let inherited: Environment
  /// The variables that are passed on byte for byte and that no expression can use.
  let variablesThatAreNoText: Set<String>
  private let directory: String?
  /// The patterns of the steps that ran last.
  private let searches = FileSearches()

  /// The thread that serves all processes: on it nothing changes threads between the end of one step and
  /// the start of the next.
  public var taskExecutor: (any TaskExecutor)? { ChildProcess.executor }

  /// Makes an executor.
  ///
  /// - Parameters:
  ///   - environment: What every step inherits; that of this process when left out.
  ///   - directory: Where steps run; that of this process when left out.
  public init(environment: [String: String]? = nil, directory: String? = nil) {
    if let environment {
      self.environment = environment
      inherited = Environment(environment)
      variablesThatAreNoText = []
    } else {
      let variables = InheritedVariables()
      self.environment = variables.texts
      inherited = variables.environment
      variablesThatAreNoText = variables.namesWithoutText
    }
    self.directory = directory
  }

  /// A hash over files, relative to the executor's directory.
  ///
  /// - Parameter patterns: Patterns of paths.
  /// - Returns: The hash, or the empty text when no file matches.
  /// - Throws: An error whose text says what cannot be read, or which pattern makes no sense.
  public func hash(ofFiles patterns: [String]) throws -> String {
    try contentHash(ofFiles: patterns, in: directory ?? ".", searches)
  }

  /// Hashes of files, relative to where a step runs.
  ///
  /// - Parameters:
  ///   - patterns: Patterns of paths.
  ///   - directories: Where the step runs.
  /// - Returns: The hashes by path.
  /// - Throws: An error whose text says what cannot be read, or which pattern makes no sense.
  public func hashes(
    ofFiles patterns: [String], in directories: [String]
  ) throws -> [String: String] {
    guard !patterns.isEmpty else { return [:] }
    let folder = directories.reduce(directory, resolvedDirectory) ?? "."
    var hashes: [String: String] = [:]
    for path in try searches.search(for: patterns).files(in: folder) {
      hashes[path] = try contentHash(ofFile: folder + "/" + path)
    }
    return hashes
  }

  /// Starts the process of a step and waits until nothing of its tree is left.
  ///
  /// - Parameter context: The step.
  /// - Returns: What the step wrote to the file named by `REPRISE_OUTPUT`.
  /// - Throws: ``FailureReason`` or `CancellationError`.
  public func execute(_ context: StepContext) async throws -> StepOutputs {
    let outputs = try OutputFile(environment: environment)
    defer { outputs.remove() }
    let child: ChildProcess
    do {
      child = try ChildProcess.spawn(
        command(for: context, outputs), filter: filter(context.masker),
        roomForOutput: context.roomForOutput
      ) { lines in
        guard lines.stream != .report else {
          if let (part, text) = ProgressText.progress(in: lines.text) {
            context.report(progress: part, text)
          }
          return true
        }
        return context.report(
          masked: lines.text,
          on: lines.stream == .standardError ? .standardError : .standardOutput,
          isPartial: lines.isPartial)
      }
    } catch {
      throw FailureReason.notStarted(error.description)
    }
    let status = await withTaskCancellationHandler {
      await context.withKillHandler({ child.kill() }, operation: { await child.end() })
    } onCancel: {
      child.terminate(grace: context.gracePeriod)
    }
    // A step that was told to stop has not done its work, whatever status it leaves with.
    try Task.checkCancellation()
    switch status {
    case .exited(code: 0): return try outputs.outputs()
    case .exited(let code): throw FailureReason.exited(status: Int(code))
    case .signalled(let signal): throw FailureReason.signalled(signal: Int(signal))
    }
  }

  /// What removes secrets from what a step writes; nil where there are none.
  private func filter(_ masker: Masker) -> (@Sendable () -> any OutputFilter)? {
    guard !masker.isEmpty else { return nil }
    return { MaskingFilter(stream: masker.stream()) }
  }

  private func command(for context: StepContext, _ outputs: OutputFile) -> Command {
    let resolved = context.resolved
    let words = context.commandLine
    let identity = [
      ("REPRISE_RUN_ID", context.run.description),
      ("REPRISE_STEP_ID", context.step.id),
      ("REPRISE_GENERATION", String(context.generation)),
      ("REPRISE_ATTEMPT", String(context.attempt)),
    ]
    var variables = inherited
    for (name, value) in resolved.weakEnvironment where environment[name] == nil {
      variables[name] = value
    }
    for name in context.hiddenVariables { variables[name] = nil }
    for (name, value) in resolved.environment { variables[name] = value }
    for (name, value) in identity { variables[name] = value }
    variables["REPRISE_OUTPUT"] = outputs.path
    return Command(
      executable: words[0],
      arguments: Array(words.dropFirst()),
      environment: variables,
      directory: resolved.directories.reduce(directory, resolvedDirectory),
      tag: identity.map(\.0), reportVariable: "REPRISE_PROGRESS")
  }
}

/// Removes secrets from the bytes of one stream.
private struct MaskingFilter: OutputFilter {
  var stream: MaskingStream

  mutating func append(_ bytes: ArraySlice<UInt8>) -> [UInt8] { stream.append(bytes) }

  mutating func finish() -> [UInt8] { stream.finish() }
}
