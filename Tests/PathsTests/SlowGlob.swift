// Random patterns and paths, and an exhaustive matcher that shares no code with the real one.

/// Returns a random valid pattern.
func randomGlob(using generator: inout some RandomNumberGenerator) -> String {
  let pieces = ["a", "b", "*", "?", "[ab]", "[!a]", "ä", ".", "\\*", "{a,b*}", "{,b}a", "{a/b,?}"]
  let names = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
    if Int.random(in: 0..<4, using: &generator) == 0 { return "**" }
    var name = "a"
    repeat {
      name = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? "a"
      }.joined()
      // Neither `**` next to other text nor `.` and `..`, which the matchers may treat differently.
    } while name.contains("**") || name.hasPrefix(".")
    return name
  }
  return names.joined(separator: "/")
}

/// Returns a short random path with the letters of ``randomGlob(using:)``, without `.` and `..`.
func randomPath(using generator: inout some RandomNumberGenerator) -> String {
  (0..<Int.random(in: 1...4, using: &generator)).map { _ in
    var name = "."
    while name == "." || name == ".." {
      name = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        ["a", "a", "b", "ä", ".", "*"].randomElement(using: &generator) ?? "a"
      }.joined()
    }
    return name
  }.joined(separator: "/")
}

/// Returns whether a path matches a pattern, by exhaustive search.
func slowMatches(_ pattern: String, _ path: String) -> Bool {
  slowExpansions(pattern).contains { alternative in
    slowNames(
      alternative.split(separator: "/").map(String.init)[...],
      path.split(separator: "/").map(String.init)[...])
  }
}

/// Expands the braces of a pattern, which are not nested.
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
