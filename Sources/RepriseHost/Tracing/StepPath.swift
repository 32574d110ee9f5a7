// `StepPath`: where a step is written, from its id in a run.

/// The id of a step in a run as the names that lead to it: `build[0]/compile` is in item 0 of the group
/// `build`.
struct StepPath: Sendable, Equatable {
  /// The names, each with its item.
  let names: [Substring]

  init(_ id: String) {
    var names: [Substring] = []
    var (start, depth) = (id.startIndex, 0)
    for position in id.indices {
      switch id[position] {
      case "[": depth += 1
      case "]": depth -= 1
      case "/" where depth == 0:
        names.append(id[start..<position])
        start = id.index(after: position)
      default: break
      }
    }
    self.names = names + [id[start...]]
  }

  /// Returns the names by which two steps are known where both are; nil if one name stands for both.
  ///
  /// For `deploy/copy` and `build` these are `deploy` and `build`.
  static func names(of one: StepPath, _ other: StepPath) -> (String, String)? {
    let shared = zip(one.names, other.names).prefix { $0 == $1 }.count
    guard shared < one.names.count, shared < other.names.count else { return nil }
    let pair = (one.names[shared].withoutItem, other.names[shared].withoutItem)
    return pair.0 == pair.1 ? nil : pair
  }

  /// Returns the name of a step that is known where both steps are; nil if it is known elsewhere only.
  func name(besides one: StepPath, _ other: StepPath) -> String? {
    let shared = zip(one.names, other.names).prefix { $0 == $1 }.count
    guard names.count > shared, names[..<shared] == one.names[..<shared] else { return nil }
    return names[shared].withoutItem
  }
}

extension Substring {
  /// The name without its item.
  fileprivate var withoutItem: String { String(prefix { $0 != "[" }) }
}
