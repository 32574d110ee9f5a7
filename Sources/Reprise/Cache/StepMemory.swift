// The record of a step's last success, which decides whether the step is up to date.

/// Storage for the traces of steps that succeeded.
///
/// Called from many threads, which it may block briefly.
public protocol StepMemory: Sendable {
  /// Returns the trace of a step's last success.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The trace; nil if there is none, or if it cannot be read.
  func recall(_ step: String) -> StepTrace?
  /// Stores the trace of a step: before it runs, that its last success does not count any more, and when it
  /// has succeeded.
  ///
  /// - Parameters:
  ///   - trace: The trace.
  ///   - step: The id of the step.
  /// - Throws: An error if the trace could not be stored. A step that is about to run fails then; one that
  ///   has succeeded will run again.
  func remember(_ trace: StepTrace, of step: String) throws
  /// Returns the traces of all steps of the workflow.
  ///
  /// - Returns: The traces by the ids of the steps; empty by default, which makes steps with
  ///   `cache: auto` run more often than they must.
  func recallAll() -> [String: StepTrace]
}

/// A memory that knows the other runs and workflows of its project.
package protocol ProjectMemory: StepMemory {
  /// Returns whether a run is going on.
  func isLive(_ run: RunID) -> Bool
  /// Returns the traces of the steps of other workflows.
  func recallOthers() -> [StepTrace]
}

extension StepMemory {
  /// An empty dictionary.
  public func recallAll() -> [String: StepTrace] { [:] }
}

/// The state of a step when it succeeded: hashes of its dependencies and of the files that it made.
public struct StepTrace: Sendable, Equatable, Codable {
  /// A hash of the step's script or arguments, its shell and its directory.
  package var action: String
  /// Hashes of the environment variables that the workflow file sets, by name.
  package var environment: [String: String]
  /// A hash of the cache key.
  package var key: String
  /// Hashes of the input files, by path.
  package var inputs: [String: String]
  /// Hashes of the input files that the step has listed in its `depfile`, by path; nil if it has
  /// none.
  package var listed: [String: String]?
  /// Hashes of the output files, by path.
  package var files: [String: String]
  /// The outputs for later steps.
  package var outputs: StepOutputs
  /// The time at which the step had succeeded; nil in entries of earlier versions.
  package var time: Timestamp?
  /// The run that made it; nil in entries of earlier versions.
  package var run: RunID?
  /// What a step with `cache: auto` has used and made; nil for others.
  var learnt: LearntFiles?
  /// The files that it has made or that match `cache.makes`, relative to the project, and that were there
  /// before without being its own; nil in entries of earlier versions, of which nothing is known.
  var found: Set<String>?
  /// The run whose attempt has begun since and has not succeeded: only what the step has made before is still
  /// of use.
  var unfinishedIn: RunID?
  /// The contents of the files that attempts have left that have not succeeded, by path in the project; nil if
  /// that is not known.
  var left: [String: String]?
  /// What was left before the attempt that is unfinished; nil if that was not known.
  var leftBefore: [String: String]?
  /// The reason why nothing was learnt of such a step, a clause.
  var nothingLearnt: String?

  /// Returns the reasons why a step with this trace is not up to date.
  ///
  /// - Parameters:
  ///   - now: The current trace, with hashes of the current files, and the current time.
  ///   - maxAge: The maximum age of the result; unlimited if nil.
  /// - Returns: The reasons, as sentences without a period; empty if the step is up to date.
  package func differences(to now: StepTrace, maxAge: Duration? = nil) -> [String] {
    differences(to: now, maxAge: maxAge) { _ in false }
  }

  /// Returns the reasons; `isMade` says whether another step makes a file.
  func differences(
    to now: StepTrace, maxAge: Duration? = nil, isMade: (String) -> Bool
  ) -> [String] {
    if unfinishedIn != nil { return ["its last attempt has not succeeded"] }
    if let nothingLearnt {
      return ["of its last success, nothing was remembered: \(nothingLearnt)"]
    }
    var reasons = inputDifferences(to: now, maxAge: maxAge, isMade: isMade)
    reasons += Self.changes("the output", files, now.files)
    if let learnt, let now = now.learnt { reasons += learnt.outputDifferences(to: now) }
    return reasons
  }

  /// Returns the reasons why what the step depends on is not as it was.
  func inputDifferences(
    to now: StepTrace, maxAge: Duration? = nil, isMade: (String) -> Bool
  ) -> [String] {
    var reasons: [String] = []
    if let maxAge {
      let age = time.flatMap { then in now.time.map { $0 - then } }
      if age.map({ $0 > maxAge }) ?? true {
        reasons.append("its result is older than \(durationText(maxAge))")
      }
    }
    if action != now.action {
      reasons.append("its script, arguments, shell or directory have changed")
    }
    reasons += Self.changes("the variable", environment, now.environment)
    if key != now.key { reasons.append("its key has changed") }
    reasons += Self.changes("the input", inputs, now.inputs)
    reasons += Self.changes("the input", listed ?? [:], now.listed ?? [:])
    switch (learnt, now.learnt) {
    case (let then?, let now?): reasons += then.inputDifferences(to: now, isMade: isMade)
    case (nil, nil): break
    default: reasons.append("its \"cache\" has changed")
    }
    return reasons
  }

  private static func changes(
    _ what: String, _ then: [String: String], _ now: [String: String]
  ) -> [String] {
    Set(then.keys).union(now.keys).sorted().compactMap { name in
      switch (then[name], now[name]) {
      case (let old?, let new?): old == new ? nil : "\(what) \"\(name)\" has changed"
      case (nil, _): "\(what) \"\(name)\" is new"
      case (_, nil): "\(what) \"\(name)\" is gone"
      }
    }
  }
}
