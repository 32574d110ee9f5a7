// Reads files with environment variables, as docker compose and go-task have them.

import YAML

extension WorkflowReader {
  /// Reads `dotenv`: one file or several, later ones before earlier ones.
  mutating func readDotenv(_ node: Node, _ context: Context) -> [String: String] {
    let nodes: [Node]
    if case .sequence(let items) = node.content { nodes = items } else { nodes = [node] }
    var variables: [String: String] = [:]
    for node in nodes {
      guard let (path, isRequired, pathNode) = dotenvFile(node, context.file) else { continue }
      do throws(WorkflowError) {
        let bytes = try sources.dotenv(path)
        variables.merge(try DotenvText.variables(in: bytes, file: path)) { $1 }
      } catch {
        guard isRequired || error.diagnostics.first?.line != 0 else { continue }
        for diagnostic in error.diagnostics {
          readers[context.file].tell(
            diagnostic.line == 0
              ? "\"\(path)\" \(diagnostic.message)"
              : "\(path), line \(diagnostic.line): \(diagnostic.message)",
            at: pathNode,
            hint: diagnostic.line == 0
              ? "make it, or write: { path: \(path), required: false }" : diagnostic.hint)
        }
      }
    }
    return variables
  }

  private mutating func dotenvFile(
    _ node: Node, _ file: Int
  ) -> (path: String, isRequired: Bool, node: Node)? {
    guard case .mapping = node.content else {
      return readers[file].nonEmptyText(node, "dotenv").map { ($0, true, node) }
    }
    guard let fields = readers[file].fields(of: node, .dotenv) else { return nil }
    guard let pathNode = fields["path"] else {
      guard fields.lacks("path") else { return nil }
      readers[file].tell(
        "a file of variables needs a \"path\"", at: node, hint: "write it like: { path: .env }")
      return nil
    }
    let isRequired = fields["required"].flatMap { readers[file].boolean($0, "required") } ?? true
    return readers[file].nonEmptyText(pathNode, "path").map { ($0, isRequired, pathNode) }
  }
}

/// Reads the lines of a file of variables.
///
///     # a comment
///     export NAME=value
///     QUOTED="two\nlines"
///     AS_IT_IS='$HOME'
///
/// Nothing is expanded: a `$` is a `$`.
enum DotenvText {
  /// Reads a text.
  ///
  /// - Throws: ``WorkflowError`` with the first line that makes no sense.
  static func variables(in bytes: [UInt8], file: String) throws(WorkflowError) -> [String: String] {
    var variables: [String: String] = [:]
    // By bytes: as characters, a carriage return and a line feed are one.
    var texts: [Substring] = []
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard let text = String(validating: line, as: UTF8.self), !line.contains(0) else {
        throw mistake(
          line.contains(0)
            ? "it has a NUL in it, which no program can be given" : "it is not UTF-8",
          file, texts.count + 1)
      }
      texts.append(Substring(text))
    }
    var lines = texts[...]
    while let first = lines.first {
      let number = lines.startIndex + 1
      lines = lines.dropFirst()
      var line = trimmed(first)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("export ") { line = trimmed(line.dropFirst(7)) }
      let name = line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      let rest = trimmed(line[name.endIndex...])
      guard let letter = name.first, !letter.isNumber, rest.first == "=" else {
        throw mistake("\"\(line.prefix(60))\" is no NAME=VALUE", file, number)
      }
      guard !name.hasPrefix("REPRISE_") else {
        throw mistake("names that begin with REPRISE_ are set by Reprise itself", file, number)
      }
      var value = trimmed(rest.dropFirst())
      guard let quote = value.first, quote == "\"" || quote == "'" else {
        if let comment = value.start(of: " #") { value = trimmed(value[..<comment]) }
        variables[String(name)] = String(value)
        continue
      }
      // A quoted value may go on over lines.
      var quoted = String(value.dropFirst())
      while end(of: quoted, quote) == nil {
        guard let next = lines.first else {
          throw mistake("the quote is never closed", file, number)
        }
        quoted += "\n" + next
        lines = lines.dropFirst()
      }
      guard let end = end(of: quoted, quote) else { continue }
      let after = trimmed(quoted[quoted.index(after: end)...])
      guard after.isEmpty || after.hasPrefix("#") else {
        throw mistake("something stands behind the closing quote", file, number)
      }
      let inner = String(quoted[..<end])
      variables[String(name)] = quote == "'" ? inner : unescaped(inner)
    }
    return variables
  }

  private static func mistake(_ message: String, _ file: String, _ line: Int) -> WorkflowError {
    WorkflowError(diagnostics: [
      Diagnostic(
        severity: .error, file: file, line: line, column: 1, length: 1, message: printable(message),
        hint: "write NAME=value, one on each line", sourceLine: "")
    ])
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return text
  }

  /// Where a quoted text ends, not counting quotes behind a backslash.
  private static func end(of text: String, _ quote: Character) -> String.Index? {
    var isEscaped = false
    for index in text.indices {
      if isEscaped {
        isEscaped = false
      } else if text[index] == "\\" && quote == "\"" {
        isEscaped = true
      } else if text[index] == quote {
        return index
      }
    }
    return nil
  }

  private static func unescaped(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let letter = rest.popFirst() {
      guard letter == "\\", let next = rest.popFirst() else {
        result.append(letter)
        continue
      }
      switch next {
      case "n": result.append("\n")
      case "r": result.append("\r")
      case "t": result.append("\t")
      default: result.append(next)
      }
    }
    return result
  }
}

extension Substring {
  /// Where a short text first occurs.
  fileprivate func start(of text: String) -> Index? {
    indices.first { self[$0...].hasPrefix(text) }
  }
}

extension SourceFiles {
  /// The content of a file of variables: always the one on disk, since it may hold what must not be kept.
  func dotenv(_ path: String) throws(WorkflowError) -> [UInt8] {
    try Workflow.bytes(ofRegularFile: path)
  }
}
