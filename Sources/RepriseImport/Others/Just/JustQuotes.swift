// Whether a value of a justfile goes on in the next line.

enum JustQuotes {
  /// Whether a text, braces or parentheses have no end yet.
  static func isOpen(_ text: String) -> Bool {
    var rest = Substring(text)
    var depth = 0
    while let first = rest.first {
      guard let fence = fence(rest) else {
        if first == "#" { rest = rest.drop { $0 != "\n" } }
        if "({[".contains(first) { depth += 1 }
        if ")}]".contains(first) { depth -= 1 }
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(fence.count)
      while !rest.hasPrefix(fence) {
        guard let character = rest.popFirst() else { return true }
        if character == "\\", fence.first == "\"" { rest = rest.dropFirst() }
      }
      rest = rest.dropFirst(fence.count)
    }
    return depth > 0
  }

  /// The quotes that begin a text; nil if none does.
  private static func fence(_ text: Substring) -> String? {
    guard let first = text.first, "\"'`".contains(first) else { return nil }
    let fence = String(repeating: first, count: 3)
    return text.hasPrefix(fence) ? fence : String(first)
  }
}
