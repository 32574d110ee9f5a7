// The protocol between the engine and the environment in which steps run.

public import Workflows

/// A type that runs the steps of a workflow.
///
/// The engine decides what runs and when; an executor only runs one attempt of one step when the
/// engine calls it. ``LocalExecutor`` starts processes on this machine.
public protocol Executor: Sendable {
  /// Runs one attempt of one step.
  ///
  /// Called from many tasks at once. When the surrounding task is cancelled, the executor must stop
  /// the step gracefully, within `context.gracePeriod`. It must not return while anything of the
  /// attempt is left, because later steps and restarts rely on that.
  ///
  /// - Parameter context: The step, its values, and the means to report.
  /// - Returns: The outputs for dependent steps.
  /// - Throws: A ``FailureReason`` if the step failed; `CancellationError` if it was stopped; any
  ///   other error counts as a failure, with its text as the reason.
  func execute(_ context: StepContext) async throws -> StepOutputs

  /// The task executor for steps that start programs, or nil (the default) for the shared pool.
  ///
  /// For executors whose ``execute(_:)`` never blocks. Steps in Swift code, and steps whose values
  /// or caches read files, always run in the shared pool.
  var taskExecutor: (any TaskExecutor)? { get }

  /// Whether the executor reports the starts of attempts and enforces their time limits itself,
  /// because they may wait for long where they run; false by default.
  var reportsStart: Bool { get }

  /// Returns whether the executor also executes a step in Swift code: a closure, or a call.
  ///
  /// If so, ``execute(_:)`` gets its attempts, and may run the code with
  /// ``StepContext/performSwiftCode()``.
  ///
  /// - Parameter step: The step.
  /// - Returns: Whether its attempts are passed to the executor; false by default.
  func executesSwiftCode(of step: Workflow.Step) -> Bool

  /// The environment variables that every step inherits; none by default.
  var environment: [String: String] { get }

  /// Returns a hash over the names and contents of files where steps run.
  ///
  /// - Parameter patterns: Patterns of paths, relative to where steps run.
  /// - Returns: The hash, or the empty string if no file matches.
  /// - Throws: An error whose text says why there is no hash. The default implementation always
  ///   throws, because it has no files.
  func hash(ofFiles patterns: [String]) throws -> String

  /// Returns the paths of files where steps run, in byte order.
  ///
  /// - Parameter patterns: Patterns of paths, relative to where steps run.
  /// - Returns: The paths, relative to where steps run.
  /// - Throws: An error whose text says why there are no paths. The default implementation always
  ///   throws, because it has no files.
  func files(matching patterns: [String]) throws -> [String]

  /// Returns hashes of the contents of files where a step runs.
  ///
  /// - Parameters:
  ///   - patterns: Patterns of paths, relative to the last of the directories.
  ///   - directories: Where the step runs: each directory is relative to the previous one.
  /// - Returns: The hashes by path.
  /// - Throws: The same errors as ``hash(ofFiles:)``.
  func hashes(ofFiles patterns: [String], in directories: [String]) throws -> [String: String]

  /// Returns hashes of the contents of the files that a dependency file lists.
  ///
  /// - Parameters:
  ///   - path: The path of the dependency file, relative to the last of the directories.
  ///   - directories: Where the step runs: each directory is relative to the previous one.
  /// - Returns: The hashes by path; nil if there is no such dependency file.
  /// - Throws: An error if a file cannot be read.
  func hashes(ofFilesListedIn path: String, in directories: [String]) throws -> [String: String]?
}

extension Executor {
  /// Nil: the shared pool.
  public var taskExecutor: (any TaskExecutor)? { nil }

  /// False.
  public var reportsStart: Bool { false }

  /// Returns false.
  public func executesSwiftCode(of step: Workflow.Step) -> Bool { false }

  /// An empty dictionary.
  public var environment: [String: String] { [:] }

  /// Throws an error: there are no files.
  public func hash(ofFiles patterns: [String]) throws -> String {
    throw FailureReason.notStarted("the executor of this step has no files to hash")
  }

  /// Throws an error: there are no files.
  public func files(matching patterns: [String]) throws -> [String] {
    throw FailureReason.notStarted("the executor of this step has no files to list")
  }

  /// Returns an empty dictionary if there are no patterns; otherwise throws: there are no files.
  public func hashes(
    ofFiles patterns: [String], in directories: [String]
  ) throws -> [String: String] {
    if !patterns.isEmpty { _ = try hash(ofFiles: patterns) }
    return [:]
  }

  /// Returns nil: there is no such file.
  public func hashes(
    ofFilesListedIn path: String, in directories: [String]
  ) throws -> [String: String]? { nil }
}

/// The result of a step, as dependent steps see it.
enum StepResult: Sendable, Equatable {
  case succeeded(StepOutputs)
  /// The step was skipped alone: those that need it run as after a success, but if one of several
  /// must succeed, this one is not enough while others can.
  case passed(StepOutputs)
  /// The step did not succeed, because the step with this id failed first: itself, or one of those
  /// that it needs.
  case failed(String)
  /// The step did not succeed, because the step with this id was cancelled first, although the run
  /// continues: itself, or one of those that it needs.
  case cancelled(String)
  /// The step was skipped together with those that need it, because this one was skipped first:
  /// itself, or one of those that it needs.
  case skipped(String)
  /// The step was stopped with the run or for a restart; no step uses its result.
  case stopped

  /// The outputs for steps that need the step; nil if these do not run.
  var outputs: StepOutputs? {
    switch self {
    case .succeeded(let outputs), .passed(let outputs): outputs
    case .failed, .cancelled, .skipped, .stopped: nil
    }
  }
}
