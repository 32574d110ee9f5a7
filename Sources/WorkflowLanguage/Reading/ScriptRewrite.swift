// Rewrites the first script line with an expression so that the value is bound to a variable in
// `env`, for a hint.

/// A script line with variables in place of expressions, and their bindings in `env`.
struct ScriptRewrite {
  /// The line with variables in place of expressions.
  private(set) var line = ""
  /// The bindings in `env`, as the contents of a YAML flow map.
  private(set) var bindings = ""
  /// The range of the first expression in the script, in characters.
  let range: Range<Int>

  /// The maximum number of characters of a line.
  private static let lengthMax = 160
  /// Variables with a standard meaning, which a binding must not overwrite.
  private static let reserved: Set = [
    "PATH", "HOME", "USER", "SHELL", "PWD", "LANG", "TERM", "TMPDIR", "IFS", "ENV", "LOGNAME",
  ]

  /// Rewrites the first line with an expression.
  ///
  /// - Parameter script: A script that contains an expression.
  init(_ script: String) {
    let all = Array(script.unicodeScalars)
    let start = all.indices.first { all[$0...].starts(with: "${{".unicodeScalars) } ?? 0
    range = start..<Self.end(of: all, from: start)
    let lineStart = all[..<start].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let lineEnd = all[start...].firstIndex(of: "\n") ?? all.count
    var scalars = all[lineStart..<lineEnd].prefix(Self.lengthMax)[...]
    while scalars.first == " " || scalars.first == "\t" { scalars = scalars.dropFirst() }
    rewrite(Array(scalars))
  }

  private mutating func rewrite(_ scalars: [Unicode.Scalar]) {
    var names: [String] = []
    var isInDouble = false
    var isInSingle = false
    var position = 0
    while position < scalars.count {
      guard scalars[position...].starts(with: "${{".unicodeScalars) else {
        if scalars[position] == "\"", !isInSingle { isInDouble.toggle() }
        if scalars[position] == "'", !isInDouble { isInSingle.toggle() }
        line.unicodeScalars.append(scalars[position])
        position += 1
        continue
      }
      let end = Self.end(of: scalars, from: position)
      var expression = ""
      expression.unicodeScalars.append(contentsOf: scalars[position..<end])
      let name = Self.name(for: expression, names)
      names.append(name)
      bindings += (bindings.isEmpty ? "" : ", ") + "\(name): \(Self.quoted(expression))"
      line += isInDouble ? "$\(name)" : isInSingle ? "'\"$\(name)\"'" : "\"$\(name)\""
      position = end
    }
    // Remove single quotes that contain only the value.
    for name in names { line = line.replacing("''\"$\(name)\"''", with: "\"$\(name)\"") }
  }

  /// Returns the end of the expression that begins at a position.
  private static func end(of scalars: [Unicode.Scalar], from start: Int) -> Int {
    var position = start
    while position < scalars.count, scalars[position] != "\n" {
      if scalars[position...].starts(with: "}}".unicodeScalars) { return position + 2 }
      position += 1
    }
    return position
  }

  private static func quoted(_ expression: String) -> String {
    expression.contains("\"")
      ? "'"
        + expression.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        + "'"
      : "\"\(expression)\""
  }

  /// Returns a name for the variable: the last word or the last two words of the expression.
  private static func name(for expression: String, _ names: [String]) -> String {
    let words = expression.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
      .map { $0.uppercased() }
    for count in 1...2 {
      let name = words.suffix(count).joined(separator: "_")
      if name.first?.isLetter == true, !reserved.contains(name), !names.contains(name) {
        return name
      }
    }
    return "VALUE\(names.count + 1)"
  }
}
