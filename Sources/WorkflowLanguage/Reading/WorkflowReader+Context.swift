// What holds for the step or list that is being read. Plain values.

extension WorkflowReader {
  /// The settings for steps that have none of their own.
  struct Defaults {
    var timeout: Duration?
    var retry: Retry?
    var continuesOnError = false
    var shell: Shell?
    var grace: Duration?
  }

  /// What holds for the step or list that is being read.
  ///
  /// It goes down through all the levels of a file and of those that it uses, so all but two numbers of it
  /// are on the heap: the stack of a thread may be small.
  struct Context {
    private final class Rest {
      var bindings: Bindings?
      var extras = StepExtras()
      var defaults = Defaults()
      var isFinally = false
      var chain: [String] = []

      init() {}

      init(_ other: Rest) {
        bindings = other.bindings
        extras = other.extras
        defaults = other.defaults
        isFinally = other.isFinally
        chain = other.chain
      }
    }

    var file = 0
    var scope = 0
    /// Whether this is not of a step but of what starts runs.
    var isOfTriggers = false
    private var rest = Rest()
    /// Whether a step here has no extras but those that it names itself.
    private(set) var isPlain = true
    /// Whether a step here is tried again or timed out without saying so itself.
    private(set) var hasDefaults = false

    private mutating func change(_ change: (Rest) -> Void) {
      if !isKnownUniquelyReferenced(&rest) { rest = Rest(rest) }
      change(rest)
      isPlain =
        rest.bindings == nil && !rest.isFinally && !rest.defaults.continuesOnError
        && rest.extras == StepExtras()
      hasDefaults = rest.defaults.timeout != nil || rest.defaults.retry != nil
    }

    var bindings: Bindings? {
      get { rest.bindings }
      set { change { $0.bindings = newValue } }
    }

    /// What steps here have in common.
    var extras: StepExtras {
      get { rest.extras }
      set { change { $0.extras = newValue } }
    }

    var defaults: Defaults {
      get { rest.defaults }
      set { change { $0.defaults = newValue } }
    }

    /// Whether the steps stand under `finally`.
    var isFinally: Bool {
      get { rest.isFinally }
      set { change { $0.isFinally = newValue } }
    }

    /// The files that use this one, outermost first.
    var chain: [String] {
      get { rest.chain }
      set { change { $0.chain = newValue } }
    }
  }
}
