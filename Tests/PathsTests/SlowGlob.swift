// Random patterns and paths, and a matcher that tries everything. Shares nothing with the real one.

/// A pattern that makes sense.
func randomGlob(using generator: inout some RandomNumberGenerator) -> String {
  let pieces = ["a", "b", "*", "?", "[ab]", "[!a]", "ä", ".", "\\*", "{a,b*}", "{,b}a", "{a/b,?}"]
  let names = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
    if Int.random(in: 0..<4, using: &generator) == 0 { return "**" }
    var name = "a"
    repeat {
      name = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? "a"
      }.joined()
      // Neither `**` glued to others nor `.` and `..`, which need not be understood alike.
    } while name.contains("**") || name.hasPrefix(".")
    return name
  }
  return names.joined(separator: "/")
}

/// A short path of the letters of ``randomGlob(using:)``.
func randomPath(using generator: inout some RandomNumberGenerator) -> String {
  (0..<Int.random(in: 1...4, using: &generator)).map { _ in
    (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      ["a", "a", "b", "ä", ".", "*"].randomElement(using: &generator) ?? "a"
    }.joined()
  }.joined(separator: "/")
}

/// Whether a path matches a pattern, by trying all that is possible.
func slowMatches(_ pattern: String, _ path: String) -> Bool {
  slowExpansions(pattern).contains { alternative in
    slowNames(
      alternative.split(separator: "/").map(String.init)[...],
      path.split(separator: "/").map(String.init)[...])
  }
}

/// The texts for which the braces of a pattern stand; they hold no others.
private func slowExpansions(_ pattern: String) -> [String] {
  guard let open = pattern.firstIndex(of: "{"), let close = pattern.firstIndex(of: "}") else {
    return [pattern]
  }
  let before = String(pattern[..<open])
  let after = String(pattern[pattern.index(after: close)...])
  let inside = pattern[pattern.index(after: open)..<close]
  return inside.split(separator: ",", omittingEmptySubsequences: false)
    .flatMap { slowExpansions(before + String($0) + after) }
}

private func slowNames(_ pattern: ArraySlice<String>, _ path: ArraySlice<String>) -> Bool {
  guard let first = pattern.first else { return path.isEmpty }
  if first == "**" {
    return slowNames(pattern.dropFirst(), path)
      || !path.isEmpty && slowNames(pattern, path.dropFirst())
  }
  guard let name = path.first else { return false }
  return slowName(Substring(first), Substring(name))
    && slowNames(pattern.dropFirst(), path.dropFirst())
}

private func slowName(_ pattern: Substring, _ name: Substring) -> Bool {
  guard let first = pattern.first else { return name.isEmpty }
  if first == "*" {
    return slowName(pattern.dropFirst(), name)
      || !name.isEmpty && slowName(pattern, name.dropFirst())
  }
  guard let character = name.first else { return false }
  let rest = name.dropFirst()
  switch first {
  case "?": return slowName(pattern.dropFirst(), rest)
  case "\\": return character == pattern.dropFirst().first && slowName(pattern.dropFirst(2), rest)
  case "[":
    let isNegated = pattern.dropFirst().first == "!"
    let set = pattern.prefix { $0 != "]" }.dropFirst(isNegated ? 2 : 1)
    return set.contains(character) != isNegated
      && slowName(pattern.drop { $0 != "]" }.dropFirst(), rest)
  default: return character == first && slowName(pattern.dropFirst(), rest)
  }
}
