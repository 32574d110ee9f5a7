// Parses the fenced code blocks and comments of a Markdown page. Does not interpret the code.

import Foundation

/// A page with its fenced blocks.
struct Page: Sendable {
  /// An error at a line of a page.
  struct ParseError: Error, CustomStringConvertible {
    let description: String

    init(_ page: String, line: Int, _ text: String) {
      description = "\(page):\(line): \(text)"
    }
  }

  /// An HTML comment, which readers do not see.
  struct Comment: Sendable {
    /// The line where its text starts, counted from 1.
    let line: Int
    let lines: [String]

    /// Returns the text after a word and a colon at the start of the comment, line by line.
    func lines(after word: String) -> [String]? {
      guard let first = lines.first, first.hasPrefix(word + ":") else { return nil }
      let rest = first.dropFirst(word.count + 1).trimmingCharacters(in: .whitespaces)
      return [rest] + lines.dropFirst()
    }
  }

  /// A fenced block.
  struct Block: Sendable {
    /// The info string after the opening fence.
    let language: String
    /// The line after the opening fence, counted from 1.
    let line: Int
    /// The lines without the indentation of the fence.
    let lines: [String]
    /// The comments between the previous text and the block.
    let comments: [Comment]

    /// The first line that is not a comment, in a language whose comments start with `#`.
    var firstWords: String? { lines.first { !$0.isEmpty && !$0.hasPrefix("#") } }

    func has(comment: String) -> Bool { comments.contains { $0.lines == [comment] } }
  }

  let path: String
  let lineCount: Int
  let blocks: [Block]

  /// Parses a page.
  ///
  /// - Throws: ``ParseError`` if a block could be missed.
  init(path: String, text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var blocks: [Block] = []
    var comments: [Comment] = []
    var index = 0
    while index < lines.count {
      let line = lines[index]
      let words = line.trimmingCharacters(in: .whitespaces)
      if let fence = line.wholeMatch(of: /(\s*)(```+|~~~+)\s*([^`]*)/) {
        guard let end = lines[(index + 1)...].firstIndex(where: { Self.ends($0, fence.2) }) else {
          throw ParseError(path, line: index + 1, "the block is not closed")
        }
        let indentation = fence.1.count
        blocks.append(
          Block(
            language: fence.3.trimmingCharacters(in: .whitespaces), line: index + 2,
            lines: lines[(index + 1)..<end].map { Self.without(indentation, $0) },
            comments: comments))
        comments = []
        index = end
      } else if words.hasPrefix("<!--") {
        guard let end = lines[index...].firstIndex(where: { $0.contains("-->") }) else {
          throw ParseError(path, line: index + 1, "the comment is not closed")
        }
        let text = lines[index...end].joined(separator: "\n")
          .replacing("<!--", with: "").replacing(/-->.*/, with: "")
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The text may start on the line after `<!--`.
        let first = all.firstIndex { !$0.allSatisfy(\.isWhitespace) } ?? 0
        let said = all.dropFirst(first).enumerated().map { position, line in
          position == 0 ? line.trimmingCharacters(in: .whitespaces) : String(line)
        }
        comments.append(Comment(line: index + 1 + first, lines: said))
        index = end
      } else if words.contains(/(```|~~~)\s*(swift|ya?ml)/.ignoresCase()) {
        throw ParseError(path, line: index + 1, "a fence must be at the start of its line")
      } else if !words.isEmpty {
        comments = []
      }
      index += 1
    }
    self.path = path
    self.blocks = blocks
    lineCount = lines.count
  }

  /// Returns whether a line closes a fence.
  private static func ends(_ line: String, _ fence: Substring) -> Bool {
    let words = line.trimmingCharacters(in: .whitespaces)
    return words.count >= fence.count && words.allSatisfy { $0 == fence.first }
  }

  /// Removes up to the given number of leading spaces.
  private static func without(_ count: Int, _ line: String) -> String {
    String(line.dropFirst(min(count, line.prefix { $0 == " " }.count)))
  }

  /// Returns the page with only the given lines, each at its original line.
  ///
  /// This keeps the line numbers in diagnostics correct.
  func text(keeping parts: [(line: Int, lines: [String])]) -> String {
    var all = Array(repeating: "", count: lineCount)
    for part in parts {
      for (offset, line) in part.lines.enumerated() { all[part.line - 1 + offset] = line }
    }
    return all.joined(separator: "\n") + "\n"
  }

  /// The pages whose code is compiled and whose workflows are checked.
  static let paths: [String] = {
    let documentation = Repository.paths(below: "Documentation").filter { $0.hasSuffix(".md") }
    let catalogs = Repository.paths(below: "Sources").filter {
      $0.contains(".docc/") && ($0.hasSuffix(".md") || $0.hasSuffix(".tutorial"))
    }
    // Skip the READMEs of dependencies in the build folders of examples.
    let examples = Repository.paths(below: "Examples").filter {
      $0.hasSuffix("/README.md") && !$0.contains("/.build/")
    }
    return ["README.md"] + documentation + catalogs + examples
  }()

  /// Reads a page of the package.
  static func read(_ path: String) throws -> Page {
    try Page(path: path, text: Repository.text(of: path))
  }
}
