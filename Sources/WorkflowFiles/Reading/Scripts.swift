// Reads scripts, and rewrites those with expressions so that their values are bound in `env`.

import WorkflowReading
import YAML

/// A script with variables in place of expressions, and their bindings in `env`.
struct ScriptRewrite {
  /// A part of the script and what replaces it.
  struct Replacement {
    /// The range in the script, in Unicode scalars.
    let range: Range<Int>
    let text: String
  }

  /// The variables in place of the expressions, in order.
  private(set) var replacements: [Replacement] = []
  /// The names of the variables, with their expressions.
  private var variables: [(name: String, expression: String)] = []
  private let scalars: [Unicode.Scalar]
  /// Whether all expressions are rewritten; false if there are too many.
  private(set) var isComplete = true

  /// The maximum number of expressions that are rewritten.
  private static let countMax = 50
  /// The maximum number of characters of a line.
  private static let lengthMax = 160
  /// Variables with a standard meaning, which a binding must not overwrite.
  private static let reserved: Set = [
    "PATH", "HOME", "USER", "SHELL", "PWD", "LANG", "TERM", "TMPDIR", "IFS", "ENV", "LOGNAME",
  ]

  /// The variables that are bound already, by their expressions, and the names that are taken.
  private let (known, taken): ([String: String], Set<String>)

  /// Rewrites the expressions of a script.
  ///
  /// - Parameters:
  ///   - script: A script that contains an expression.
  ///   - known: The variables of the step, with their values in the file.
  init(_ script: String, besides known: [String: String] = [:]) {
    scalars = Array(script.unicodeScalars)
    self.known = Dictionary(known.map { ($0.value, $0.key) }) { min($0, $1) }
    // A name that the script reads has a value already.
    let names = script.split(separator: "$").map { part in
      String(part.drop { $0 == "{" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
    taken = Set(names).union(known.keys)
    var isInDouble = false
    var isInSingle = false
    var isInComment = false
    var position = 0
    while position < scalars.count {
      guard scalars[position...].starts(with: "${{".unicodeScalars) else {
        switch scalars[position] {
        case "\n": isInComment = false
        // Quotes in a comment quote nothing.
        case _ where isInComment: break
        case "#" where !isInDouble && !isInSingle: isInComment = startsWord(position)
        case "\"" where !isInSingle: isInDouble.toggle()
        case "'" where !isInDouble: isInSingle.toggle()
        default: break
        }
        position += 1
        continue
      }
      guard replacements.count < Self.countMax else {
        isComplete = false
        break
      }
      let end = Self.end(of: scalars, from: position)
      let name = variable(for: text(position..<end))
      if isInSingle, scalars[position - 1] == "'", scalars[end...].first == "'" {
        // The quotes contain only the value.
        replacements.append(
          Replacement(range: position - 1..<end + 1, text: "\"$\(name)\""))
        isInSingle = false
        position = end + 1
        continue
      }
      let text =
        isInDouble || isInComment ? "$\(name)" : isInSingle ? "'\"$\(name)\"'" : "\"$\(name)\""
      replacements.append(Replacement(range: position..<end, text: text))
      position = end
    }
  }

  private func startsWord(_ position: Int) -> Bool {
    position == 0 || [" ", "\t", "\n", ";"].contains(scalars[position - 1])
  }

  /// Whether a shell reads the script with the variables as it would read it with their values.
  ///
  /// That is left to a person where a shell reads a text twice or in another way: in documents, in
  /// arithmetic and substitutions, in the code of another program, and among other text in single quotes.
  var isSafe: Bool {
    let script = text(scalars.indices)
    let special = ["<<", "$((", "`", "eval ", " -c ", " -e ", "\\${{"]
    let isInSubstitution = script.split(separator: "\n").contains {
      $0.contains("${{") && $0.contains("$(")
    }
    return isComplete && !isInSubstitution && !special.contains(where: script.contains)
      && !replacements.contains { $0.text.hasPrefix("'") }
  }

  /// The range of the first expression.
  var range: Range<Int> {
    let start = scalars.indices.first { scalars[$0...].starts(with: "${{".unicodeScalars) } ?? 0
    return start..<Self.end(of: scalars, from: start)
  }

  /// The bindings in `env`, as pairs of YAML.
  var pairs: [String] { variables.map { "\($0.name): \(Self.quoted($0.expression))" } }

  /// The bindings in `env`, as the contents of a YAML flow map.
  var bindings: String { pairs.joined(separator: ", ") }

  /// The first line with an expression, and with variables in its place.
  var line: String {
    let start = range.lowerBound
    let lineStart = scalars[..<start].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let lineEnd = scalars[start...].firstIndex(of: "\n") ?? scalars.count
    var line = ""
    var position = lineStart
    for replacement in replacements where replacement.range.upperBound <= lineEnd {
      line += text(position..<replacement.range.lowerBound) + replacement.text
      position = replacement.range.upperBound
    }
    line += text(position..<lineEnd)
    return String(line.drop { $0 == " " || $0 == "\t" }.prefix(Self.lengthMax))
  }

  /// Returns a part of the script.
  func text(_ range: Range<Int>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[range])
    return text
  }

  private mutating func variable(for expression: String) -> String {
    if let name = known[expression] { return name }
    if let known = variables.first(where: { $0.expression == expression }) { return known.name }
    let name = Self.name(for: expression, taken.union(variables.map(\.name)))
    variables.append((name, expression))
    return name
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
  private static func name(for expression: String, _ names: Set<String>) -> String {
    let words =
      expression.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0))) }
      .map { $0.uppercased().replacing("-", with: "_") }
    for count in 1...2 {
      let name = words.suffix(count).joined(separator: "_")
      if name.first?.isLetter == true, !reserved.contains(name), !names.contains(name) {
        return name
      }
    }
    var number = 1
    while names.contains("VALUE\(number)") { number += 1 }
    return "VALUE\(number)"
  }
}

extension WorkflowReader {
  /// Returns a script; nil, with an error, if it is a list or contains an expression.
  ///
  /// - Parameters:
  ///   - node: The script.
  ///   - context: The inherited settings.
  ///   - fields: The keys of the step, if it can have `env`.
  /// - Returns: The script.
  mutating func readScript(_ node: Node, _ context: Context, of fields: Fields? = nil) -> String? {
    let file = context.file
    if case .sequence = node.content {
      readers[file].report(.scriptIsList, at: node)
      return nil
    }
    guard let text = node.text, text.hasExpression else {
      if let text = node.text { warnOfBraces(in: text, node, context) }
      return readers[file].nonEmptyText(node, "run")
    }
    var known: [String: String] = [:]
    if case .mapping(let pairs)? = fields?["env"]?.content {
      for pair in pairs { known[pair.key.text ?? ""] = pair.value.text ?? "" }
    }
    let rewrite = ScriptRewrite(text, besides: known)
    let isOfShell = isOfShell(text, fields, context)
    let cause = Diagnostic.Cause.scriptWithExpression(
      bindings: rewrite.bindings, line: isOfShell ? rewrite.line : nil)
    let fix =
      isOfShell && rewrite.isSafe
      ? fields.flatMap { edits(rewrite, node, $0, context) }.map(Fix.edits) : nil
    readers[file].report(ExpressionError(cause.fixed(by: fix), rewrite.range), in: node)
    return nil
  }

  /// Returns whether a shell reads a script.
  private func isOfShell(_ text: String, _ fields: Fields?, _ context: Context) -> Bool {
    let own = fields?["shell"].map { $0.text.map(Shell.named) ?? .arguments([]) }
    let shell = own ?? context.defaults.groupShell ?? context.defaults.shell
    return !text.hasPrefix("#!") && shell?.isShell != false
  }

  /// Returns the changes that bind the expressions of a script in `env`; nil if they cannot be made
  /// within lines.
  private mutating func edits(
    _ rewrite: ScriptRewrite, _ node: Node, _ fields: Fields, _ context: Context
  ) -> [Diagnostic.Edit]? {
    let file = context.file
    var edits: [Diagnostic.Edit] = []
    if !rewrite.pairs.isEmpty {
      guard let bindings = binding(rewrite.pairs, in: fields, file) else { return nil }
      edits.append(bindings)
    }
    let isPlain = if case .scalar(_, isPlain: true) = node.content { true } else { false }
    let style = readers[file].line(from: node.mark).first
    for replacement in rewrite.replacements {
      let (mark, length) = readers[file].place(of: replacement.range, in: node)
      let line = readers[file].line(from: mark).prefix(length)
      guard length == replacement.range.count, String(line) == rewrite.text(replacement.range)
      else { return nil }
      let text =
        switch style {
        case "\"": replacement.text.replacing("\"", with: "\\\"")
        case "'": replacement.text.replacing("'", with: "''")
        // A plain text cannot begin with a quote.
        case _ where replacement.range.lowerBound == 0 && isPlain: ""
        default: replacement.text
        }
      guard !text.isEmpty else { return nil }
      edits.append(
        Diagnostic.Edit(line: mark.line, column: mark.column, length: length, text: text))
    }
    return edits
  }

  /// Returns the change that adds bindings to the variables of a step.
  private mutating func binding(
    _ pairs: [String], in fields: Fields, _ file: Int
  ) -> Diagnostic.Edit? {
    guard let run = fields.key("run") else { return nil }
    func insertion(_ text: String, at mark: Mark) -> Diagnostic.Edit {
      Diagnostic.Edit(line: mark.line, column: mark.column, length: 0, text: text)
    }
    guard let variables = fields["env"] else {
      let isFlow = isInBraces(fields.node, file)
      let indentation = String(repeating: " ", count: run.mark.column - 1)
      return insertion(
        "env: { \(pairs.joined(separator: ", ")) }" + (isFlow ? ", " : "\n" + indentation),
        at: run.mark)
    }
    guard case .mapping(let others) = variables.content, let first = others.first?.key else {
      return nil
    }
    let indentation = String(repeating: " ", count: first.mark.column - 1)
    let separator = isInBraces(variables, file) ? ", " : "\n" + indentation
    return insertion(pairs.map { $0 + separator }.joined(), at: first.mark)
  }

  /// Returns whether a map is written in braces.
  private mutating func isInBraces(_ map: Node, _ file: Int) -> Bool {
    readers[file].line(from: map.mark).first == "{"
  }
}

extension Shell {
  /// Whether it is a shell, and not another program that reads scripts.
  fileprivate var isShell: Bool {
    switch self {
    case .standard: true
    case .named(let name):
      ["sh", "bash", "dash", "zsh", "ksh"].contains(
        name.split(separator: "/").last.map(String.init) ?? "")
    case .arguments: false
    }
  }
}
