// The settings of a step that is declared in Swift: the keys of a file by names of Swift. What they mean and
// what is wrong with them is the reader's business.

/// A setting of a step, such as `.needs("build")` or `.timeout(.seconds(10))`.
///
/// Each is a key of the workflow file, and means what it means there.
public struct StepSetting: Sendable, Equatable {
  let key: String
  let value: Value

  private init(_ key: String, _ value: Value) {
    self.key = key
    self.value = value
  }

  /// The steps that have to be over before, in place of those that stand before it; none for one that starts at
  /// once.
  public static func needs(_ ids: String...) -> StepSetting { needs(ids) }

  /// The steps that have to be over before, in place of those that stand before it.
  public static func needs(_ ids: [String]) -> StepSetting {
    StepSetting("needs", .list(ids.map(Value.text)))
  }

  /// Whether it runs: an expression, such as `params.target == 'production'`.
  public static func `if`(_ condition: StaticString) -> StepSetting {
    StepSetting("if", .text(condition.description))
  }

  /// Environment variables for it; for Swift steps what ``StepContext`` has as its environment.
  public static func environment(_ variables: [String: TemplateValue]) -> StepSetting {
    StepSetting("env", .map(variables.mapValues(\.value)))
  }

  /// Where it runs, relative to the directory of the workflow.
  public static func directory(_ path: TemplateValue) -> StepSetting {
    StepSetting("dir", path.value)
  }

  /// The shell that runs its script, by its name or path.
  public static func shell(_ name: String) -> StepSetting { StepSetting("shell", .text(name)) }

  /// The program that runs its script, with arguments that stand before the script.
  public static func shell(_ words: [String]) -> StepSetting {
    StepSetting("shell", .list(words.map(Value.text)))
  }

  /// How long it may take.
  public static func timeout(_ duration: Duration) -> StepSetting {
    StepSetting("timeout", .text(duration.workflowText))
  }

  /// How long it may take, as an expression says: `"${{ params.limit }}"`.
  public static func timeout(computed duration: TemplateValue) -> StepSetting {
    StepSetting("timeout", duration.value)
  }

  /// How often it is tried again after a failure.
  public static func retry(_ limit: Int) -> StepSetting { retry(Retry(limit: limit)) }

  /// When it is tried again after a failure.
  public static func retry(_ retry: Retry) -> StepSetting { StepSetting("retry", retry.value) }

  /// How long it may take to end once it is told to.
  public static func grace(_ duration: Duration) -> StepSetting {
    StepSetting("grace", .text(duration.workflowText))
  }

  /// How long it may take to end once it is told to, as an expression says.
  public static func grace(computed duration: TemplateValue) -> StepSetting {
    StepSetting("grace", duration.value)
  }

  /// The run goes on as if it had succeeded when it fails.
  public static var continuesOnError: StepSetting { continuesOnError(if: true) }

  /// Whether the run goes on as if it had succeeded when it fails.
  public static func continuesOnError(if condition: TemplateValue) -> StepSetting {
    StepSetting("continue-on-error", condition.value)
  }

  /// Steps of the same name never run at once.
  public static func mutex(_ name: TemplateValue) -> StepSetting {
    StepSetting("mutex", name.value)
  }

  /// Steps of the same name that meet are carried out once, for all.
  public static func share(_ name: TemplateValue) -> StepSetting {
    StepSetting("share", name.value)
  }

  /// Somebody has to approve this before it starts.
  public static func approval(_ text: TemplateValue) -> StepSetting {
    StepSetting("approval", text.value)
  }

  /// Once for each of these.
  public static func foreach(_ items: [TemplateValue]) -> StepSetting {
    StepSetting("foreach", .list(items.map(\.value)))
  }

  /// Once for each of these numbers.
  public static func foreach(_ range: ClosedRange<Int>) -> StepSetting {
    StepSetting(
      "foreach",
      .map([
        "from": .number(Double(range.lowerBound)), "to": .number(Double(range.upperBound)),
      ]))
  }

  /// Once for each number of a range whose ends are computed, or that goes by more than one.
  public static func foreach(
    from first: TemplateValue, to last: TemplateValue, by step: TemplateValue = 1
  ) -> StepSetting {
    StepSetting("foreach", .map(["from": first.value, "to": last.value, "by": step.value]))
  }

  /// Once for each item of what an expression comes to, such as `${{ fromJSON(params.shards) }}`.
  public static func foreach(_ expression: StaticString) -> StepSetting {
    StepSetting("foreach", .text(expression.description))
  }

  /// Once for each combination of these lists, without some and with others.
  public static func matrix(
    _ lists: [String: [TemplateValue]], include: [[String: TemplateValue]] = [],
    exclude: [[String: TemplateValue]] = []
  ) -> StepSetting {
    var matrix = lists.mapValues { Value.list($0.map(\.value)) }
    for (name, combinations) in [("include", include), ("exclude", exclude)]
    where !combinations.isEmpty {
      matrix[name] = .list(combinations.map { .map($0.mapValues(\.value)) })
    }
    return StepSetting("matrix", .map(matrix))
  }

  /// How many of a foreach or matrix may run at once.
  public static func maxParallel(_ count: Int) -> StepSetting {
    StepSetting("max-parallel", .number(Double(count)))
  }

  /// How many of a foreach or matrix may run at once, as an expression says.
  public static func maxParallel(computed count: TemplateValue) -> StepSetting {
    StepSetting("max-parallel", count.value)
  }

  /// The first failure of a foreach or matrix cancels the others.
  public static var failsFast: StepSetting { failsFast(if: true) }

  /// Whether the first failure of a foreach or matrix cancels the others.
  public static func failsFast(if condition: TemplateValue) -> StepSetting {
    StepSetting("fail-fast", condition.value)
  }

  /// Results for later steps, beside those that it leaves itself.
  public static func outputs(_ outputs: [String: TemplateValue]) -> StepSetting {
    StepSetting("outputs", .map(outputs.mapValues(\.value)))
  }

  /// When it need not run again: the files that it reads and makes, and what else it depends on.
  public static func cache(
    inputs: [String] = [], outputs: [String] = [], key: TemplateValue? = nil
  ) -> StepSetting {
    var rule: [String: Value] = [:]
    if !inputs.isEmpty || key == nil { rule["inputs"] = .list(inputs.map(Value.text)) }
    if !outputs.isEmpty { rule["outputs"] = .list(outputs.map(Value.text)) }
    rule["key"] = key?.value
    return StepSetting("cache", .map(rule))
  }

  /// After which endings it runs; for steps under `finally`.
  public static func on(_ endings: RunEnding...) -> StepSetting {
    StepSetting("on", .list(endings.map { .text($0.rawValue) }))
  }
}

extension Retry {
  /// As a file has it.
  fileprivate var value: Value {
    var fields: [String: Value] = [
      "limit": .number(Double(limit)), "delay": .text(delay.workflowText),
      "backoff": .text(backoff.rawValue),
    ]
    if backoff == .exponential { fields["factor"] = .number(factor) }
    if let maxDelay { fields["max-delay"] = .text(maxDelay.workflowText) }
    if jitter > 0 { fields["jitter"] = .number(jitter) }
    if let statuses { fields["on"] = .list(statuses.sorted().map { .number(Double($0)) }) }
    return .map(fields)
  }
}
