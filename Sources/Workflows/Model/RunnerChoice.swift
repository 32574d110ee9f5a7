// The choice of the runner of a step: its kind and settings.

/// Where a step runs, if not as a plain process on this machine.
public struct RunnerChoice: Sendable, Equatable {
  /// The name under `runners`; the kind, for a runner that is described at the step.
  public var name: String
  /// The kind, such as `sandbox`.
  public var kind: String
  /// The settings of that kind, by name; those that depend on the attempt as for the first one.
  public var settings: [String: Value]
  /// The settings that depend on the number of the attempt.
  package var byAttempt: [String: AttemptSetting] = [:]
  /// The maximum number of its steps that run at once; unlimited if nil.
  public var maxParallel: Int?

  /// Creates a choice.
  ///
  /// - Parameters:
  ///   - name: The name of the runner, for displays.
  ///   - kind: The kind, such as `sandbox`.
  ///   - settings: The settings of that kind, by name.
  ///   - maxParallel: The maximum number of its steps that run at once.
  public init(
    name: String, kind: String, settings: [String: Value] = [:], maxParallel: Int? = nil
  ) {
    self.name = name
    self.kind = kind
    self.settings = settings
    self.maxParallel = maxParallel
  }

  /// Returns the choice with the settings for an attempt.
  ///
  /// - Parameter attempt: Its number, from 1.
  /// - Returns: The choice.
  /// - Throws: ``EvaluationError`` for a setting that has no value.
  package func settled(for attempt: Int) throws(EvaluationError) -> RunnerChoice {
    guard !byAttempt.isEmpty else { return self }
    var choice = self
    for (name, setting) in byAttempt { choice.settings[name] = try setting.value(for: attempt) }
    return choice
  }

  /// The name with the kind, if they differ, for messages.
  public var title: String { name == kind ? name : "\(name) (\(kind))" }

  /// The settings, for decoding.
  package var arguments: [String: ArgumentValue] { settings.mapValues(ArgumentValue.init) }
}

extension Workflow {
  /// The runners that the workflow names or that its steps use, each once, in the order of names.
  ///
  /// Linear in the number of steps.
  public var runners: [RunnerChoice] {
    var found: [String: [RunnerChoice]] = [:]
    let all =
      scopes.flatMap(\.runners.values)
      + stepsWithTemplates.compactMap { $0.step.extrasIfAny?.runner }
    for runner in all where found[runner.name]?.contains(runner) != true {
      found[runner.name, default: []].append(runner)
    }
    return found.sorted { $0.key < $1.key }.flatMap(\.value)
  }
}
