// One step as a workflow declares it. Knows neither files nor how steps are run.

extension Workflow {
  /// One unit of work.
  public struct Step: Sendable, Equatable {
    /// The name of the step, unique in its workflow.
    public var id: String
    /// The ids of the steps that must be over before this one starts.
    ///
    /// The order that a list implies has been made explicit.
    public var needs: [String]
    /// What the step does.
    public var action: Action
    /// Environment variables for this step, on top of those of its workflow.
    public var environment: [String: Template]
    /// Where it runs, relative to the directory of its workflow; there when nil.
    public var directory: Template? {
      get { settingsBox?.value.directory }
      set { settings.directory = newValue }
    }
    /// What runs its script; what the workflow says when nil.
    public var shell: Shell? {
      get { settingsBox?.value.shell }
      set { settings.shell = newValue }
    }
    /// How long it may take; as long as it wants when nil.
    public var timeout: Duration? {
      get { settingsBox?.value.timeout }
      set { settings.timeout = newValue }
    }
    /// How long it may take to end once it is told to; what the workflow says when nil.
    public var grace: Duration? {
      get { settingsBox?.value.grace }
      set { settings.grace = newValue }
    }
    /// When it is tried again after a failure; nil for never.
    public var retry: Retry? {
      get { settingsBox?.value.retry }
      set { settings.retry = newValue }
    }
    /// Everything that most steps do not have.
    public var extras: StepExtras {
      get { extrasBox?.value ?? StepExtras() }
      set { extrasBox = newValue == StepExtras() ? nil : Box(newValue) }
    }

    /// The extras, or nil for a step that has none: cheaper where that is all one wants to know.
    package var extrasIfAny: StepExtras? { extrasBox?.value }

    /// How it is run, where it says so itself.
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

    // Boxed: most steps of a large file have none, and they take the room of one word.
    private var settingsBox: Box<Settings>?
    private var extrasBox: Box<StepExtras>?

    private final class Box<Value: Sendable & Equatable>: Sendable, Equatable {
      let value: Value

      init(_ value: Value) {
        self.value = value
      }

      static func == (left: Box, right: Box) -> Bool { left.value == right.value }
    }

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
    ///   - extras: Everything that most steps do not have.
    public init(
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

/// What most steps do not have.
public struct StepExtras: Sendable, Equatable {
  /// A condition with the scope in which it is computed.
  struct Condition: Sendable, Equatable {
    var template: Template
    var scope: Int
    var bindings: Bindings?
  }

  /// The step runs only when all of them come to true.
  var conditions: [Condition] = []
  /// Whether the run goes on as if it had succeeded when it fails.
  public var continuesOnError = false
  /// Steps of the same name never run at once.
  public var mutex: String?
  /// What somebody has to approve before it starts; nil when nobody has to.
  public var approval: String?
  /// How its outputs are computed once it has succeeded, beside those that it writes itself.
  public var outputs: [String: Template] = [:]
  /// When it is up to date.
  public var cache: CacheRule?
  /// The name under which its work is shared with steps that do the same at the same time.
  public var share: Template?
  /// The endings of a run after which it runs, for steps under `finally`; nil for others.
  public var finally: Set<RunEnding>?
  /// What it knows of itself as one of many.
  var bindings: Bindings?
  /// The ids of the groups of which it is a part, outer ones first.
  package var groups: [String] = []
  /// The position of its scope in the workflow.
  var scope = 0
  /// Which of its siblings are cancelled when it fails: those that share this group; nil for none.
  package var failFastGroup: String?
  /// The group whose `max-parallel` it counts for, with the limit.
  package var parallelLimit: ParallelLimit?

  /// Extras of a step that has none.
  public init() {}

  /// The combination of a matrix that it is for; nil where it is for none.
  public var matrix: [String: Value]? { bindings?.matrix }

  /// The item of a foreach that it is for; nil where it is for none.
  public var item: Value? { bindings?.item }

  /// The position of that item, from 0.
  public var itemIndex: Int? { bindings?.index }

  /// The position of its file among those that take part.
  package var scopePosition: Int { scope }

  /// What tells a step that is one of many from its siblings.
  public var label: String? { bindings?.label }
}

/// How many steps of a group may run at once.
package struct ParallelLimit: Sendable, Equatable {
  /// The id of the group.
  package var group: String
  /// How many.
  package var count: Int
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
public enum Outline: Sendable, Equatable {
  /// One step.
  case step(StepIndex)
  /// One after the other.
  case sequence([Outline])
  /// Side by side.
  case parallel([Outline])
  /// A step that has become several: its name, and what it became.
  indirect case group(String, Outline)
}
