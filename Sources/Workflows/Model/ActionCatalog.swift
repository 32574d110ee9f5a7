// The catalog of actions and runners that a program offers to its workflows, with the checks of
// their arguments and settings.

/// The actions that steps may call, and the kinds of runners where they may run, by name.
public struct ActionCatalog: Sendable {
  /// Checks the arguments of an action; arguments computed later are unknown.
  package typealias Check = @Sendable ([String: ArgumentValue]) throws(ArgumentError) -> Void

  /// Whether steps may call only actions of this catalog.
  package var isComplete = true
  package private(set) var checks: [String: Check] = [:]
  package private(set) var runnerChecks: [String: Check] = [:]

  /// Creates an empty catalog.
  public init() {}

  /// The names of the actions in alphabetical order.
  public var names: [String] { checks.keys.sorted() }

  /// The names of the kinds of runners in alphabetical order.
  public var runnerNames: [String] { runnerChecks.keys.sorted() }

  /// Adds an action, replacing an existing one of the same name.
  package mutating func offer(_ name: String, check: @escaping Check) {
    checks[name] = check
  }

  /// Adds a kind of runner, replacing an existing one of the same name.
  package mutating func offer(runner name: String, check: @escaping Check) {
    runnerChecks[name] = check
  }
}
