// The settings of a workflow that is declared in Swift: the keys of a file by names of Swift. What they mean
// and what is wrong with them is the reader's business.

/// A setting of a workflow, such as `.timeout(.seconds(60))` or `.parameter(…)`.
///
/// Each is a key of the workflow file, and means what it means there.
public struct WorkflowSetting: Sendable, Equatable {
  let key: String
  /// The name of the value among others of the same key; nil where the key has one value.
  let name: String?
  let value: Value

  private init(_ key: String, name: String? = nil, _ value: Value) {
    self.key = key
    self.name = name
    self.value = value
  }

  /// What the workflow is for.
  public static func description(_ text: String) -> WorkflowSetting {
    WorkflowSetting("description", .text(text))
  }

  /// Something that a run may be given.
  public static func parameter(
    _ name: String, _ kind: Parameter.Kind = .string, default standard: TemplateValue? = nil,
    description: String? = nil
  ) -> WorkflowSetting {
    var fields: [String: Value] = ["type": .text(kind.name)]
    if case .choice(let options) = kind { fields["options"] = .list(options.map(Value.text)) }
    fields["default"] = standard?.value
    if let description { fields["description"] = .text(description) }
    return WorkflowSetting("params", name: name, .map(fields))
  }

  /// A value that is never shown nor stored.
  public static func secret(_ name: String, from source: SecretSource) -> WorkflowSetting {
    let value: Value =
      switch source {
      case .environment(let variable): .map(["env": .text(variable)])
      case .file(let path): .map(["file": .text(path)])
      case .command(let words): .map(["command": .list(words.map(Value.text))])
      }
    return WorkflowSetting("secrets", name: name, value)
  }

  /// Environment variables for every step.
  public static func environment(_ variables: [String: TemplateValue]) -> WorkflowSetting {
    WorkflowSetting("env", .map(variables.mapValues(\.value)))
  }

  /// Files with environment variables; the optional ones need not be there, and win over the others.
  public static func dotenv(_ paths: String..., optional: [String] = []) -> WorkflowSetting {
    let others = optional.map { Value.map(["path": .text($0), "required": .boolean(false)]) }
    return WorkflowSetting("dotenv", .list(paths.map(Value.text) + others))
  }

  /// Where steps run.
  public static func directory(_ path: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("dir", path.value)
  }

  /// The shell that runs scripts, by its name or path.
  public static func shell(_ name: String) -> WorkflowSetting {
    WorkflowSetting("shell", .text(name))
  }

  /// The program that runs scripts, with arguments that stand before the script.
  public static func shell(_ words: [String]) -> WorkflowSetting {
    WorkflowSetting("shell", .list(words.map(Value.text)))
  }

  /// How long a generation of a run may take.
  public static func timeout(_ duration: Duration) -> WorkflowSetting {
    WorkflowSetting("timeout", .text(duration.workflowText))
  }

  /// How long a generation of a run may take, as an expression says: `"${{ params.limit }}"`.
  public static func timeout(computed duration: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("timeout", duration.value)
  }

  /// How long a step may take to end once it is told to.
  public static func grace(_ duration: Duration) -> WorkflowSetting {
    WorkflowSetting("grace", .text(duration.workflowText))
  }

  /// How long a step may take to end once it is told to, as an expression says.
  public static func grace(computed duration: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("grace", duration.value)
  }

  /// How many steps may run at once.
  public static func maxParallel(_ count: Int) -> WorkflowSetting {
    WorkflowSetting("max-parallel", .number(Double(count)))
  }

  /// How many steps may run at once, as an expression says.
  public static func maxParallel(computed count: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("max-parallel", count.value)
  }

  /// What the record of a step's success survives.
  public static func durability(_ durability: Durability) -> WorkflowSetting {
    WorkflowSetting("durability", .text(durability.rawValue))
  }

  /// The first failure cancels what runs beside it.
  public static var failsFast: WorkflowSetting { failsFast(if: true) }

  /// Whether the first failure cancels what runs beside it.
  public static func failsFast(if condition: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("fail-fast", condition.value)
  }

  /// Which other runs it may not meet, when it is run by the command or watched by it.
  ///
  /// An engine starts each run that it is told to start.
  public static func concurrency(_ concurrency: Concurrency) -> WorkflowSetting {
    WorkflowSetting(
      "concurrency",
      .map(["group": .text(concurrency.group), "policy": .text(concurrency.policy.rawValue)]))
  }

  /// What starts runs while `reprise watch` watches it: the keys under `on` of a workflow file.
  public static func on(_ triggers: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("on", triggers.value)
  }

  /// Settings for every step that does not have its own: the keys under `defaults` of a workflow file.
  public static func defaults(_ settings: TemplateValue) -> WorkflowSetting {
    WorkflowSetting("defaults", settings.value)
  }

  /// What a workflow that uses this one gets of it.
  public static func outputs(_ outputs: [String: TemplateValue]) -> WorkflowSetting {
    WorkflowSetting("outputs", .map(outputs.mapValues(\.value)))
  }
}
