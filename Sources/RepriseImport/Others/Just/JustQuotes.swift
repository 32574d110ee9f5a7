// Where a value of a justfile ends: it can go on in the next line, and a comment can follow it.

enum JustQuotes {
  /// Whether a text, braces or parentheses have no end yet.
  static func isOpen(_ text: String) -> Bool { read(text).isOpen }

  /// Returns a value without the comments in it and after it.
  static func withoutComments(_ text: String) -> String { read(text).code }

  private static func read(_ text: String) -> (code: String, isOpen: Bool) {
    var rest = Substring(text)
    var code = ""
    var depth = 0
    while let first = rest.first {
      guard let fence = fence(rest) else {
        if first == "#" {
          rest = rest.drop { $0 != "\n" }
          continue
        }
        if "({[".contains(first) { depth += 1 }
        if ")}]".contains(first) { depth -= 1 }
        code.append(first)
        rest = rest.dropFirst()
        continue
      }
      let start = rest
      rest = rest.dropFirst(fence.count)
      while !rest.hasPrefix(fence) {
        guard let character = rest.popFirst() else { return (code + start, true) }
        if character == "\\", fence.first == "\"" { rest = rest.dropFirst() }
      }
      rest = rest.dropFirst(fence.count)
      code += start[..<rest.startIndex]
    }
    return (code, depth > 0)
  }

  /// The quotes that begin a text; nil if none does.
  private static func fence(_ text: Substring) -> String? {
    guard let first = text.first, "\"'`".contains(first) else { return nil }
    let fence = String(repeating: first, count: 3)
    return text.hasPrefix(fence) ? fence : String(first)
  }
}
