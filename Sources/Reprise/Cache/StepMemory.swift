// What is remembered of a step that has succeeded, to tell whether it is up to date. Knows neither files
// nor where it is kept.

/// Remembers what steps were when they last succeeded.
///
/// Called from many threads, which it may block for a moment.
public protocol StepMemory: Sendable {
  /// What is remembered of a step.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: What it was; nil when nothing is remembered, or when it cannot be read.
  func recall(_ step: String) -> StepTrace?
  /// Forgets a step: it is about to run, and what it leaves is not to be relied on until it succeeds.
  ///
  /// - Parameter step: The id of the step.
  /// - Throws: An error when it could not: the step then must not run.
  func forget(_ step: String) throws
  /// Remembers a step that has succeeded.
  ///
  /// - Parameters:
  ///   - trace: What it was.
  ///   - step: The id of the step.
  /// - Throws: An error when it could not: the step will run again, that is all.
  func remember(_ trace: StepTrace, of step: String) throws
}

/// What a step was when it succeeded: hashes of all that it depends on and of what it made.
public struct StepTrace: Sendable, Equatable, Codable {
  /// A hash of its script or arguments, its shell and its directory.
  public var action: String
  /// Hashes of the variables that the file gives it, by name.
  public var environment: [String: String]
  /// A hash of its key.
  public var key: String
  /// Hashes of the files that it reads, by path.
  public var inputs: [String: String]
  /// Hashes of the files that it made, by path.
  public var files: [String: String]
  /// The outputs that it left for later steps.
  public var outputs: StepOutputs

  /// Why a step that was so then is not up to date now.
  ///
  /// - Parameter now: What it is now, with the files that are there.
  /// - Returns: The reasons, as sentences without full stops; none when it is up to date.
  public func differences(to now: StepTrace) -> [String] {
    var reasons: [String] = []
    if action != now.action {
      reasons.append("its script, arguments, shell or directory have changed")
    }
    reasons += Self.changes("the variable", environment, now.environment)
    if key != now.key { reasons.append("its key has changed") }
    reasons += Self.changes("the input", inputs, now.inputs)
    reasons += Self.changes("the output", files, now.files)
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
