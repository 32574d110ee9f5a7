// Parses dotenv files, in the format of docker compose and go-task.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// Reads the files under `dotenv`; later files override earlier ones.
  mutating func readDotenv(_ node: Node, _ context: Context) -> [String: String] {
    let nodes: [Node]
    if case .sequence(let items) = node.content { nodes = items } else { nodes = [node] }
    var variables: [String: String] = [:]
    for node in nodes {
      guard let (path, isRequired, pathNode) = dotenvFile(node, context.file) else { continue }
      do throws(ReadError) {
        let bytes = try sources.dotenv(path)
        guard isWithinLimits(bytes.count, path, pathNode, context.file) else { continue }
        do throws(DotenvError) {
          variables.merge(try DotenvText.variables(in: bytes)) { $1 }
        } catch {
          readers[context.file].report(.variables(path, error), at: pathNode)
        }
      } catch {
        if isRequired {
          readers[context.file].report(.unreadableDotenv(path, error), at: pathNode)
        }
      }
    }
    return variables
  }

  /// Returns whether a dotenv file is within the size limits, or reports an error.
  private mutating func isWithinLimits(
    _ count: Int, _ path: String, _ node: Node, _ file: Int
  ) -> Bool {
    guard count <= SourceFiles.dotenvBytesMax else {
      readers[file].report(.dotenvTooLarge(path), at: node)
      return false
    }
    dotenvBytes += count
    guard dotenvBytes <= SourceFiles.allDotenvBytesMax else {
      readers[file].report(.allDotenvTooLarge, at: node)
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
    var context = Context()
    context.file = file
    guard let entry = Tables.dotenv.read(node, &self, context), let path = entry.path else {
      return nil
    }
    return (path.text, entry.isRequired, path.node)
  }
}

/// A parser for dotenv files.
///
///     # a comment
///     export NAME=value
///     QUOTED="two\nlines"
///     AS_IT_IS='$HOME'
///
/// Variables are not expanded: `$` has no special meaning.
enum DotenvText {
  /// Parses a dotenv file.
  ///
  /// - Throws: ``DotenvError`` for the first invalid line.
  static func variables(in bytes: [UInt8]) throws(DotenvError) -> [String: String] {
    let bytes = SourceText(bytes).bytes
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw unreadableLine(of: bytes)
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
      let (name, value) = try assignment(line, first)
      guard let quote = value.first, quote == "\"" || quote == "'" else {
        variables[name] = String(withoutComment(value))
        continue
      }
      // A quoted value may span several lines.
      rest = text.unicodeScalars[value.index(after: value.startIndex)...]
      guard let end = end(of: rest, quote) else {
        throw DotenvError(line: first, reason: "the quote is not closed")
      }
      let inner = withoutReturns(rest[..<end])
      number += inner.count { $0 == "\n" }
      rest = rest[rest.index(after: end)...]
      let after = trimmed(takeLine(&rest))
      guard after.isEmpty || after.first == "#" else {
        throw DotenvError(line: first, reason: "unexpected text after the closing quote")
      }
      variables[name] = quote == "'" ? String(inner) : unescaped(inner)
    }
    return variables
  }

  private static func assignment(
    _ line: Scalars, _ number: Int
  ) throws(DotenvError) -> (name: String, value: Scalars) {
    let name = line.prefix { $0 == "_" || isLetter($0) || isDigit($0) }
    let afterName = trimmed(line[name.endIndex...])
    guard let letter = name.first, !isDigit(letter), afterName.first == "=" else {
      throw DotenvError(line: number, reason: "\"\(String(line.prefix(60)))\" is not NAME=VALUE")
    }
    guard !name.starts(with: "REPRISE_".unicodeScalars) else {
      throw DotenvError(line: number, reason: Diagnostic.Cause.reservedName.message)
    }
    return (String(name), trimmed(afterName.dropFirst()))
  }

  private typealias Scalars = Substring.UnicodeScalarView

  private static func unreadableLine(of bytes: [UInt8]) -> DotenvError {
    var number = 0
    // Split bytes, because CR LF is a single Swift character.
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.contains(0) {
        return DotenvError(
          line: number, reason: "it contains a NUL character, which cannot be passed to a program")
      }
      if String(validating: line, as: UTF8.self) == nil { break }
    }
    return DotenvError(line: number, reason: "it is not valid UTF-8")
  }

  /// Removes the rest of the line with its end, and returns it without the end.
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

  private static func trimmed(_ text: Scalars) -> Scalars {
    var text = text.drop(while: \.properties.isWhitespace)
    while text.last?.properties.isWhitespace == true { text.removeLast() }
    return text
  }

  /// Returns a value without a trailing comment, which must follow a space.
  private static func withoutComment(_ value: Scalars) -> Scalars {
    var isAfterSpace = false
    for index in value.indices {
      if isAfterSpace && value[index] == "#" { return trimmed(value[..<index]) }
      isAfterSpace = value[index] == " "
    }
    return value
  }

  /// Returns the position of the closing quote; in double quotes, skips escaped characters.
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

  /// Returns a value of several lines with line feeds as line ends, without carriage returns before
  /// them.
  private static func withoutReturns(_ text: Scalars) -> Scalars {
    guard text.contains("\r") else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text {
      if scalar == "\n", result.last == "\r" { result.removeLast() }
      result.append(scalar)
    }
    return Substring(String(result)).unicodeScalars
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
