// Where a step runs: the seam between the engine and the world. Knows nothing of graphs, order,
// restarts or displays.

import WorkflowLanguage

/// Something that can carry out the steps of a workflow.
///
/// The engine decides what runs when; an executor only carries out one attempt of one step when it
/// is told. ``LocalExecutor`` starts processes on this machine.
public protocol Executor: Sendable {
  /// Carries out one attempt of one step.
  ///
  /// Called from many tasks at once. When the surrounding task is cancelled, the step is to be
  /// stopped gently, within `context.gracePeriod`; the call must not return before nothing of the
  /// attempt is left, because what comes next relies on it.
  ///
  /// - Parameter context: The step, what it was given, and a way to report.
  /// - Returns: What the step leaves for those that need it.
  /// - Throws: A ``FailureReason`` when the step failed; `CancellationError` when it was stopped;
  ///   any other error counts as a failure and is described by its text.
  func execute(_ context: StepContext) async throws -> StepOutputs

  /// The executor on which the tasks of steps run that start programs: the shared pool when nil, as it is
  /// unless the executor says so.
  ///
  /// For executors whose ``execute(_:)`` never blocks. Steps of Swift code, and those whose values or
  /// caches read files, run in the shared pool in any case.
  var taskExecutor: (any TaskExecutor)? { get }

  /// The environment variables that every step inherits: none unless the executor says so.
  var environment: [String: String] { get }

  /// A hash over the names and contents of files where steps run.
  ///
  /// - Parameter patterns: Patterns of paths, relative to where steps run.
  /// - Returns: The hash, or the empty text when no file matches.
  /// - Throws: An error whose text says why it cannot be had; that there are no files, unless the executor
  ///   says otherwise.
  func hash(ofFiles patterns: [String]) throws -> String

  /// Hashes of the contents of files where a step runs.
  ///
  /// - Parameters:
  ///   - patterns: Patterns of paths, relative to the last of the directories.
  ///   - directories: Where the step runs: each relative to the one before.
  /// - Returns: The hashes by path.
  /// - Throws: As ``hash(ofFiles:)``.
  func hashes(ofFiles patterns: [String], in directories: [String]) throws -> [String: String]
}

extension Executor {
  /// The shared pool.
  public var taskExecutor: (any TaskExecutor)? { nil }

  /// No variables.
  public var environment: [String: String] { [:] }

  /// There are no files.
  public func hash(ofFiles patterns: [String]) throws -> String {
    throw FailureReason.notStarted("where its steps run there are no files to be hashed")
  }

  /// There are no files.
  public func hashes(
    ofFiles patterns: [String], in directories: [String]
  ) throws -> [String: String] {
    if !patterns.isEmpty { _ = try hash(ofFiles: patterns) }
    return [:]
  }
}

/// What a step came to, as the steps that need it see it.
enum StepResult: Sendable, Equatable {
  case succeeded(StepOutputs)
  /// It did not succeed; the step named is the one that failed first on the way to it.
  case failed(StepIndex)
  /// It was stopped by a request: nobody looks at this any more.
  case stopped
}
