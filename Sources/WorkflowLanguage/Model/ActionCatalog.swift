// Which actions a program offers to the workflows that it runs. Knows how what they are given is checked,
// not what they do.

/// The actions that steps may call, by name.
public struct ActionCatalog: Sendable {
  /// Checks what an action is given, as far as it is known.
  package typealias Check = @Sendable ([String: ArgumentValue]) throws(ArgumentMistake) -> Void

  private(set) var checks: [String: Check] = [:]

  /// Offers nothing.
  public init() {}

  /// The names of the actions in alphabetical order.
  public var names: [String] { checks.keys.sorted() }

  /// Offers an action.
  ///
  /// One of the same name is replaced.
  package mutating func offer(_ name: String, check: @escaping Check) {
    checks[name] = check
  }
}
