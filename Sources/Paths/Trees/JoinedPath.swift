// Joins paths as texts, without normalization.

/// Returns two paths joined by a slash.
///
/// - Parameters:
///   - path: The first path; may be empty.
///   - name: The second path; may be empty.
/// - Returns: Both, separated by exactly one slash unless one is empty.
package func joinedPath(_ path: String, _ name: String) -> String {
  path.isEmpty
    ? name : name.isEmpty ? path : path.hasSuffix("/") ? path + name : "\(path)/\(name)"
}
