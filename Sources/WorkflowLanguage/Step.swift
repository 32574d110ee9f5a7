// One step as a workflow declares it. Knows neither files nor how steps are run.

/// One unit of work.
public struct Step: Sendable, Equatable {
  /// The name of the step, unique in its workflow.
  public var id: String
  /// The ids of the steps that must have succeeded before this one starts.
  ///
  /// The order that a list implies has been made explicit.
  public var needs: [String]
  /// What the step does.
  public var action: Action
  /// Environment variables for this step, on top of those of its workflow.
  public var environment: [String: String]
  /// Where it runs, relative to the directory of its workflow; there when nil.
  public var directory: String?
  /// What runs its script; what the workflow says when nil.
  public var shell: Shell?
  /// How long it may take; as long as it wants when nil.
  public var timeout: Duration?
  /// How long it may take to end once it is told to; what the workflow says when nil.
  public var grace: Duration?
  /// When it is tried again after a failure; nil for never.
  public var retry: Retry?
  /// The line of the file in which it is declared, from 1.
  public var line: Int?

  /// Declares a step.
  ///
  /// - Parameters:
  ///   - id: The name of the step, unique in its workflow.
  ///   - needs: The ids of the steps that it needs.
  ///   - action: What it does.
  ///   - environment: Environment variables for this step.
  ///   - directory: Where it runs.
  ///   - shell: What runs its script.
  ///   - timeout: How long it may take.
  ///   - grace: How long it may take to end once it is told to.
  ///   - retry: When it is tried again after a failure.
  ///   - line: The line of the file in which it is declared.
  public init(
    id: String, needs: [String] = [], action: Action, environment: [String: String] = [:],
    directory: String? = nil, shell: Shell? = nil, timeout: Duration? = nil,
    grace: Duration? = nil, retry: Retry? = nil, line: Int? = nil
  ) {
    self.id = id
    self.needs = needs
    self.action = action
    self.environment = environment
    self.directory = directory
    self.shell = shell
    self.timeout = timeout
    self.grace = grace
    self.retry = retry
    self.line = line
  }
}

/// What a step does.
public enum Action: Sendable, Equatable {
  /// Runs a script.
  case run(String)
  /// Runs a program with arguments, without a shell: the program first.
  case exec([String])
}

/// What runs a script.
public enum Shell: Sendable, Equatable {
  /// `/bin/sh -e -c`, or nothing at all where the script is a plain command line.
  case standard
  /// A shell by its name or path.
  case named(String)
  /// A program with arguments, to which the script is added as the last one.
  case arguments([String])
}

/// The shape that a file gives to its steps, for displays; what counts for the order is `needs`.
public indirect enum Outline: Sendable, Equatable {
  /// One step.
  case step(StepIndex)
  /// One after the other.
  case sequence([Outline])
  /// Side by side.
  case parallel([Outline])
}
