// A control group for Darwin, which has none.

#if canImport(Darwin)
/// A control group, which cannot be created on Darwin.
package struct ControlGroup: Sendable {
  /// The path of its folder.
  package let path: String

  /// Returns nil.
  package init?(path: String) { return nil }

  static func make() -> ControlGroup? { nil }
  func takeChildren() {}
  /// Does nothing.
  package func kill() {}
  /// Does nothing.
  package func remove() {}
}
#endif
