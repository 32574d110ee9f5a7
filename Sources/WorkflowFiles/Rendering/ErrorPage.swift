// The pages in Documentation/errors, which the plugin ErrorTexts builds in: for `reprise explain`
// and the rules of SARIF.

/// The page of an error code.
package struct ErrorPage: Sendable {
  /// A part of a page.
  package enum Part: Sendable, Equatable {
    /// A paragraph.
    case prose(String)
    /// The lines between two fences.
    case block(String)
  }

  /// All codes, sorted.
  package static var codes: [String] { ErrorTexts.pages.map(\.code) }

  /// The code, such as `R0201`.
  package let code: String
  /// The parts: title, meaning, example, further files of the example with their names, the report of
  /// the example, the fix, and the example without the error, if there is an obvious fix.
  package let parts: [Part]

  /// Finds the page of a code, ignoring case.
  package init?(code: String) {
    let code = code.uppercased()
    guard let page = ErrorTexts.pages.first(where: { $0.code == code }) else { return nil }
    self.code = code
    parts = Self.parts(of: page.markdown)
  }

  /// Returns whether text has the form of a code: the letter R and four digits.
  package static func isCode(_ text: String) -> Bool {
    text.utf8.count == 5 && text.uppercased().hasPrefix("R")
      && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Splits a page into its parts, the first without the mark of a heading.
  package static func parts(of markdown: String) -> [Part] {
    var parts: [Part] = []
    var paragraph: [Substring] = []
    var block: [Substring]?
    let lines: [Substring] =
      markdown.split(separator: "\n", omittingEmptySubsequences: false) + [""]
    for line in lines {
      if block == nil, line.isEmpty || line == "```", !paragraph.isEmpty {
        parts.append(.prose(paragraph.joined(separator: " ")))
        paragraph = []
      }
      if line == "```" {
        if let block { parts.append(.block(block.joined(separator: "\n"))) }
        block = block == nil ? [] : nil
      } else if block != nil {
        block?.append(line)
      } else if !line.isEmpty {
        paragraph.append(line.hasPrefix("# ") ? line.dropFirst(2) : line)
      }
    }
    return parts
  }

  private var paragraphs: [String] {
    parts.compactMap { if case .prose(let text) = $0 { text } else { nil } }
  }

  /// The problem in a few words.
  package var title: String { String(paragraphs[0].dropFirst(code.count + 2)) }

  /// The explanation of the problem.
  package var meaning: String { paragraphs[1] }

  /// How to fix the problem.
  package var fix: String { paragraphs[paragraphs.count - 1] }

  /// The page as plain text for a terminal.
  package var text: String {
    parts.map { part in
      switch part {
      case .prose(let text): text
      case .block(let text): "  " + text.replacing("\n", with: "\n  ")
      }
    }.joined(separator: "\n\n")
  }
}
