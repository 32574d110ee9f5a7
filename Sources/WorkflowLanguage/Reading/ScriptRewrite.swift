// Shows how the first line of a script with an expression in it is written with the value bound in `env`.
// Pure.

/// A line of a script without expressions, and what to put into `env`.
struct ScriptRewrite {
  /// The line with variables in the place of expressions.
  private(set) var line = ""
  /// What to put into `env`, as YAML writes it in `{ }`.
  private(set) var bindings = ""
  /// Where the first expression stands in the script, in characters.
  let range: Range<Int>

  /// How much of a line is shown.
  private static let lengthMax = 160
  /// Variables that mean something to every program.
  private static let taken: Set = [
    "PATH", "HOME", "USER", "SHELL", "PWD", "LANG", "TERM", "TMPDIR", "IFS", "ENV", "LOGNAME",
  ]

  /// - Parameter script: A script with an expression in it.
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
    // Nothing but the value between single quotes: they go.
    for name in names { line = line.replacing("''\"$\(name)\"''", with: "\"$\(name)\"") }
  }

  /// Where an expression that begins at a bracket ends.
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

  /// A name for the variable: the last word of the expression, or the last two.
  private static func name(for expression: String, _ names: [String]) -> String {
    let words = expression.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
      .map { $0.uppercased() }
    for count in 1...2 {
      let name = words.suffix(count).joined(separator: "_")
      if name.first?.isLetter == true, !taken.contains(name), !names.contains(name) { return name }
    }
    return "VALUE\(names.count + 1)"
  }
}
