// One attempt of one step: what it was given, and how it reports.

package import Masking
public import WorkflowLanguage

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
  let reporter: any StepReporter

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
    return reporter.report(.output(stream, text: text, isPartial: isPartial))
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
    reporter.report(.progress(min(1, max(0, progress)), text))
  }

  /// Waits until more output may be reported.
  public func roomForOutput() async {
    await reporter.roomForOutput()
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
    let number = reporter.register(onKill)
    if number == nil { onKill() }
    defer { if let number { reporter.unregister(number) } }
    return await operation()
  }
}

extension StepContext: CustomStringConvertible {
  /// Which attempt it is; nothing of its environment, which is much and may be secret.
  public var description: String {
    "step \(step.id), attempt \(attempt), of run \(run), generation \(generation)"
  }
}
