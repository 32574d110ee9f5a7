// Swift code from the documentation, assembled like a reader would do it. Also compiled into
// `Examples/check-snippets`.

import Foundation

/// Code that is compiled as one program.
struct Snippet: Sendable {
  enum Kind: Sendable {
    case program
    case manifest
  }

  let path: String
  let line: Int
  let kind: Kind
  /// The code at its lines of the page, padded with empty lines, followed by the code to run after
  /// it.
  let text: String
  /// The expected output: parts of lines, in this order.
  let prints: [String]

  init(path: String, line: Int, kind: Kind, text: String, prints: [String] = []) {
    self.path = path
    self.line = line
    self.kind = kind
    self.text = text
    self.prints = prints
  }

  /// Returns the snippets of a page, by the rules at the top of `SnippetTests.swift`.
  ///
  /// - Throws: ``Page/ParseError`` if a block is invalid.
  static func all(of page: Page) throws -> [Snippet] {
    var chains: [[Page.Block]] = []
    var snippets: [Snippet] = []
    for block in page.blocks where block.language.lowercased().hasPrefix("swift") {
      guard block.language == "swift" else {
        throw Page.ParseError(
          page.path, line: block.line - 1, "the language must be exactly `swift`")
      }
      if block.lines.first?.hasPrefix("// swift-tools-version") == true {
        let text = page.text(keeping: [(block.line, block.lines)])
        snippets.append(Snippet(path: page.path, line: block.line, kind: .manifest, text: text))
      } else if block.has(comment: "continues") {
        guard !chains.isEmpty else {
          throw Page.ParseError(page.path, line: block.line, "there is no block to continue")
        }
        chains[chains.count - 1].append(block)
      } else {
        chains.append([block])
      }
    }
    for chain in chains {
      let given = chain.flatMap(\.comments).compactMap { comment in
        comment.lines(after: "given").map { (comment.line, $0.map(valued)) }
      }
      let comments = chain.flatMap(\.comments)
      let then = comments.flatMap { $0.lines(after: "then") ?? [] }.map { $0 + "\n" }.joined()
      let text = page.text(keeping: given + chain.map { ($0.line, $0.lines) }) + then
      let prints = comments.flatMap { $0.lines(after: "prints") ?? [] }
        .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      let line = chain.first?.line ?? 1
      snippets.append(
        Snippet(path: page.path, line: line, kind: .program, text: text, prints: prints))
    }
    return snippets
  }

  static let givenValue = " = given()"

  /// Adds a value to a declaration of a constant or variable that has only a type.
  private static func valued(_ line: String) -> String {
    line.split(separator: ";", omittingEmptySubsequences: false)
      .map { $0.contains(/^\s*(let|var) \w+\s*:[^={]*$/) ? $0 + givenValue : String($0) }
      .joined(separator: ";")
  }

  /// Returns the snippet of a code file of a tutorial.
  static func file(_ path: String) throws -> Snippet {
    let text = try Repository.text(of: path)
    let isManifest = text.hasPrefix("// swift-tools-version")
    return Snippet(
      path: path, line: 1, kind: isManifest ? .manifest : .program, text: text,
      prints: ["succeeded"])
  }

  /// Returns all snippets of the documentation.
  ///
  /// - Throws: ``Page/ParseError``.
  static func all() throws -> [Snippet] {
    let files = Repository.paths(below: "Sources").filter {
      $0.contains(".docc/") && $0.hasSuffix(".swift")
    }
    return try Page.paths.flatMap { try all(of: .read($0)) } + files.map(file)
  }

  /// The program to compile, with source locations that refer to the page.
  var code: String {
    // The directive is on the first line of the page, which has no code, so that line numbers are
    // kept.
    let place = "#sourceLocation(file: \"\(path)\", line: "
    let code = text.hasPrefix("\n") ? place + "2)" + text : place + "1)\n" + text
    guard text.contains(Self.givenValue) else { return code }
    return code + "private func given<Value>() -> Value { fatalError() }\n"
  }
}
