// The catalog of actions that a program offers to its workflows, with the checks of their
// arguments.

/// The actions that steps may call, by name.
public struct ActionCatalog: Sendable {
  /// Checks the arguments of an action; arguments computed later are unknown.
  package typealias Check = @Sendable ([String: ArgumentValue]) throws(ArgumentError) -> Void

  private(set) var checks: [String: Check] = [:]

  /// Creates an empty catalog.
  public init() {}

  /// The names of the actions in alphabetical order.
  public var names: [String] { checks.keys.sorted() }

  /// Adds an action, replacing an existing one of the same name.
  package mutating func offer(_ name: String, check: @escaping Check) {
    checks[name] = check
  }
}
