// Patterns with `%` and names of files, as make understands them.

enum MakePattern {
  /// Returns what `%` of a pattern matches in a word; nil if it does not match.
  static func stem(_ word: String, _ pattern: String) -> String? {
    guard let percent = pattern.firstIndex(of: "%") else { return word == pattern ? "" : nil }
    let before = pattern[..<percent]
    let after = pattern[pattern.index(after: percent)...]
    guard word.count >= before.count + after.count, word.hasPrefix(before), word.hasSuffix(after)
    else { return nil }
    return String(word.dropFirst(before.count).dropLast(after.count))
  }

  /// Returns a pattern with a stem instead of `%`.
  static func filled(_ pattern: String, _ stem: String) -> String {
    guard let percent = pattern.firstIndex(of: "%") else { return pattern }
    return pattern[..<percent] + stem + pattern[pattern.index(after: percent)...]
  }

  /// Replaces the words of a text that match a pattern.
  static func substituted(_ text: String, _ pattern: String, _ replacement: String) -> String {
    text.words.map { word in
      guard let stem = stem(word, pattern) else { return word }
      return pattern.contains("%") ? filled(replacement, stem) : replacement
    }.joined(separator: " ")
  }

  /// The folder of `$(@D)`, without the slash at its end.
  static func folder(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func file(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return String(path[path.index(after: slash)...])
  }

  /// The position of the point before the extension of the last part of a path.
  static func suffixStart(_ path: String) -> String.Index? {
    guard let point = path.lastIndex(of: ".") else { return nil }
    return path[point...].contains("/") ? nil : point
  }

  /// A path from the folder of the makefile, without `.` and `..` where they change nothing.
  static func absolute(_ path: String) -> String {
    let full =
      path.hasPrefix("/") || path.hasPrefix(MakeVariables.here)
      ? path : MakeVariables.here + "/" + path
    var parts: [Substring] = []
    for part in full.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != "..", last != Substring(MakeVariables.here) {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return (full.first == "/" ? "/" : "") + parts.joined(separator: "/")
  }

  /// The path of a file relative to the folder of the makefile.
  static func relative(_ path: String) -> String {
    var path = path[...]
    if path == MakeVariables.here[...] { return "." }
    if path.hasPrefix(MakeVariables.here + "/") {
      path = path.dropFirst(MakeVariables.here.count + 1)
    }
    while path.hasPrefix("./"), path.count > 2 { path = path.dropFirst(2) }
    return String(path)
  }
}
