// The inherited settings of the step or list that is being read.

package import Workflows

extension WorkflowReader {
  /// The default settings of steps.
  package struct Defaults {
    package var timeout: Duration?
    package var retry: Retry?
    package var continuesOnError = false
    package var skipsDependents = false
    package var shell: Shell?
    package var grace: Duration?
    /// The shell of the innermost group that sets one.
    package var groupShell: Shell?

    package init() {}
  }

  /// The inherited settings of the step or list that is being read.
  ///
  /// Each recursive call for a nested list or a used file has its own copy. Most of it is on the
  /// heap, because the stack of a thread may be small.
  package struct Context {
    private final class Rest {
      var bindings: Bindings?
      var extras = StepExtras()
      var defaults = Defaults()
      var isFinally = false
      var isCleanUp = false
      var environment: [String: Template] = [:]
      var chain: [String] = []
      var opening: [Need] = []

      init() {}

      init(_ other: Rest) {
        bindings = other.bindings
        extras = other.extras
        defaults = other.defaults
        isFinally = other.isFinally
        isCleanUp = other.isCleanUp
        environment = other.environment
        chain = other.chain
        opening = other.opening
      }
    }

    package var file = 0
    package var scope = 0
    /// The innermost group around the steps.
    package var group = GroupIndex.run
    /// Whether triggers are being read instead of steps.
    package var isOfTriggers = false
    private var rest = Rest()
    /// Whether steps inherit no extras.
    package private(set) var isPlain = true
    /// Whether steps inherit a timeout or retries.
    package private(set) var hasDefaults = false

    package init() {}

    private mutating func change(_ change: (Rest) -> Void) {
      if !isKnownUniquelyReferenced(&rest) { rest = Rest(rest) }
      change(rest)
      isPlain =
        rest.bindings == nil && !rest.isFinally && !rest.isCleanUp
        && !rest.defaults.continuesOnError
        && !rest.defaults.skipsDependents
        && rest.extras == StepExtras()
      hasDefaults =
        rest.defaults.timeout != nil || rest.defaults.retry != nil
        || rest.defaults.groupShell != nil
    }

    package var bindings: Bindings? {
      get { rest.bindings }
      set { change { $0.bindings = newValue } }
    }

    /// The extras that all steps inherit.
    package var extras: StepExtras {
      get { rest.extras }
      set { change { $0.extras = newValue } }
    }

    package var defaults: Defaults {
      get { rest.defaults }
      set { change { $0.defaults = newValue } }
    }

    /// The environment variables of the groups that contain the steps.
    package var environment: [String: Template] {
      get { rest.environment }
      set { change { $0.environment = newValue } }
    }

    /// Lets the expressions of the groups so far keep their item when a `foreach` or `matrix` begins.
    package mutating func keepOuterItem() {
      guard bindings != nil, !environment.isEmpty || !extras.directories.isEmpty else { return }
      extras.outer.append(
        OuterSettings(
          environment: environment, directories: extras.directories, scope: scope,
          bindings: bindings))
      extras.directories = []
      environment = [:]
    }

    /// Whether the steps are under `finally` of a used file.
    package var isCleanUp: Bool {
      get { rest.isCleanUp }
      set { change { $0.isCleanUp = newValue } }
    }

    /// Whether the steps are under `finally`.
    package var isFinally: Bool {
      get { rest.isFinally }
      set { change { $0.isFinally = newValue } }
    }

    /// What the innermost group with settings around the steps needs: also its steps with needs of
    /// their own begin after it.
    package var opening: [Need] {
      get { rest.opening }
      set { change { $0.opening = newValue } }
    }

    /// The files that use this file, outermost first.
    package var chain: [String] {
      get { rest.chain }
      set { change { $0.chain = newValue } }
    }
  }
}
