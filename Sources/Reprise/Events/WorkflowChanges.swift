// `WorkflowChanges`: the steps that differ between two versions of a workflow, as an event reports
// them.

/// The steps that differ between two versions of a workflow.
///
/// Contains no values, so it cannot contain secrets.
public struct WorkflowChanges: Sendable, Equatable, CustomStringConvertible {
  /// The ids of the steps that only the new version has.
  public var added: [String]
  /// The ids of the steps that only the old version has.
  public var removed: [String]
  /// The ids of the steps that both versions have, with different declarations.
  public var changed: [String]

  /// Creates a value.
  ///
  /// - Parameters:
  ///   - added: The ids of the steps that only the new version has.
  ///   - removed: The ids of the steps that only the old version has.
  ///   - changed: The ids of the steps that both versions have, with different declarations.
  public init(added: [String] = [], removed: [String] = [], changed: [String] = []) {
    self.added = added
    self.removed = removed
    self.changed = changed
  }

  /// The changes in one line, such as `added: test; removed: lint, pack`.
  public var description: String {
    let parts = [("added", added), ("removed", removed), ("changed", changed)]
      .filter { !$0.1.isEmpty }
      .map { name, ids in
        "\(name): " + ids.prefix(10).joined(separator: ", ") + (ids.count > 10 ? ", …" : "")
      }
    return parts.isEmpty ? "no step differs" : parts.joined(separator: "; ")
  }
}
