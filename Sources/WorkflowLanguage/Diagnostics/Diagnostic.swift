// What is wrong with a workflow file, and how it is shown.

/// One error or warning about a workflow file.
public struct Diagnostic: Sendable, Equatable {
  /// How bad it is.
  public enum Severity: String, Sendable {
    /// The workflow cannot be run.
    case error
    /// It can be run, but probably not as it was meant.
    case warning
  }

  /// How bad it is.
  public var severity: Severity
  /// The code of its cause, such as `R0201`: `reprise explain R0201` says more.
  ///
  /// A code never changes its meaning.
  public let code: String
  /// The file, as it was named.
  public var file: String
  /// The line, from 1; 0 when the mistake is the file as a whole.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int
  /// How many characters are meant.
  public var length: Int
  /// What is wrong.
  public var message: String
  /// How to mend it.
  public var hint: String?
  /// The line of the file, to show the place in.
  public var sourceLine: String

  /// What is wrong at a place.
  init(
    _ kind: DiagnosticKind, severity: Severity = .error, file: String, line: Int = 0,
    column: Int = 0, length: Int = 0
  ) {
    self.severity = severity
    code = kind.code
    self.file = file
    self.line = line
    self.column = column
    self.length = length
    message = printable(abridged(kind.text))
    hint = kind.hint.map { printable(abridged($0)) }
    sourceLine = ""
  }
}

extension Diagnostic: CustomStringConvertible {
  /// How far a place may stand to the right before the beginning of its line is left out.
  private static let columnsMax = 120

  /// The mistake as a person reads it: place, message, and the line with a caret.
  public var description: String {
    guard line > 0 else {
      return "\(file): \(title): \(message)" + (hint.map { "\n  \($0)" } ?? "")
    }
    let number = String(line)
    let gutter = String(repeating: " ", count: max(5, number.count + 3))
    // Of a long line the part around the place is shown.
    let skipped = column > Self.columnsMax ? column - Self.columnsMax / 2 : 0
    let window = String(
      String.UnicodeScalarView(
        sourceLine.unicodeScalars.dropFirst(skipped).prefix(2 * Self.columnsMax)))
    let excerpt = (skipped > 0 ? "…" : "") + window
    // Tabs stay tabs before the caret, so that it stands below what it means.
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

  /// A line of at most 200 characters, with nothing in it that a terminal would obey.
  private func shown(_ line: String) -> String {
    printable(String(line.prefix(200)), keepingTabs: true)
  }
}

/// What is wrong with a workflow file: all of it.
public struct WorkflowError: Error, Sendable, Equatable, CustomStringConvertible {
  /// How many mistakes of a file are reported.
  static let shownMax = 100

  /// The mistakes in the order of the file, and warnings between them; at most some hundreds.
  public let diagnostics: [Diagnostic]
  /// How many mistakes there are in all.
  public let mistakeCount: Int

  package init(diagnostics: [Diagnostic], mistakeCount: Int? = nil) {
    self.diagnostics = diagnostics
    self.mistakeCount = mistakeCount ?? diagnostics.count { $0.severity == .error }
  }

  /// All mistakes, one after the other, with a count where there are several.
  public var description: String {
    let texts = diagnostics.prefix(Self.shownMax).map(\.description)
    return texts.joined(separator: "\n\n")
      + (mistakeCount > 1 ? "\n\n\(mistakeCount) mistakes" : "")
  }
}

/// A message without the middle where it is very long, since it may quote a value of any size.
///
/// - Parameter message: The message.
/// - Returns: At most a thousand characters, with `…` where something is missing.
package func abridged(_ message: String) -> String {
  // Most are short, and a character has at least a byte.
  guard message.utf8.count > 1000, message.unicodeScalars.count > 1000 else { return message }
  var result = String.UnicodeScalarView(message.unicodeScalars.prefix(599))
  result.append("…")
  result.append(contentsOf: message.unicodeScalars.suffix(400))
  return String(result)
}

/// A text with control characters and those that turn the direction of writing made visible.
func printable(_ text: String, keepingTabs: Bool = false, keepingLines: Bool = false) -> String {
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
  /// Whether a terminal may obey the character instead of showing it: a control character (C0, DEL
  /// and C1) or one that changes the direction of writing.
  package var isTerminalControl: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
