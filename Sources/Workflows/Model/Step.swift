// A step of a workflow, with its settings.

extension Workflow {
  /// A step of a workflow: one unit of work.
  public struct Step: Sendable, Equatable {
    /// The name of the step, unique in its workflow.
    public var id: String
    /// The ids of the steps that must finish before this one starts.
    ///
    /// Includes the dependencies implied by the order of a list.
    public var needs: [String]
    /// The action of the step.
    package var action: Action
    /// The innermost group that contains the step.
    package var group = GroupIndex.run
    /// Environment variables for this step; they override those of the workflow.
    package var environment: [String: Template]
    /// The working directory, relative to the directory of the workflow; that directory if nil.
    package var directory: Template? {
      get { settingsBox?.value.directory }
      set { settings.directory = newValue }
    }
    /// The shell that runs the script; the shell of the workflow if nil.
    package var shell: Shell? {
      get { settingsBox?.value.shell }
      set { settings.shell = newValue }
    }
    /// The maximum duration of an attempt; unlimited if nil.
    public var timeout: Duration? {
      get { settingsBox?.value.timeout }
      set { settings.timeout = newValue }
    }
    /// The time between asking the step to stop and killing it; that of the workflow if nil.
    public var grace: Duration? {
      get { settingsBox?.value.grace }
      set { settings.grace = newValue }
    }
    /// The rule for retries after a failure; nil for no retries.
    public var retry: Retry? {
      get { settingsBox?.value.retry }
      set { settings.retry = newValue }
    }
    /// The settings that most steps do not have.
    package var extras: StepExtras {
      get { extrasBox?.value ?? StepExtras() }
      set { extrasBox = newValue == StepExtras() ? nil : Box(newValue) }
    }

    /// The extras, or nil if the step has none; cheaper than `extras` for checking presence.
    @inlinable package var extrasIfAny: StepExtras? { extrasBox?.value }

    /// Execution settings that override those of the workflow.
    private struct Settings: Sendable, Equatable {
      var directory: Template?
      var shell: Shell?
      var timeout: Duration?
      var grace: Duration?
      var retry: Retry?
    }

    private var settings: Settings {
      get { settingsBox?.value ?? Settings() }
      set { settingsBox = newValue == Settings() ? nil : Box(newValue) }
    }

    // Boxed to save memory: most steps of a large file have neither.
    private var settingsBox: Box<Settings>?
    @usableFromInline var extrasBox: Box<StepExtras>?

    @usableFromInline
    final class Box<Value: Sendable & Equatable>: Sendable, Equatable {
      @usableFromInline let value: Value

      init(_ value: Value) {
        self.value = value
      }

      @usableFromInline
      static func == (left: Box, right: Box) -> Bool { left.value == right.value }
    }

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - id: The id of the step, unique in its workflow.
    ///   - needs: The ids of the steps that it needs.
    ///   - action: The action of the step.
    ///   - environment: Environment variables for this step.
    ///   - directory: The working directory.
    ///   - shell: The shell that runs the script.
    ///   - timeout: The maximum duration of an attempt.
    ///   - grace: The time between asking the step to stop and killing it.
    ///   - retry: The rule for retries after a failure.
    ///   - extras: The settings that most steps do not have.
    package init(
      id: String, needs: [String] = [], action: Action, environment: [String: Template] = [:],
      directory: Template? = nil, shell: Shell? = nil, timeout: Duration? = nil,
      grace: Duration? = nil, retry: Retry? = nil, extras: StepExtras? = nil
    ) {
      self.id = id
      self.needs = needs
      self.action = action
      self.environment = environment
      if directory != nil || shell != nil || timeout != nil || grace != nil || retry != nil {
        settings = Settings(
          directory: directory, shell: shell, timeout: timeout, grace: grace, retry: retry)
      }
      if let extras { self.extras = extras }
    }
  }
}

extension Workflow.Step {
  /// Whether the step itself sets the shell of its scripts, not its group or file.
  package var hasOwnShell: Bool { shell != nil && extrasIfAny?.inheritsShell != true }

  /// Whether the step has a condition.
  package var hasCondition: Bool { extrasIfAny?.conditions.isEmpty == false }

  /// Whether a condition of the step tests the status of the previous steps, as `failure()` does.
  package var testsStatus: Bool {
    extrasIfAny?.conditions.contains { $0.template.testsStatus } ?? false
  }

  /// Whether its outputs read its standard output.
  package var needsStandardOutput: Bool { extrasIfAny?.needsStandardOutput == true }
}

/// The settings that most steps do not have.
@usableFromInline package struct StepExtras: Sendable, Equatable {
  /// A condition with the scope in which it is evaluated.
  package struct Condition: Sendable, Equatable {
    package var template: Template
    package var scope: Int
    package var bindings: Bindings?

    package init(template: Template, scope: Int, bindings: Bindings?) {
      (self.template, self.scope, self.bindings) = (template, scope, bindings)
    }
  }

  /// The name of the step in displays; nil to show its id.
  package var name: String?
  /// What is expected of the needs; nil if the success of all of them.
  package var needRules: NeedRules?
  /// Whether the steps that need this one are skipped when its condition is false.
  package var skipsDependents = false
  /// The conditions, all of which must be true for the step to run.
  package var conditions: [Condition] = []
  /// The rule by which it runs again after a success; nil for a single round.
  package var repetition: Repetition?
  /// The command that decides whether the step runs; nil for none.
  package var conditionCommand: ConditionCommand?
  /// Whether the run continues as if the step had succeeded when it fails.
  package var continuesOnError = false
  /// Whether `reprise trace` watches which files it uses.
  package var isWatched = true
  /// Whether its shell is that of its group or file, not its own.
  package var inheritsShell = false
  /// The directories of the groups that contain the step, each relative to the one before it.
  package var directories: [Template] = []
  /// What groups outside of the innermost `foreach` or `matrix` set, from the outside in.
  package var outer: [OuterSettings] = []
  /// The mutex of the step.
  ///
  /// Steps with the same mutex never run at the same time.
  package var mutex: String?
  /// The text of the required approval; nil if the step needs no approval.
  package var approval: String?
  /// The settings of the approval; nil for the usual ones.
  package var approvalRule: ApprovalRule?
  /// Templates of outputs evaluated after success, in addition to those that the step writes.
  package var outputs: [String: Template] = [:]
  /// The rule that decides whether the step is up to date.
  package var cache: CacheRule?
  /// The name under which its work is shared with steps that run at the same time.
  package var share: Template?
  /// The endings of a run after which a step under `finally` runs; nil for other steps.
  package var finally: Set<RunEnding>?
  /// The results of the steps of a used file after which a step under its `finally` runs; nil for
  /// other steps.
  package var cleanUp: Set<RunEnding>?
  /// Whether another step undoes its work.
  package var canBeUndone = false
  /// The id of the step whose work it undoes; nil for other steps.
  package var undoes: String?
  /// The `matrix` or `foreach` values of this instance.
  package var bindings: Bindings?
  /// The id of the step that the run has expanded to this one, among others.
  package var fan: String?
  /// The position of the step's scope in the workflow.
  package var scope = 0
  /// Whether the step owns the terminal while it runs.
  package var usesTerminal = false
  /// Whether its standard error is read separately from its standard output, so that events name the
  /// stream of each line, but not the order of lines of both.
  package var separatesStreams = false
  /// Whether its output goes to a pseudo-terminal, so that it writes as for a person who looks at it.
  package var writesToTerminal = false
  /// The rules of a service; nil for other steps.
  package var service: ServiceRule?
  /// Of the waiting steps, those with a higher number start first.
  package var priority = 0
  /// Where the step runs; nil for a plain process on this machine.
  package var runner: RunnerChoice?
  /// What it takes of pools while it runs, in the order of their names.
  package var pools: [PoolClaim] = []

  /// Creates empty extras.
  package init() {}

  /// Whether its outputs or the end of its repetition read its standard output.
  package var needsStandardOutput: Bool {
    let templates = Array(outputs.values) + [repetition?.condition].compactMap(\.self)
    return templates.contains { template in
      template.expressions.contains { expression, _ in
        var asks = false
        expression.visit { if case .root(.stdout) = $0.kind { asks = true } }
        return asks
      }
    }
  }

  /// The matrix combination of this instance; nil if the step has no matrix.
  package var matrix: [String: Value]? { bindings?.matrix }

  /// The `foreach` item of this instance; nil if the step has no `foreach`.
  package var item: Value? { bindings?.item }

  /// The position of that item, from 0.
  package var itemIndex: Int? { bindings?.index }

  /// Label that distinguishes this instance from its siblings, such as `linux, 5`.
  package var label: String? { bindings?.label }
}

/// The interpreter of a script.
package enum Shell: Sendable, Equatable {
  /// `/bin/sh -e -c`; a plain command line is executed directly, without a shell.
  case standard
  /// A shell, by name or path.
  case named(String)
  /// A program with arguments; the script is appended as the last argument.
  case arguments([String])
}

/// The layout of the steps in the file, for displays; only `needs` determines the order.
package enum Outline: Sendable, Equatable {
  /// A single step.
  case step(StepIndex)
  /// Items in order.
  case sequence([Outline])
  /// Parallel branches.
  case parallel([Outline])
  /// A step that was expanded to several steps: its name and their outline.
  indirect case group(String, Outline)
}
