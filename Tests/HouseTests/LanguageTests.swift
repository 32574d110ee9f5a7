import Foundation
import Testing

/// Prose in comments, documentation, messages and test names uses the field's standard words.
///
/// The first edition was written in words that engineers do not search for. In five well-known Swift
/// packages these words occur 0.5 to 4.1 times in 10,000 words of comments.
struct LanguageTests {
  /// Where a text is from.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case comments, messages, testNames, documents
    var testDescription: String { rawValue }
  }

  /// The most of these words in 10,000.
  static let ratioMax = 5.0

  private static let words = [
    "whoever", "whomever", "whatever", "somebody", "nobody", "who asks", "tell", "tells", "told",
    "telling",
    "stand", "stands", "stood", "mend", "mends", "mended", "mistake", "mistakes", "taken again",
    "taken up", "take up", "takes up", "take it again", "let go", "lets go", "letting go",
    "under way", "has begun",
    "have begun", "is to be", "are to be", "has to be", "have to be", "but for", "lest", "hence",
    "meanwhile", "circle", "looks whether", "look whether", "is looked at", "are looked at",
    "knows nothing", "know nothing", "far end", "the other side", "the word of",
    "gives up its place",
  ]

  private static func findings(in text: String) -> [String] {
    let pattern = "\\b(" + words.joined(separator: "|") + ")\\b"
    let expression = try? NSRegularExpression(pattern: pattern, options: .caseInsensitive)
    let range = NSRange(text.startIndex..., in: text)
    return expression?.matches(in: text, range: range).compactMap {
      Range($0.range, in: text).map { String(text[$0]) }
    } ?? []
  }

  // MARK: Texts

  /// The texts of one kind, each with its file.
  private static func texts(_ kind: Kind) throws -> [(path: String, text: String)] {
    let folders = [
      "Sources", "Tests", "Plugins", "Benchmarks", "Fuzzing", "Examples", "Documentation",
      "workflows",
    ]
    // This file names the words.
    let paths =
      folders.flatMap { Repository.paths(below: $0) }.filter {
        !$0.contains("/.build") && !$0.hasSuffix("LanguageTests.swift")
      } + ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
    let suffix = kind == .documents ? ".md" : ".swift"
    return try paths.filter { $0.hasSuffix(suffix) }.compactMap { path in
      let lines = try Repository.text(of: path).split(separator: "\n").map(String.init)
      let found =
        switch kind {
        case .comments: lines.compactMap(comment)
        case .messages: path.hasPrefix("Tests") ? [] : lines.flatMap(messages)
        case .testNames: lines.compactMap(testName)
        case .documents: lines
        }
      return found.isEmpty ? nil : (path, found.joined(separator: " "))
    }
  }

  private static func comment(_ line: String) -> String? {
    let text = line.drop { $0 == " " }
    return text.hasPrefix("//") ? String(text.drop { $0 == "/" }) : nil
  }

  /// The string literals of a line that are prose.
  private static func messages(_ line: String) -> [String] {
    guard comment(line) == nil else { return [] }
    let parts = line.replacing("\\\"", with: "'").split(
      separator: "\"", omittingEmptySubsequences: false)
    let strings = parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    // A line without quotes may be one of a longer literal.
    let isProse = parts.count == 1 && line.split(separator: " ").count > 5
    return (isProse ? [line] : strings).filter { $0.contains(" ") }
  }

  private static func testName(_ line: String) -> String? {
    let parts = line.split(separator: "`", omittingEmptySubsequences: false)
    return parts.count > 2 && parts[0].hasSuffix("func ") ? String(parts[1]) : nil
  }

  // MARK: Tests

  @Test(arguments: Kind.allCases) func `prose uses standard words`(_ kind: Kind) throws {
    let texts = try Self.texts(kind)
    let count = texts.reduce(0) { $0 + $1.text.split(separator: " ").count }
    let findings = texts.flatMap { path, text in
      Self.findings(in: text).map { "\(path): \($0)" }
    }
    try #require(count > 5000, "the texts were not found")
    let ratio = Double(findings.count) / Double(count) * 10_000
    #expect(
      ratio <= Self.ratioMax,
      "\(findings.count) in \(count) words: \(findings.joined(separator: "\n"))")
  }

  @Test func `planted violations are found in each kind of text`() {
    let planted = "calls whoever is told of a mistake that stands there"
    #expect(Self.findings(in: planted).count == 4)
    #expect(Self.comment("  /// \(planted)").map(Self.findings(in:))?.count == 4)
    #expect(Self.messages("  throw Problem(\"\(planted)\")").flatMap(Self.findings(in:)).count == 4)
    #expect(
      Self.testName("  @Test func `\(planted)`() {").map(Self.findings(in:))?.count == 4)
    #expect(Self.findings(in: "standard bystanders understand; the foretold circles").isEmpty)
  }
}
