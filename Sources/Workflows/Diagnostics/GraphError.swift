// The errors of an invalid dependency graph.

/// An error that makes a dependency graph invalid.
package enum GraphError: Error, Equatable, CustomStringConvertible {
  /// Two steps have the same id.
  case duplicateStep(String)
  /// A step needs a step that does not exist.
  case unknownNeed(step: String, need: String)
  /// A step needs itself.
  case needsItself(String)
  /// Steps need one another in a cycle: each needs the next, and the last needs the first.
  case cycle([String])

  /// The error message, without a period at the end.
  package var description: String {
    switch self {
    case .duplicateStep(let id): "there are two steps \"\(id)\""
    case .unknownNeed(let step, let need):
      "step \"\(step)\" needs \"\(need)\", which does not exist"
    case .needsItself(let id): "step \"\(id)\" needs itself"
    case .cycle(let ids):
      "dependency cycle: "
        + (ids.count > 12
          ? ids.prefix(10).joined(separator: " -> ") + " -> … (\(ids.count) steps) -> \(ids[0])"
          : (ids + ids.prefix(1)).joined(separator: " -> "))
    }
  }
}
