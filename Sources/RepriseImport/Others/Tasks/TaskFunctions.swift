// The functions of templates of Taskfiles.

enum TaskFunctions {
  /// Returns the value of a function.
  static func value(
    _ name: String, _ arguments: [TaskValue]
  ) throws(Untranslatable) -> TaskValue {
    switch name {
    case "default" where arguments.count == 2:
      return try arguments[1].isTrue() ? arguments[1] : arguments[0]
    case "coalesce":
      for value in arguments where try value.isTrue() { return value }
      return .nothing
    case "and":
      for value in arguments where !(try value.isTrue()) { return value }
      return arguments.last ?? .nothing
    case "or":
      for value in arguments where try value.isTrue() { return value }
      return arguments.last ?? .nothing
    case "not" where arguments.count == 1: return .boolean(!(try arguments[0].isTrue()))
    case "empty" where arguments.count == 1: return .boolean(!(try arguments[0].isTrue()))
    case "ternary" where arguments.count == 3:
      return try arguments[2].isTrue() ? arguments[0] : arguments[1]
    case "eq" where arguments.count >= 2:
      for other in arguments.dropFirst() where try isEqual(arguments[0], other) {
        return .boolean(true)
      }
      return .boolean(false)
    case "ne" where arguments.count == 2:
      return .boolean(!(try isEqual(arguments[0], arguments[1])))
    case "list": return .list(arguments)
    case "first", "last":
      guard arguments.count == 1, case .list(let values) = arguments[0] else { break }
      return (name == "first" ? values.first : values.last) ?? .nothing
    case "len" where arguments.count == 1:
      if case .list(let values) = arguments[0] { return .number(String(values.count)) }
      return .number(String(try arguments[0].known(name).utf8.count))
    case "join" where arguments.count == 2:
      guard case .list(let values) = arguments[1] else { break }
      return TaskValue(
        try values.map { value throws(Untranslatable) in try value.known(name) }
          .joined(separator: try arguments[0].known(name)))
    default: break
    }
    var texts: [String] = []
    for argument in arguments { texts.append(try argument.known(name)) }
    guard let value = text(name, texts) else {
      throw Untranslatable("the function \(name) of a template")
    }
    return value
  }

  private static func isEqual(_ one: TaskValue, _ other: TaskValue) throws(Untranslatable) -> Bool {
    switch (one, other) {
    case (.nothing, .nothing): return true
    case (.boolean(let one), .boolean(let other)): return one == other
    case (.number(let one), .number(let other)): return Double(one) == Double(other)
    case (.text, .text): return try one.known("eq") == other.known("eq")
    case (.nothing, _), (_, .nothing): return false
    default: throw Untranslatable("a comparison of values of different types")
    }
  }

  private static func text(_ name: String, _ texts: [String]) -> TaskValue? {
    switch (name, texts.count) {
    case ("upper", 1): TaskValue(texts[0].uppercased())
    case ("lower", 1): TaskValue(texts[0].lowercased())
    case ("trim", 1): TaskValue(texts[0].trimmed)
    case ("quote", 1): TaskValue("\"\(texts[0])\"")
    case ("squote", 1): TaskValue("'\(texts[0])'")
    case ("trimPrefix", 2):
      TaskValue(
        texts[1].hasPrefix(texts[0]) ? String(texts[1].dropFirst(texts[0].count)) : texts[1])
    case ("trimSuffix", 2):
      TaskValue(
        texts[1].hasSuffix(texts[0]) ? String(texts[1].dropLast(texts[0].count)) : texts[1])
    case ("replace", 3): TaskValue(texts[2].replacing(texts[0], with: texts[1]))
    case ("contains", 2): .boolean(texts[1].contains(texts[0]))
    case ("hasPrefix", 2): .boolean(texts[1].hasPrefix(texts[0]))
    case ("hasSuffix", 2): .boolean(texts[1].hasSuffix(texts[0]))
    case ("splitList", 2) where !texts[0].isEmpty:
      .list(
        texts[1].split(separator: texts[0], omittingEmptySubsequences: false)
          .map { TaskValue(String($0)) })
    case ("splitLines", 1): .list(texts[0].split(separator: "\n").map { TaskValue(String($0)) })
    case ("joinPath", _): TaskValue(texts.filter { !$0.isEmpty }.joined(separator: "/"))
    case ("base", 1): TaskValue(MakePattern.file(texts[0]))
    case ("dir", 1): TaskValue(MakePattern.folder(texts[0]))
    default: nil
    }
  }
}
