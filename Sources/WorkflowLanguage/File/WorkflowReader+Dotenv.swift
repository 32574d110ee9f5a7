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
        guard isWithinLimits(bytes.count, path, pathNode, context.file) else { continue }
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

  /// Reports a file of variables that is too large, or that makes all of them too large.
  private mutating func isWithinLimits(
    _ count: Int, _ path: String, _ node: Node, _ file: Int
  ) -> Bool {
    guard count <= SourceFiles.dotenvBytesMax else {
      readers[file].tell(
        "\"\(path)\" is larger than \(SourceFiles.dotenvBytesMax >> 20) MiB, which is the most that a "
          + "file of variables may have", at: node,
        hint: "make it smaller: a program can hardly be given so much")
      return false
    }
    dotenvBytes += count
    guard dotenvBytes <= SourceFiles.allDotenvBytesMax else {
      readers[file].tell(
        "all files of variables have more than \(SourceFiles.allDotenvBytesMax >> 20) MiB together",
        at: node, hint: "name fewer or smaller ones")
      return false
    }
    return true
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
  /// Reads a text, from its beginning to its end.
  ///
  /// - Throws: ``WorkflowError`` with the first line that makes no sense.
  static func variables(in bytes: [UInt8], file: String) throws(WorkflowError) -> [String: String] {
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw unreadableLine(of: bytes, file)
    }
    var variables: [String: String] = [:]
    var rest = text.unicodeScalars[...]
    var number = 0
    while !rest.isEmpty {
      number += 1
      let first = number
      var line = trimmed(takeLine(&rest))
      if line.isEmpty || line.first == "#" { continue }
      if line.starts(with: "export ".unicodeScalars) { line = trimmed(line.dropFirst(7)) }
      let name = line.prefix { $0 == "_" || isLetter($0) || isDigit($0) }
      let afterName = trimmed(line[name.endIndex...])
      guard let letter = name.first, !isDigit(letter), afterName.first == "=" else {
        throw mistake("\"\(String(line.prefix(60)))\" is no NAME=VALUE", file, first)
      }
      guard !name.starts(with: "REPRISE_".unicodeScalars) else {
        throw mistake("names that begin with REPRISE_ are set by Reprise itself", file, first)
      }
      let value = trimmed(afterName.dropFirst())
      guard let quote = value.first, quote == "\"" || quote == "'" else {
        variables[String(name)] = String(withoutComment(value))
        continue
      }
      // A quoted value may go on over lines.
      rest = text.unicodeScalars[value.index(after: value.startIndex)...]
      guard let end = end(of: rest, quote) else {
        throw mistake("the quote is never closed", file, first)
      }
      let inner = rest[..<end]
      number += inner.count { $0 == "\n" }
      rest = rest[rest.index(after: end)...]
      let after = trimmed(takeLine(&rest))
      guard after.isEmpty || after.first == "#" else {
        throw mistake("something stands behind the closing quote", file, first)
      }
      variables[String(name)] = quote == "'" ? String(inner) : unescaped(inner)
    }
    return variables
  }

  private typealias Scalars = Substring.UnicodeScalarView

  private static func unreadableLine(of bytes: [UInt8], _ file: String) -> WorkflowError {
    var number = 0
    // By bytes: as characters, a carriage return and a line feed are one.
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.contains(0) {
        return mistake("it has a NUL in it, which no program can be given", file, number)
      }
      if String(validating: line, as: UTF8.self) == nil { break }
    }
    return mistake("it is not UTF-8", file, number)
  }

  /// Takes what is left of a line, with its end.
  private static func takeLine(_ rest: inout Scalars) -> Scalars {
    let end = rest.firstIndex(of: "\n") ?? rest.endIndex
    let line = rest[..<end]
    rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
    return line
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    "a"..."z" ~= scalar || "A"..."Z" ~= scalar
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }

  private static func mistake(_ message: String, _ file: String, _ line: Int) -> WorkflowError {
    WorkflowError(diagnostics: [
      Diagnostic(
        severity: .error, file: file, line: line, column: 1, length: 1, message: printable(message),
        hint: "write NAME=value, one on each line", sourceLine: "")
    ])
  }

  private static func trimmed(_ text: Scalars) -> Scalars {
    var text = text.drop(while: \.properties.isWhitespace)
    while text.last?.properties.isWhitespace == true { text.removeLast() }
    return text
  }

  /// A value without the comment after it, which begins with a space.
  private static func withoutComment(_ value: Scalars) -> Scalars {
    var isAfterSpace = false
    for index in value.indices {
      if isAfterSpace && value[index] == "#" { return trimmed(value[..<index]) }
      isAfterSpace = value[index] == " "
    }
    return value
  }

  /// Where a quoted text ends, not counting quotes behind a backslash.
  private static func end(of text: Scalars, _ quote: Unicode.Scalar) -> Scalars.Index? {
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

  private static func unescaped(_ text: Scalars) -> String {
    var result = String.UnicodeScalarView()
    var iterator = text.makeIterator()
    while let letter = iterator.next() {
      guard letter == "\\", let next = iterator.next() else {
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
    return String(result)
  }
}

extension SourceFiles {
  /// How large one file of variables may be, in bytes.
  static let dotenvBytesMax = 1 << 20
  /// How large all files of variables of a workflow may be together, in bytes.
  static let allDotenvBytesMax = 16 << 20

  /// The content of a file of variables: always the one on disk, since it may hold what must not be kept.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: Its bytes, at most one more than a file may have.
  /// - Throws: ``WorkflowError`` when it is no regular file or cannot be read.
  func dotenv(_ path: String) throws(WorkflowError) -> [UInt8] {
    try Workflow.bytes(ofRegularFile: path, upTo: Self.dotenvBytesMax)
  }
}
