// The settings of a workflow declared in Swift, one per key of the workflow file.

import WorkflowReading

/// A setting of a workflow, such as `.timeout(.seconds(60))` or `.parameter(…)`.
///
/// Each setting corresponds to a key of the workflow file and has the same meaning.
public struct WorkflowSetting: Sendable, Equatable {
  let key: String
  /// The name of the entry under `key`, for example of a parameter; nil if the key has one value.
  let name: String?
  let value: Value

  /// The other settings of ``all(_:)``.
  var others: [WorkflowSetting] = []

  /// These settings, one by one.
  var each: [WorkflowSetting] {
    var first = self
    first.others = []
    return (key.isEmpty ? [] : [first]) + others.flatMap(\.each)
  }

  /// Several settings as one, for functions that pass settings on.
  public static func all(_ settings: [WorkflowSetting]) -> WorkflowSetting {
    var all = WorkflowSetting("", .null)
    all.others = settings
    return all
  }

  private init(_ key: String, name: String? = nil, _ value: Value) {
    self.key = key
    self.name = name
    self.value = value
  }

  /// The description of the workflow.
  public static func description(_ text: String) -> WorkflowSetting {
    WorkflowSetting("description", .text(text))
  }

  /// The condition for the run: an expression such as `params.target == 'production'`.
  public static func `if`(_ condition: StaticString) -> WorkflowSetting {
    WorkflowSetting("if", .text(condition.description))
  }

  /// The condition for the run: a script that exits with status 0 for true, 1 for false.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - timeout: The maximum duration, after which the run is abandoned; 30 seconds if nil.
  /// - Returns: The setting.
  public static func `if`(run script: StaticString, timeout: Duration? = nil) -> WorkflowSetting {
    WorkflowSetting("if", ConditionCommand.value(script, timeout))
  }

  /// A parameter that a run accepts.
  public static func parameter(
    _ name: String, _ kind: Parameter.Kind = .string, default standard: TemplateValue? = nil,
    description: String? = nil, limits: Parameter.Limits = Parameter.Limits()
  ) -> WorkflowSetting {
    var fields = Parameter(name: name, kind: kind, description: description, limits: limits)
      .declaration
    fields["default"] = standard?.value
    return WorkflowSetting("params", name: name, .map(fields))
  }

  /// A secret: a value that is never displayed or stored.
  public static func secret(_ name: String, from source: SecretSource) -> WorkflowSetting {
    WorkflowSetting("secrets", name: name, Tables.secret.write(Tables.SecretKeys(source)) ?? .null)
  }

  /// Environment variables for every step.
  public static func environment(_ variables: [String: TemplateValue]) -> WorkflowSetting {
    WorkflowSetting("env", .map(variables.mapValues(\.value)))
  }

  /// Files with environment variables.
  ///
  /// Optional files may be missing; they override the required ones.
  public static func dotenv(_ paths: String..., optional: [String] = []) -> WorkflowSetting {
    let others = optional.map { Value.map(["path": .text($0), "required": .boolean(false)]) }
    return WorkflowSetting("dotenv", .list(paths.map(Value.text) + others))
  }

  /// The working directory of the steps.
  public static func directory(_ path: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("dir", path.value)
  }

  /// The name or path of the shell that runs scripts.
  public static func shell(_ name: String) -> WorkflowSetting {
    WorkflowSetting("shell", .text(name))
  }

  /// The program that runs scripts, followed by the arguments that precede the script.
  public static func shell(_ words: [String]) -> WorkflowSetting {
    WorkflowSetting("shell", .list(words.map(Value.text)))
  }

  /// The maximum duration of one generation of a run.
  public static func timeout(_ duration: Duration) -> WorkflowSetting {
    WorkflowSetting("timeout", .text(duration.workflowText))
  }

  /// A number without a unit is refused by the compiler.
  @available(*, unavailable, message: "give the unit: .timeout(.seconds(5))")
  public static func timeout(_ number: Double) -> WorkflowSetting { fatalError("unavailable") }

  /// The maximum duration of one generation of a run, as an expression: `"${{ params.limit }}"`.
  public static func timeout(computed duration: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("timeout", duration.value)
  }

  /// The time between asking a step to stop and killing it.
  public static func grace(_ duration: Duration) -> WorkflowSetting {
    WorkflowSetting("grace", .text(duration.workflowText))
  }

  /// A number without a unit is refused by the compiler.
  @available(*, unavailable, message: "give the unit: .grace(.seconds(5))")
  public static func grace(_ number: Double) -> WorkflowSetting { fatalError("unavailable") }

  /// The time between asking a step to stop and killing it, as an expression.
  public static func grace(computed duration: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("grace", duration.value)
  }

  /// The maximum number of steps that run at the same time.
  public static func maxParallel(_ count: Int) -> WorkflowSetting {
    WorkflowSetting("max-parallel", .number(Double(count)))
  }

  /// The maximum number of steps that run at the same time, as an expression.
  public static func maxParallel(computed count: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("max-parallel", count.value)
  }

  /// The kind of crash that the record of a successful step survives.
  public static func durability(_ durability: Durability) -> WorkflowSetting {
    WorkflowSetting("durability", .text(durability.rawValue))
  }

  /// The ended runs that are kept, and the output that is kept of an attempt.
  ///
  /// Applies to runs that the commands `reprise run` and `reprise watch` record.
  public static func keep(_ retention: Retention) -> WorkflowSetting {
    WorkflowSetting("keep", Tables.keep.write(retention) ?? .null)
  }

  /// The place where results of steps are shared with other machines.
  public static func store(_ rule: SharedStoreRule) -> WorkflowSetting {
    WorkflowSetting("store", Tables.store.write(rule) ?? .null)
  }

  /// A script that runs after the end of a run.
  ///
  /// Applies to runs of the command `reprise`. An `Engine` does not run it. The script is a static
  /// string, so that data cannot become code.
  public static func onEnd(run script: StaticString) -> WorkflowSetting {
    WorkflowSetting("on-end", .text(script.description))
  }

  /// A program, followed by its arguments, that runs after the end of a run.
  ///
  /// Applies to runs of the command `reprise`. An `Engine` does not run it.
  public static func onEnd(exec words: [String]) -> WorkflowSetting {
    WorkflowSetting("on-end", .list(words.map(Value.text)))
  }

  /// Whether commands that name no workflow mean this one, when the declaration is written to a file.
  public static func isDefault(_ isDefault: Bool) -> WorkflowSetting {
    WorkflowSetting("default", .boolean(isDefault))
  }

  /// Keeps services up until the run is stopped.
  public static var untilStopped: WorkflowSetting {
    WorkflowSetting("until", .text(Tables.Moment.stopped))
  }

  /// Other names for commands, when the declaration is written to a file.
  public static func aliases(_ names: [String]) -> WorkflowSetting {
    WorkflowSetting("aliases", .list(names.map(Value.text)))
  }

  /// Cancels the other steps at the first failure.
  public static var failsFast: WorkflowSetting { failsFast(if: true) }

  /// Whether the first failure cancels the other steps.
  public static func failsFast(if condition: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("fail-fast", condition.value)
  }

  /// Cancels the other steps when this number of steps has failed.
  public static func failsFast(after count: Int) -> WorkflowSetting {
    WorkflowSetting("fail-fast", .number(Double(count)))
  }

  /// Which of the waiting steps of equal priority starts first.
  public static func order(_ order: StepOrder) -> WorkflowSetting {
    WorkflowSetting("order", .text(order.rawValue))
  }

  /// The group of runs that exclude each other.
  ///
  /// Applies to the commands `reprise run` and `reprise watch`. An `Engine` starts every run that
  /// it is asked to start.
  public static func concurrency(_ concurrency: Concurrency) -> WorkflowSetting {
    WorkflowSetting("concurrency", Tables.concurrency.write(concurrency) ?? .null)
  }

  /// The pools of the project that steps use, by name, with their numbers of places.
  public static func pools(_ sizes: [String: Int]) -> WorkflowSetting {
    WorkflowSetting("pools", Form.pools.write(sizes) ?? .null)
  }

  /// The triggers that start runs under `reprise watch`: the keys under `on` of a workflow file.
  public static func on(_ triggers: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("on", triggers.value)
  }

  /// Defaults for steps without a setting of their own: the keys under `defaults` of a workflow
  /// file.
  public static func defaults(_ settings: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("defaults", settings.value)
  }

  /// The named places where steps run: each a kind of runner, with its settings.
  public static func runner(
    named name: String, _ kind: String, _ settings: [String: TemplateValue] = [:]
  ) -> WorkflowSetting {
    WorkflowSetting(
      "runners", name: name, .map([kind: .map(settings.mapValues(\.value))]))
  }

  /// Where steps run: the name of a runner, or `local`.
  public static func runner(_ name: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("runner", name.value)
  }

  /// Where steps run: a kind of runner, with its settings.
  public static func runner(
    _ kind: String, _ settings: [String: TemplateValue]
  ) -> WorkflowSetting {
    WorkflowSetting("runner", .map([kind: .map(settings.mapValues(\.value))]))
  }

  /// The outputs available to a workflow that uses this one.
  public static func outputs(_ outputs: [String: TemplateValue]) -> WorkflowSetting {
    WorkflowSetting("outputs", .map(outputs.mapValues(\.value)))
  }
}

extension Concurrency {
  /// Creates a group with its policy.
  ///
  /// - Parameters:
  ///   - group: The name of the group: a template, such as `"deploy-${{ params.target }}"`. The text of a
  ///     variable is interpolated: `"\(name)"`.
  ///   - policy: The policy for a run that starts while another run of the group is live.
  ///   - limit: With the policy `queue`: the maximum number of runs of the group that are in progress.
  public init(group: TemplateValue, policy: Policy, limit: Int = 1) {
    self.init(named: group.value.asText, policy: policy, limit: limit)
  }
}
