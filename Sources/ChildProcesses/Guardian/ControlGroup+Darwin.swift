// Darwin has no control groups.

#if canImport(Darwin)
/// A group that cannot be made here.
package struct ControlGroup: Sendable {
  /// Its folder.
  package let path: String

  /// There is none.
  package init?(path: String) { return nil }

  static func make() -> ControlGroup? { nil }
  func takeChildren() {}
  /// Does nothing.
  package func kill() {}
  /// Does nothing.
  package func remove() {}
}
#endif
