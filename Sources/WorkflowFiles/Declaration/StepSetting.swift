// The settings of a step declared in Swift, one per key of a step in the workflow file.

import WorkflowReading

/// A setting of a step, such as `.needs("build")` or `.timeout(.seconds(10))`.
///
/// Each setting corresponds to a key of the workflow file and has the same meaning.
public struct StepSetting: Sendable, Equatable {
  /// The keys with their values.
  let entries: [Entry]

  struct Entry: Sendable, Equatable {
    let key: String
    let value: Value
  }

  init(_ key: String, _ value: Value) {
    entries = [Entry(key: key, value: value)]
  }

  private init(entries: [Entry]) {
    self.entries = entries
  }

  /// Several settings as one, for functions that pass settings on.
  ///
  ///     func service(_ id: String, _ settings: [StepSetting]) -> Step {
  ///       Step(id, run: "./serve \(id)", .timeout(.seconds(60)), .all(settings))
  ///     }
  public static func all(_ settings: [StepSetting]) -> StepSetting {
    StepSetting(entries: settings.flatMap(\.entries))
  }

  /// The name of the step in displays, which otherwise show its id.
  ///
  /// May use `params`, `matrix` and `item`. Commands and expressions refer to a step by its id.
  public static func name(_ name: TemplateValue) -> StepSetting {
    StepSetting("name", name.value)
  }

  /// The steps that must finish first.
  ///
  /// This replaces the order implied by the list. Pass no ids to start the step immediately.
  public static func needs(_ ids: String...) -> StepSetting { needs(ids) }

  /// The steps that must finish first; replaces the order implied by the list.
  public static func needs(_ ids: [String]) -> StepSetting {
    StepSetting("needs", .list(ids.map(Value.text)))
  }

  /// The steps that must finish first, with the expected result of each.
  ///
  /// - Parameters:
  ///   - results: The expected results by id.
  ///   - any: Steps of which the success of one is enough.
  /// - Returns: The setting.
  public static func needs(
    _ results: [String: ExpectedResult], any: [String] = []
  ) -> StepSetting {
    var needs = results.mapValues { Value.text($0.rawValue) }
    if !any.isEmpty { needs["any"] = .list(any.map(Value.text)) }
    return StepSetting("needs", .map(needs))
  }

  /// Skips the steps that need this one, too, when its condition is false.
  public static var skipsDependents: StepSetting { StepSetting("if-skipped", .text("skip")) }

  /// The condition for running the step: an expression such as `params.target == 'production'`.
  public static func `if`(_ condition: StaticString) -> StepSetting {
    StepSetting("if", .text(condition.description))
  }

  /// Environment variables of the step.
  ///
  /// A Swift step reads them from its ``StepContext``.
  public static func environment(_ variables: [String: TemplateValue]) -> StepSetting {
    StepSetting("env", .map(variables.mapValues(\.value)))
  }

  /// The working directory, relative to the directory of the workflow.
  public static func directory(_ path: TemplateValue) -> StepSetting {
    StepSetting("dir", path.value)
  }

  /// The name or path of the shell that runs the script.
  public static func shell(_ name: String) -> StepSetting { StepSetting("shell", .text(name)) }

  /// The program that runs the script, followed by the arguments that precede the script.
  public static func shell(_ words: [String]) -> StepSetting {
    StepSetting("shell", .list(words.map(Value.text)))
  }

  /// The maximum duration of one attempt.
  public static func timeout(_ duration: Duration) -> StepSetting {
    StepSetting("timeout", .text(duration.workflowText))
  }

  /// A number without a unit is refused by the compiler.
  @available(*, unavailable, message: "give the unit: .timeout(.seconds(5))")
  public static func timeout(_ number: Double) -> StepSetting { fatalError("unavailable") }

  /// The maximum duration of one attempt, as an expression: `"${{ params.limit }}"`.
  public static func timeout(computed duration: TemplateValue) -> StepSetting {
    StepSetting("timeout", duration.value)
  }

  /// The maximum number of retries after a failure.
  public static func retry(_ limit: Int) -> StepSetting { retry(Retry(limit: limit)) }

  /// The rule for retries after a failure.
  public static func retry(_ retry: Retry) -> StepSetting { StepSetting("retry", retry.value) }

  /// Runs the step again after each success until a condition is true.
  ///
  /// - Parameters:
  ///   - condition: An expression that may read `stdout`, `outputs.NAME` and `status`.
  ///   - rule: How often it runs again at most, after which it fails, and the delays between.
  /// - Returns: The setting.
  public static func `repeat`(
    until condition: StaticString, _ rule: Retry = Retry(limit: Int(Int32.max))
  ) -> StepSetting {
    StepSetting("repeat", rule.rounds("until", condition))
  }

  /// The time between asking the step to stop and killing it.
  public static func grace(_ duration: Duration) -> StepSetting {
    StepSetting("grace", .text(duration.workflowText))
  }

  /// A number without a unit is refused by the compiler.
  @available(*, unavailable, message: "give the unit: .grace(.seconds(5))")
  public static func grace(_ number: Double) -> StepSetting { fatalError("unavailable") }

  /// The time between asking the step to stop and killing it, as an expression.
  public static func grace(computed duration: TemplateValue) -> StepSetting {
    StepSetting("grace", duration.value)
  }

  /// Lets the run continue as if the step had succeeded when it fails.
  public static var continuesOnError: StepSetting { continuesOnError(if: true) }

  /// Whether the run continues as if the step had succeeded when it fails.
  public static func continuesOnError(if condition: TemplateValue) -> StepSetting {
    StepSetting("continue-on-error", condition.value)
  }

  /// The mutex of the step.
  ///
  /// Steps with the same mutex never run at the same time.
  public static func mutex(_ name: TemplateValue) -> StepSetting {
    StepSetting("mutex", name.value)
  }

  /// The pool of which the step takes places while it runs; see ``WorkflowSetting/pools(_:)``.
  public static func pool(_ name: TemplateValue, take count: Int = 1) -> StepSetting {
    StepSetting("pool", .map(["name": name.value, "take": .number(Double(count))]))
  }

  /// The pools of which the step takes places while it runs, with the number of places of each.
  public static func pools(_ places: [String: Int]) -> StepSetting {
    StepSetting(
      "pool",
      .list(
        places.sorted { $0.key < $1.key }.map {
          .map(["name": .text($0.key), "take": .number(Double($0.value))])
        }))
  }

  /// The name under which the step's work is shared.
  ///
  /// Steps with the same name that run at the same time run once, and all of them get the result.
  public static func share(_ name: TemplateValue) -> StepSetting {
    StepSetting("share", name.value)
  }

  /// Where the step runs: the name of a runner of the workflow, or `local`.
  public static func runner(_ name: TemplateValue) -> StepSetting {
    StepSetting("runner", name.value)
  }

  /// Where the step runs: a kind of runner, with its settings.
  public static func runner(
    _ kind: String, _ settings: [String: TemplateValue]
  ) -> StepSetting {
    StepSetting("runner", .map([kind: .map(settings.mapValues(\.value))]))
  }

  /// Lets the step own the terminal while it runs, to interact with its user.
  public static var usesTerminal: StepSetting { StepSetting("terminal", .boolean(true)) }

  /// Reads standard error separately from standard output: events then name the stream of each line,
  /// and lines of both that are written at the same time may change their order.
  public static var separatesStreams: StepSetting {
    StepSetting("separate-streams", .boolean(true))
  }

  /// Sends the output to a pseudo-terminal, so that programs write colours, and each line at once.
  public static var writesToTerminal: StepSetting { StepSetting("tty", .boolean(true)) }

  /// Of the waiting steps, those with a higher number start first.
  public static func priority(_ number: Int) -> StepSetting {
    StepSetting("priority", .number(Double(number)))
  }

  /// Cancels the other `foreach` or `matrix` instances when this number of them has failed.
  public static func failsFast(after count: Int) -> StepSetting {
    StepSetting("fail-fast", .number(Double(count)))
  }

  /// Requires approval before the step starts; the text describes what to approve.
  public static func approval(_ text: TemplateValue) -> StepSetting {
    StepSetting("approval", text.value)
  }

  /// Requires approval, with settings: before the step starts, or after its work, before its dependents start.
  ///
  /// - Parameters:
  ///   - text: What to approve.
  ///   - values: Values that are given with the approval, declared like parameters; they become
  ///     outputs of the step.
  ///   - timeout: The maximum duration of the wait, after which the step fails; unlimited if nil.
  ///   - approvesInTheEnd: Whether the step is approved, not rejected, after that time.
  ///   - isAfter: Whether it is asked after the work.
  /// - Returns: The setting.
  public static func approval(
    _ text: TemplateValue, values: [Parameter] = [], timeout: Duration? = nil,
    orApprove approvesInTheEnd: Bool = false, after isAfter: Bool = false
  ) -> StepSetting {
    var rule: [String: Value] = ["message": text.value]
    if !values.isEmpty {
      rule["values"] = .map(
        Dictionary(values.map { ($0.name, .map($0.declaration)) }) { first, _ in first })
    }
    rule["timeout"] = timeout.map { .text($0.workflowText) }
    if approvesInTheEnd { rule["default"] = .text(ApprovalRule.Answer.approve.rawValue) }
    if isAfter { rule["after"] = .boolean(true) }
    return StepSetting("approval", .map(rule))
  }

  /// Runs the step once for each item.
  public static func foreach(_ items: [TemplateValue]) -> StepSetting {
    StepSetting("foreach", .list(items.map(\.value)))
  }

  /// Runs the step once for each number of a range.
  public static func foreach(_ range: ClosedRange<Int>) -> StepSetting {
    StepSetting(
      "foreach",
      .map([
        "from": .number(Double(range.lowerBound)), "to": .number(Double(range.upperBound)),
      ]))
  }

  /// Runs the step once for each number of a range with computed bounds or a custom stride.
  public static func foreach(
    from first: TemplateValue, to last: TemplateValue, by step: TemplateValue = 1
  ) -> StepSetting {
    StepSetting("foreach", .map(["from": first.value, "to": last.value, "by": step.value]))
  }

  /// Runs the step once for each item of an expression's value: `${{ fromJSON(params.shards) }}`.
  public static func foreach(_ expression: StaticString) -> StepSetting {
    StepSetting("foreach", .text(expression.description))
  }

  /// Runs the step once for each file that matches patterns.
  ///
  /// Those in variables are interpolated: `patterns.map { "\($0)" }`.
  public static func foreach(files patterns: [TemplateValue]) -> StepSetting {
    StepSetting("foreach", .map(["files": .list(patterns.map(\.value))]))
  }

  /// The text in the brackets of the id of each `foreach` or `matrix` instance.
  public static func itemID(_ id: TemplateValue) -> StepSetting { StepSetting("item-id", id.value) }

  /// The maximum number of items of a `foreach` or `matrix`.
  public static func maxItems(_ count: Int) -> StepSetting {
    StepSetting("max-items", .number(Double(count)))
  }

  /// Runs the step once for each combination of the lists in an expression's value.
  public static func matrix(_ expression: StaticString) -> StepSetting {
    StepSetting("matrix", .text(expression.description))
  }

  /// Runs the step once for each combination of values, plus `include` and minus `exclude`.
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

  /// The maximum number of `foreach` or `matrix` instances that run at the same time.
  public static func maxParallel(_ count: Int) -> StepSetting {
    StepSetting("max-parallel", .number(Double(count)))
  }

  /// The maximum number of `foreach` or `matrix` instances that run at the same time, as an
  /// expression.
  public static func maxParallel(computed count: TemplateValue) -> StepSetting {
    StepSetting("max-parallel", count.value)
  }

  /// Cancels the other `foreach` or `matrix` instances when one fails.
  public static var failsFast: StepSetting { failsFast(if: true) }

  /// Whether the first failed `foreach` or `matrix` instance cancels the others.
  public static func failsFast(if condition: TemplateValue) -> StepSetting {
    StepSetting("fail-fast", condition.value)
  }

  /// Outputs for later steps, in addition to those that the step writes itself.
  public static func outputs(_ outputs: [String: TemplateValue]) -> StepSetting {
    StepSetting("outputs", .map(outputs.mapValues(\.value)))
  }

  /// The rule for skipping an up-to-date step: input files, output files and an additional key.
  ///
  /// Patterns in variables are interpolated: `patterns.map { "\($0)" }`.
  public static func cache(
    inputs: [TemplateValue] = [], outputs: [TemplateValue] = [], key: TemplateValue? = nil,
    maxAge: Duration? = nil, depfile: TemplateValue? = nil
  ) -> StepSetting {
    var rule: [String: Value] = [:]
    rule["depfile"] = depfile?.value
    rule["max-age"] = maxAge.map { .text($0.workflowText) }
    if !inputs.isEmpty || key == nil && maxAge == nil && depfile == nil {
      rule["inputs"] = .list(inputs.map(\.value))
    }
    if !outputs.isEmpty { rule["makes"] = .list(outputs.map(\.value)) }
    rule["key"] = key?.value
    return StepSetting("cache", .map(rule))
  }

  /// Skipping an up-to-date step whose inputs and outputs are learnt by watching it.
  ///
  /// - Parameters:
  ///   - system: Whether programs outside of the project count by their contents.
  ///   - ignore: Patterns of files that it does not depend on.
  ///   - env: Whether it depends on the variables that it inherits.
  ///   - path: Whether it depends on where the project is.
  ///   - key: A value for other dependencies.
  /// - Returns: The setting.
  public static func cacheAuto(
    system: Bool = false, ignore: [TemplateValue] = [], env: Bool = true, path: Bool = true,
    key: TemplateValue? = nil
  ) -> StepSetting {
    var rule: [String: Value] = ["auto": .boolean(true)]
    if system { rule["system"] = .boolean(true) }
    if !ignore.isEmpty { rule["ignore"] = .list(ignore.map(\.value)) }
    if !env { rule["env"] = .boolean(false) }
    if !path { rule["path"] = .boolean(false) }
    rule["key"] = key?.value
    return StepSetting("cache", .map(rule))
  }

  /// Whether `reprise trace` watches which files it uses.
  public static func watch(_ isWatched: Bool) -> StepSetting {
    StepSetting("watch", .boolean(isWatched))
  }

  /// The endings of the run after which the step runs; only for steps under `finally`.
  public static func when(_ endings: RunEnding...) -> StepSetting {
    StepSetting("when", .list(endings.map { .text($0.rawValue) }))
  }
}

extension Retry {
  /// The value of the `retry` key.
  var value: Value { Tables.retry.write(self) ?? .null }

  /// The value of the `repeat` key.
  func rounds(_ key: String, _ condition: StaticString) -> Value {
    var rule = self
    // Rounds follow every success.
    rule.failures = nil
    guard case .map(var keys) = rule.value else { return .null }
    if rule.limit == Repetition.endless.limit { keys["limit"] = nil }
    keys[key] = .text(condition.description)
    return .map(keys)
  }
}
