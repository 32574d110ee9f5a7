// The settings of a step declared in Swift that concern what happens instead of it, or afterwards.

extension StepSetting {
  /// The condition for running the step: a script that exits with status 0 for true, 1 for false.
  ///
  /// - Parameters:
  ///   - script: The script, which runs on this machine.
  ///   - timeout: The maximum duration, after which the step fails; 30 seconds if nil.
  /// - Returns: The setting.
  public static func `if`(run script: StaticString, timeout: Duration? = nil) -> StepSetting {
    StepSetting("if", ConditionCommand.value(script, timeout))
  }

  /// Whether the steps that need this one are skipped, too, when its condition is false.
  ///
  /// False overrides `if-skipped` of the defaults.
  public static func skipsDependents(_ skips: Bool) -> StepSetting {
    StepSetting("if-skipped", .text(skips ? "skip" : "run"))
  }

  /// Runs the step again after each success while a condition is true.
  ///
  /// - Parameters:
  ///   - condition: An expression that may read `stdout`, `outputs.NAME` and `status`.
  ///   - rule: How often it runs again at most, after which it fails, and the delays between.
  /// - Returns: The setting.
  public static func `repeat`(
    while condition: StaticString, _ rule: Retry = Retry(limit: Int(Int32.max))
  ) -> StepSetting {
    StepSetting("repeat", rule.rounds("while", condition))
  }

  /// Lets the step go on when its engine dies, to be adopted by `reprise resume`.
  ///
  /// For steps of runners that can find their attempts again.
  public static var survives: StepSetting { StepSetting("survive", .boolean(true)) }

  /// A script that undoes the work of the step when the run fails.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - variables: Environment variables, in addition to those of the step.
  ///   - timeout: The maximum duration of an attempt.
  ///   - retry: The rule for retries after a failure.
  /// - Returns: The setting.
  public static func undo(
    _ script: StaticString, environment variables: [String: TemplateValue] = [:],
    timeout: Duration? = nil, retry: Retry? = nil
  ) -> StepSetting {
    undo("run", .text(script.description), variables, timeout, retry)
  }

  /// A program with arguments that undoes the work of the step when the run fails.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - variables: Environment variables, in addition to those of the step.
  ///   - timeout: The maximum duration of an attempt.
  ///   - retry: The rule for retries after a failure.
  /// - Returns: The setting.
  public static func undo(
    exec words: [TemplateValue], environment variables: [String: TemplateValue] = [:],
    timeout: Duration? = nil, retry: Retry? = nil
  ) -> StepSetting {
    undo("exec", .list(words.map(\.value)), variables, timeout, retry)
  }

  private static func undo(
    _ key: String, _ work: Value, _ variables: [String: TemplateValue], _ timeout: Duration?,
    _ retry: Retry?
  ) -> StepSetting {
    guard !variables.isEmpty || timeout != nil || retry != nil else {
      return StepSetting("undo", work)
    }
    var fields = [key: work]
    if !variables.isEmpty { fields["env"] = .map(variables.mapValues(\.value)) }
    fields["timeout"] = timeout.map { .text($0.workflowText) }
    fields["retry"] = retry?.value
    return StepSetting("undo", .map(fields))
  }
}

extension ConditionCommand {
  /// The value of the key `if` for a command.
  static func value(_ script: StaticString, _ timeout: Duration?) -> Value {
    var fields: [String: Value] = ["run": .text(script.description)]
    fields["timeout"] = timeout.map { .text($0.workflowText) }
    return .map(fields)
  }
}
