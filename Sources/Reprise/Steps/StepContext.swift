// The context of one attempt of one step.

package import Masking
public import Workflows

/// The context of one attempt of one step: its values, and the means to report.
public struct StepContext: Sendable {
  /// The grace period if neither the step nor its workflow sets one.
  public static let defaultGracePeriod: Duration = .seconds(10)

  /// The run that the attempt belongs to.
  public let run: RunID
  /// The generation of the run, from 1.
  public let generation: Int
  /// The attempt, from 1.
  public let attempt: Int
  /// The steps of the run, when the step was connected.
  let plan: Plan
  /// The step to run.
  public let step: Workflow.Step

  /// The step's settings with all expressions evaluated.
  package internal(set) var resolved: ResolvedStep
  /// The values of the run that expressions and secrets are looked up in.
  let values: RunValues
  /// Masks secrets in everything that the step reports and outputs.
  package let masker: Masker
  /// The secrets that ``masker`` masks.
  let secretTexts: [String]
  /// Environment variables that contained secrets, which the step does not inherit.
  package let hiddenVariables: Set<String>
  /// The attempt to go on with, which has survived the engine that began it; nil for a new one.
  var adopted: AttemptToken?
  /// Why ``resolved`` has no values, so that such an attempt cannot be begun again; nil if it has.
  var whyUnresolved: FailureReason?
  /// Whether the attempt goes on that an earlier engine has begun.
  package var isAdopted: Bool { adopted != nil }
  /// The lock files of the places in its pool.
  var poolLocks: [String] = []
  /// What watches the files that its processes use; nil for nothing.
  var watch: AttemptWatch?
  /// The terminal for a step that owns it; nil if this process lends none.
  var terminal: (any StepTerminal)?
  /// Captures the standard output, if the step's outputs are computed from it.
  let capture: OutputCapture?
  /// Captures all output of a step whose result may be restored later.
  var log: OutputCapture?

  /// Whether both output streams of its program are read as one, in which their lines keep their
  /// order: unless its outputs are computed from its standard output, or it asks for separate streams.
  var mergesStreams: Bool { capture == nil && step.extrasIfAny?.separatesStreams != true }

  let index: StepIndex
  /// The results of its needs.
  let results: [StepResult]
  let reporter: any StepReporter
  /// The clock of the engine.
  ///
  /// A step in Swift code that waits for a time should sleep on it: in a test with a clock that
  /// advances on its own, the wait takes no time.
  public let clock: any RunClock
  /// The engine of the run; nil for a context without a run.
  var engine: (any ChildEngine)?
  /// The closure or called action of the step, for an executor that executes such steps.
  var swiftCode: ActionRegistry.Body?

  /// The workflow of the run.
  public var workflow: Workflow { plan.workflow }

  /// The outputs of the steps that this step needs, by step id; under `finally`, those of all other steps.
  ///
  /// Linear in their number.
  public var inputs: [String: StepOutputs] {
    var inputs: [String: StepOutputs] = [:]
    for (need, result) in zip(plan.graph.needs(of: index), results) {
      inputs[plan[need].id] = result.outputs
    }
    guard step.extrasIfAny?.finally != nil else { return inputs }
    for other in plan.order where readsLate(other) {
      inputs[plan[other].id] = outputsSoFar(of: other)
    }
    return inputs
  }

  /// Whether this step comes after all others, and so reads the outputs of another one without a need.
  func readsLate(_ other: StepIndex) -> Bool {
    step.extrasIfAny?.finally != nil && plan[other].extrasIfAny?.finally == nil
  }

  /// Returns the outputs of a step that has succeeded by now; nil for others.
  func outputsSoFar(of other: StepIndex) -> StepOutputs? {
    guard let result = values.step(plan[other].id), result.hasSucceeded else { return nil }
    return result.outputs
  }

  /// The folder of the run for the files of its steps: `run.dir` in expressions.
  ///
  /// Nil if the engine keeps none (``Engine/runFolders``), or if it could not be created.
  public var runDirectory: String? { values.directoryProblem == nil ? values.directory : nil }

  /// The time from the request to stop until the step is killed.
  public var gracePeriod: Duration {
    step.grace ?? workflow.grace ?? Self.defaultGracePeriod
  }

  /// Reports output of the step, with secrets masked.
  ///
  /// Returns immediately; safe to call from any thread. A step that writes a lot should call
  /// ``roomForOutput()`` regularly, so that memory stays bounded when readers are slower than the
  /// step.
  ///
  /// - Parameters:
  ///   - text: Whole lines, joined by line feeds, without one at the end.
  ///   - stream: The stream that the step wrote to.
  ///   - isPartial: Whether the text is the current state of an unfinished line.
  public func report(
    _ text: String, on stream: OutputChannel = .standardOutput, isPartial: Bool = false
  ) {
    _ = report(
      masked: masker.masked(text), on: stream, isPartial: isPartial)
  }

  /// Reports output in which all secrets are already masked.
  ///
  /// - Parameters:
  ///   - text: Whole lines.
  ///   - stream: The stream that the step wrote to.
  ///   - isPartial: Whether the text is the current state of an unfinished line.
  /// - Returns: Whether more output may follow immediately.
  func report(masked text: String, on stream: OutputChannel, isPartial: Bool) -> Bool {
    if let capture, stream == .standardOutput, !isPartial { capture.append(text) }
    if let log, !isPartial { log.append(text) }
    return reporter.report(.output(stream, text: text, isPartial: isPartial))
  }

  /// Reports what an executor was told about the attempt; its secrets are masked.
  ///
  /// The end of the attempt is not reported: the executor returns it.
  ///
  /// - Parameter news: What it was told.
  /// - Returns: Whether more output may follow immediately.
  @discardableResult
  func report(_ news: AttemptNews) -> Bool {
    switch news {
    case .output(let stream, let text, let isPartial):
      return report(masked: text, on: stream, isPartial: isPartial)
    case .leftBehind(let commandLine):
      return reporter.report(.leftBehind(commandLine))
    case .used(let use):
      return reporter.report(.used(use))
    case .progress(let part, let text):
      report(progress: part, text)
    case .ready:
      reportReady()
    case .written(let outputs):
      report(written: outputs)
    case .started(let host):
      reporter.report(.started(on: host))
    case .outOfSight(let text):
      reporter.report(.outOfSight(masker.masked(text)))
    case .queued, .ended:
      break
    }
    return true
  }

  /// Reports the outputs that a program had written when it failed or was stopped.
  ///
  /// An output whose name contains a secret is omitted, because names are not masked.
  ///
  /// - Parameter outputs: The outputs.
  func report(written outputs: StepOutputs) {
    let outputs = outputs.filter { masker.masked($0.key) == $0.key }.mapValues(masker.masked)
    if !outputs.isEmpty { _ = reporter.report(.wrote(outputs)) }
  }

  private static let progressTextMax = 200

  /// Reports the progress of the step.
  ///
  /// Returns immediately; safe to call from any thread.
  ///
  /// - Parameters:
  ///   - progress: The fraction that is done, clamped to 0...1. Nothing is reported for a value
  ///     that is not finite.
  ///   - text: A description of the current activity; only the first 200 characters are reported.
  public func report(progress: Double, _ text: String = "") {
    guard progress.isFinite else { return }
    // Mask before truncating: part of a secret would not be recognized.
    let text = String(masker.masked(text).prefix(Self.progressTextMax))
    reporter.report(.progress(min(1, max(0, progress)), text))
  }

  /// Reports that the step is ready to be used while it goes on, so that steps that need it so may
  /// start.
  ///
  /// A service is used as soon as it reports this. Returns immediately; safe to call from any
  /// thread. Later calls in the same attempt have no effect.
  ///
  /// - Parameter outputs: The outputs that these steps can use already.
  public func reportReady(outputs: StepOutputs = [:]) {
    reporter.report(.ready(outputs.mapValues(masker.masked)))
  }

  /// Waits until more output may be reported.
  public func roomForOutput() async {
    await reporter.roomForOutput()
  }

  /// Runs an operation with a handler that is called when the step is killed.
  ///
  /// - Parameters:
  ///   - onKill: Called at most once, on any thread, when the run is killed; immediately if the
  ///     step was killed before.
  ///   - operation: The operation.
  /// - Returns: The result of the operation.
  /// - Throws: The error of the operation.
  public func withKillHandler<Result: Sendable, Failure: Error>(
    _ onKill: @escaping @Sendable () -> Void, operation: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let number = reporter.register(onKill)
    if number == nil { onKill() }
    defer { if let number { reporter.unregister(number) } }
    return try await operation()
  }
}

extension StepContext: CustomStringConvertible {
  /// The run, step and attempt, without the environment, which is large and may contain secrets.
  public var description: String {
    "step \(step.id), attempt \(attempt), of run \(run), generation \(generation)"
  }
}
