// `Intervention`: what one can ask of a live run, and its answers.

/// A request to a live run.
///
/// Steps are given by selectors: the id of a step, of a step that was expanded to several, a
/// pattern with `*` and `?`, `:failed`, `:cancelled` or `:running`.
public enum Intervention: Sendable, Equatable {
  /// Restart these steps and their dependents; the whole run if there are none.
  case restart(from: [String] = [])
  /// Start these services again, while what uses them goes on.
  ///
  /// The attempt in progress is stopped with its grace period, and the next one starts at once; a delay
  /// of `restart` ends. The limit of `restart` begins anew.
  case restartServices([String])
  /// Cancel these steps, while the run continues; the whole run if there are none.
  ///
  /// Without a grace period if `now` is true, or if the step is already being cancelled.
  case cancel(steps: [String] = [], now: Bool = false)
  /// Approve or reject a step that is waiting for approval; nil if only one is waiting.
  ///
  /// The values are those that the approval asks for, as text.
  case approve(step: String? = nil, isApproved: Bool = true, values: [String: String] = [:])
  /// Set the results of these steps by hand; what depends on them runs.
  ///
  /// A step in progress is stopped first. From steps that have failed or were cancelled, the run
  /// is restarted, without running these steps themselves. A pending step keeps the result when
  /// its turn comes.
  case set(steps: [String], HandmadeResult)
  /// Start nothing new until the run is unpaused, restarted or not; steps in progress go on.
  case pause
  /// Start steps again.
  case unpause
}

/// A result of a step that is set by hand.
public enum HandmadeResult: Sendable, Equatable {
  /// The step counts as succeeded, with these outputs.
  case succeeded(StepOutputs)
  /// The step counts as skipped.
  case skipped

  var event: Event.StepEvent {
    switch self {
    case .succeeded(let outputs): .succeeded(outputs)
    case .skipped: .skipped(.request, [:])
    }
  }

  /// Creates the result with a word: `success` (or `succeeded`, as in earlier versions) or `skipped`;
  /// nil for others.
  package init?(word: String, outputs: StepOutputs = [:]) {
    switch word {
    case "succeeded", "success": self = .succeeded(outputs)
    case "skipped": self = .skipped
    default: return nil
    }
  }

  /// The word for a step with this result.
  package var word: String {
    switch self {
    case .succeeded: "success"
    case .skipped: "skipped"
    }
  }
}

/// The answer to an intervention that was accepted.
public struct InterventionAnswer: Sendable, Equatable, CustomStringConvertible {
  /// What the run does now, as a sentence without a period.
  public var description: String
  /// The generation that begins; nil if none does.
  public var generation: Int?
  /// The ids of the steps concerned; nil for the whole run.
  public var steps: [String]?

  /// Creates an answer.
  ///
  /// - Parameters:
  ///   - description: What the run does now.
  ///   - generation: The generation that begins, if any.
  ///   - steps: The ids of the steps concerned; nil for the whole run.
  public init(_ description: String, generation: Int? = nil, steps: [String]? = nil) {
    self.description = description
    self.generation = generation
    self.steps = steps
  }
}

/// The reason why an intervention was refused.
public struct InterventionRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, as a clause without a period.
  public let description: String

  /// Creates a refusal.
  ///
  /// - Parameter description: The reason.
  public init(_ description: String) {
    self.description = description
  }
}

extension InterventionRefusal {
  static let runEnded = InterventionRefusal("the run has ended")
  static let cancelling = InterventionRefusal(
    "the run is being cancelled; when it has ended, it can be resumed")

  static func refused(_ text: String) -> Self { Self(text) }
}

extension InterventionAnswer {
  /// The answer to a restart; `steps` is nil if the generation has already begun.
  static func restarted(_ run: RunID, generation: Int, steps: [String]?) -> Self {
    let again = steps.map { ": \(counted($0.count)) \($0.count == 1 ? "runs" : "run") again" } ?? ""
    let verb = steps == nil ? "has begun" : "begins"
    return Self(
      "generation \(generation) of run \(run) \(verb)\(again)", generation: generation,
      steps: steps)
  }

  static func restarted(services: [String]) -> Self {
    let (verb, object) = services.count == 1 ? ("starts", "it") : ("start", "them")
    return Self(
      "\(stepNames(services)): \(verb) again; what uses \(object) goes on", steps: services)
  }

  static func cancelled(_ run: RunID) -> Self { Self("run \(run) is being cancelled") }

  static func killed(_ run: RunID) -> Self {
    Self("run \(run) is being cancelled without a grace period")
  }

  static func cancelled(_ steps: [String]) -> Self {
    Self("\(stepNames(steps)): being cancelled; the run continues", steps: steps)
  }

  static func set(_ steps: [String], _ result: HandmadeResult, generation: Int?) -> Self {
    let verb = steps.count == 1 ? "counts" : "count"
    let what = "\(stepNames(steps)) \(verb) as \(result == .skipped ? "skipped" : "succeeded")"
    return Self(
      generation.map { what + "; generation \($0) begins with the steps that depend on it" }
        ?? what,
      generation: generation, steps: steps)
  }

  static func paused(_ run: RunID, _ isPaused: Bool, wasPaused: Bool) -> Self {
    switch (isPaused, wasPaused) {
    case (true, false): Self("run \(run) is paused: nothing new starts until it is unpaused")
    case (true, true): Self("run \(run) is already paused")
    case (false, true): Self("run \(run) continues")
    case (false, false): Self("run \(run) is not paused")
    }
  }

  private static func counted(_ count: Int) -> String { "\(count) step\(count == 1 ? "" : "s")" }
}

/// Returns the names of some steps for a message: `step "a"`, or `steps "a", "b" and 3 more`.
func stepNames(_ ids: [String]) -> String {
  let names = ids.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
  let rest = ids.count > 5 ? " and \(ids.count - 5) more" : ""
  return "\(ids.count == 1 ? "step" : "steps") \(names)\(rest)"
}
