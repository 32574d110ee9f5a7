// Errors and warnings about a workflow file, and how they are formatted.

/// One error or warning about a workflow file.
public struct Diagnostic: Sendable, Equatable {
  /// The severity of a diagnostic.
  public enum Severity: String, Sendable {
    /// The workflow cannot be run.
    case error
    /// The workflow can be run, but probably does not do what its author meant.
    case warning
  }

  /// Whether this is an error or a warning.
  public var severity: Severity
  /// The code of the cause, such as `R0201`, which `reprise explain R0201` explains.
  ///
  /// A code never changes its meaning.
  public let code: String
  /// The path of the file, as the caller specified it.
  public var file: String
  /// The line, from 1; 0 if the error concerns the file as a whole.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int
  /// The number of marked characters.
  public var length: Int
  /// The description of the problem.
  public var message: String
  /// A suggestion for fixing the problem, if any.
  public var hint: String?
  /// The changes of the file that remove the cause without a change of meaning; empty if a person
  /// has to decide.
  public var edits: [Edit]
  /// The text of the line, for an excerpt.
  public var sourceLine: String

  /// One change of a file, within a line.
  public struct Edit: Sendable, Equatable {
    /// The line, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int
    /// The number of characters that are replaced.
    public let length: Int
    /// The text instead of them, which may have several lines.
    public let text: String

    package init(line: Int, column: Int, length: Int, text: String) {
      (self.line, self.column, self.length, self.text) = (line, column, length, text)
    }
  }

  /// Creates a diagnostic for a cause at a location.
  package init(
    _ cause: Cause, severity: Severity = .error, file: String, line: Int = 0,
    column: Int = 0, length: Int = 0
  ) {
    self.severity = severity
    code = cause.code
    self.file = file
    self.line = line
    self.column = column
    self.length = length
    message = printable(abridged(cause.message))
    hint = cause.hint.map { printable(abridged($0)) }
    edits =
      switch cause.fix {
      case nil: []
      case .edits(let edits): edits
      case .replacement(let text):
        line > 0 ? [Edit(line: line, column: column, length: length, text: text)] : []
      }
    sourceLine = ""
  }
}

extension Diagnostic: CustomStringConvertible {
  /// The largest column up to which excerpts show the beginning of the line.
  private static let columnsMax = 120

  /// The diagnostic for a terminal: location, message, and the source line with a caret.
  public var description: String {
    guard line > 0 else {
      return "\(file): \(title): \(message)" + (hint.map { "\n  \($0)" } ?? "")
    }
    let number = String(line)
    let gutter = String(repeating: " ", count: max(5, number.count + 3))
    // Show only the part around the location if the line is long.
    let skipped = column > Self.columnsMax ? column - Self.columnsMax / 2 : 0
    let window = String(
      String.UnicodeScalarView(
        sourceLine.unicodeScalars.dropFirst(skipped).prefix(2 * Self.columnsMax)))
    let excerpt = (skipped > 0 ? "…" : "") + window
    // Keep tabs before the caret, so that it lines up with the marked text.
    let count = column - 1 - skipped + (skipped > 0 ? 1 : 0)
    let before = excerpt.unicodeScalars.prefix(count).map { $0 == "\t" ? "\t" : " " }
    let carets = "^" + String(repeating: "~", count: max(0, min(length, 60) - 1))
    return """
      \(file):\(line):\(column): \(title): \(message)
      \(String(repeating: " ", count: gutter.count - number.count))\(number) | \(shown(excerpt))
      \(gutter) | \(before.joined())\(carets)\(hint.map { " " + $0 } ?? "")
      """
  }

  private var title: String { "\(severity.rawValue)[\(code)]" }

  /// Returns at most 200 characters of a line, with terminal controls escaped.
  private func shown(_ line: String) -> String {
    printable(String(line.prefix(200)), keepingTabs: true)
  }
}

/// The errors in a workflow file.
public struct WorkflowError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The maximum number of diagnostics in the description.
  package static let shownMax = 100

  /// The errors and warnings in the order of the file; at most a few hundred.
  public let diagnostics: [Diagnostic]
  /// The total number of errors, which may exceed the number of reported ones.
  public let errorCount: Int

  package init(diagnostics: [Diagnostic], errorCount: Int? = nil) {
    self.diagnostics = diagnostics
    self.errorCount = errorCount ?? diagnostics.count { $0.severity == .error }
  }

  /// All diagnostics, one after the other, and the number of errors if there are several.
  public var description: String {
    let texts = diagnostics.prefix(Self.shownMax).map(\.description)
    return texts.joined(separator: "\n\n")
      + (errorCount > 1 ? "\n\n\(errorCount) errors" : "")
  }
}

/// Shortens a long message in the middle, since it may quote a value of any size.
///
/// - Parameter message: The message.
/// - Returns: At most 1000 characters, with `…` in place of the removed part.
package func abridged(_ message: String) -> String {
  // Fast path: most messages are short, and a character has at least one byte.
  guard message.utf8.count > 1000, message.unicodeScalars.count > 1000 else { return message }
  var result = String.UnicodeScalarView(message.unicodeScalars.prefix(599))
  result.append("…")
  result.append(contentsOf: message.unicodeScalars.suffix(400))
  return String(result)
}

/// Escapes the characters of a text that a terminal would interpret.
package func printable(_ text: String, keepingTabs: Bool = false, keepingLines: Bool = false)
  -> String
{
  text.unicodeScalars.reduce(into: "") { result, scalar in
    switch scalar.value {
    case 0x09 where keepingTabs, 0x0A where keepingLines: result.unicodeScalars.append(scalar)
    case _ where scalar.isTerminalControl:
      result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    default: result.unicodeScalars.append(scalar)
    }
  }
}

extension Unicode.Scalar {
  /// Whether a terminal may interpret the character instead of showing it.
  ///
  /// True for control characters (C0, DEL and C1) and for characters that change the direction of
  /// writing.
  package var isTerminalControl: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension Diagnostic {
  /// The code of the warnings of names and words of earlier versions.
  package static let codeOfFormerNames = "R0918"
}
