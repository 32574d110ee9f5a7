// Paths as texts, which are never normalized.

/// A path with one more name, or one more path.
///
/// - Parameters:
///   - path: The path; empty for none.
///   - name: What follows it; empty for nothing.
/// - Returns: Both, with one slash in between.
package func joinedPath(_ path: String, _ name: String) -> String {
  path.isEmpty
    ? name : name.isEmpty ? path : path.hasSuffix("/") ? path + name : "\(path)/\(name)"
}
