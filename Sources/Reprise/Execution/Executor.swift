// Where a step runs: the seam between the engine and the world. Knows nothing of graphs, order,
// restarts or displays.

package import Masking
public import WorkflowLanguage

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

/// One attempt of one step, as an executor sees it.
public struct StepContext: Sendable {
  /// The grace period where neither the step nor its workflow names one.
  public static let defaultGracePeriod: Duration = .seconds(10)

  /// The run that the attempt belongs to.
  public let run: RunID
  /// The generation of the run, from 1.
  public let generation: Int
  /// The attempt, from 1.
  public let attempt: Int
  /// The workflow with its settings.
  public let workflow: Workflow
  /// The step to carry out.
  public let step: Workflow.Step

  /// Its values, computed.
  package internal(set) var resolved: ResolvedStep
  /// What is known of the run.
  let values: RunValues
  /// Removes secrets from what leaves the step.
  package let masker: Masker
  /// Variables that it does not inherit: those in which secrets came.
  package let hiddenVariables: Set<String>
  /// Keeps its standard output, where its outputs ask for that.
  let capture: OutputCapture?

  let index: StepIndex
  let results: [StepResult]
  let ledger: RunLedger

  /// What the steps that this one needs have left, by their ids.
  ///
  /// Linear in their number.
  public var inputs: [String: StepOutputs] {
    var inputs: [String: StepOutputs] = [:]
    for (need, result) in zip(workflow.graph.needs(of: index), results) {
      if case .succeeded(let outputs) = result {
        inputs[workflow.steps[need.position].id] = outputs
      }
    }
    return inputs
  }

  /// How long the step may take to end by itself once it is told to stop.
  public var gracePeriod: Duration {
    step.grace ?? workflow.grace ?? Self.defaultGracePeriod
  }

  /// Tells what the step writes; secrets are removed from it.
  ///
  /// Returns at once, from any thread. A step that writes much waits for ``roomForOutput()`` now and then, so that
  /// memory stays bounded when nobody reads as fast as it writes.
  ///
  /// - Parameters:
  ///   - text: Whole lines, joined by line feeds, without one at the end.
  ///   - stream: Which of its streams it wrote to.
  ///   - isPartial: Whether it is the present state of a line that has not ended.
  public func report(
    _ text: String, on stream: OutputChannel = .standardOutput, isPartial: Bool = false
  ) {
    _ = report(
      masked: masker.masked(text), on: stream, isPartial: isPartial)
  }

  /// Tells what the step writes, with all secrets removed from it already.
  ///
  /// - Parameters:
  ///   - text: Whole lines.
  ///   - stream: Which of its streams it wrote to.
  ///   - isPartial: Whether it is the present state of a line that has not ended.
  /// - Returns: Whether more may come at once.
  func report(masked text: String, on stream: OutputChannel, isPartial: Bool) -> Bool {
    if let capture, stream == .standardOutput, !isPartial { capture.append(text) }
    return ledger.decide { page in
      guard page.state.steps[index.position].phase == .running else { return true }
      page.tell(
        .output(stream, text: text, isPartial: isPartial), of: index.position, attempt: attempt)
      return !page.isOutputBacklogged
    }
  }

  private static let progressTextMax = 200

  /// Tells how far the step is.
  ///
  /// Returns at once, from any thread.
  ///
  /// - Parameters:
  ///   - progress: The part that is done; taken to be between 0 and 1. Nothing is told for what is no number.
  ///   - text: What it is doing; 200 characters of it are told.
  public func report(progress: Double, _ text: String = "") {
    guard progress.isFinite else { return }
    // Cut when secrets are gone: a part of one would not be found.
    let text = String(masker.masked(text).prefix(Self.progressTextMax))
    ledger.decide { page in
      guard page.state.steps[index.position].phase == .running else { return }
      page.tell(
        .progress(min(1, max(0, progress)), text),
        of: index.position, attempt: attempt)
    }
  }

  /// Waits until more output may be reported.
  public func roomForOutput() async {
    await ledger.roomForOutput()
  }

  /// Does something during which the step can be told to end without grace.
  ///
  /// - Parameters:
  ///   - onKill: Called at most once, from any thread, when somebody has lost patience; at once if
  ///     that was so before.
  ///   - operation: What to do meanwhile.
  /// - Returns: What the operation returns.
  public func withKillHandler<Result: Sendable>(
    _ onKill: @escaping @Sendable () -> Void, operation: () async -> Result
  ) async -> Result {
    let number = ledger.decide { $0.controls[index.position].register(onKill) }
    if number == nil { onKill() }
    defer {
      if let number { ledger.decide { $0.controls[index.position].unregister(number) } }
    }
    return await operation()
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
