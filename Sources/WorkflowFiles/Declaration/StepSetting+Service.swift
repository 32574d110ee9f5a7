// The settings of a service declared in Swift.

extension StepSetting {
  /// When a service is ready: a script succeeds.
  public static func ready(
    run script: StaticString, every interval: Duration? = nil, timeout: Duration? = nil
  ) -> StepSetting {
    ready("run", .text(script.description), interval, timeout)
  }

  /// When a service is ready: a port of this machine accepts connections.
  public static func ready(
    port: TemplateValue, every interval: Duration? = nil, timeout: Duration? = nil
  ) -> StepSetting {
    ready("port", port.value, interval, timeout)
  }

  /// When a service is ready: an address is answered with a status from 200 to 399.
  public static func ready(
    http address: TemplateValue, every interval: Duration? = nil, timeout: Duration? = nil
  ) -> StepSetting {
    ready("http", address.value, interval, timeout)
  }

  /// When a service is ready: a line of its output contains a text.
  public static func ready(line: TemplateValue, timeout: Duration? = nil) -> StepSetting {
    ready("line", line.value, nil, timeout)
  }

  /// A service is ready when it writes the line `ready` to the file named by `REPRISE_PROGRESS`.
  public static func readyWhenReported(timeout: Duration? = nil) -> StepSetting {
    ready("report", .boolean(true), nil, timeout)
  }

  /// A service that is ready is alive as long as a script succeeds.
  public static func alive(
    run script: StaticString, every interval: Duration? = nil, failures: Int? = nil,
    timeout: Duration? = nil
  ) -> StepSetting {
    alive("run", .text(script.description), interval, failures, timeout)
  }

  /// A service that is ready is alive as long as a port of this machine accepts connections.
  public static func alive(
    port: TemplateValue, every interval: Duration? = nil, failures: Int? = nil
  ) -> StepSetting {
    alive("port", port.value, interval, failures)
  }

  /// A service that is ready is alive as long as an address is answered with a status from 200 to 399.
  public static func alive(
    http address: TemplateValue, every interval: Duration? = nil, failures: Int? = nil
  ) -> StepSetting {
    alive("http", address.value, interval, failures)
  }

  private static func alive(
    _ key: String, _ value: Value, _ interval: Duration?, _ failures: Int?,
    _ timeout: Duration? = nil
  ) -> StepSetting {
    var fields = [key: value]
    fields["every"] = interval.map { .text($0.workflowText) }
    fields["failures"] = failures.map { .text("\($0)") }
    fields["timeout"] = timeout.map { .text($0.workflowText) }
    return StepSetting("alive", .map(fields))
  }

  private static func ready(
    _ key: String, _ value: Value, _ interval: Duration?, _ timeout: Duration?
  ) -> StepSetting {
    var fields = [key: value]
    fields["every"] = interval.map { .text($0.workflowText) }
    fields["timeout"] = timeout.map { .text($0.workflowText) }
    return StepSetting("ready", .map(fields))
  }

  /// The signal that asks a service to end, such as `INT`.
  public static func stop(_ signal: String) -> StepSetting { StepSetting("stop", .text(signal)) }

  /// Restarts a service that ends while steps need it, with growing delays, five times.
  public static var restartsOnFailure: StepSetting {
    StepSetting("restart", .text("on-failure"))
  }

  /// Restarts a service that ends while steps need it.
  public static func restart(_ retry: Retry) -> StepSetting {
    StepSetting("restart", retry.value)
  }
}
