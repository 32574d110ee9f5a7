import TestSupport
import Testing

@testable import Paths

struct GlobPatternTests {
  /// A pattern, a path and whether they match.
  typealias Row = (pattern: String, path: String, isMatch: Bool)

  private func check(_ row: Row) throws {
    #expect(try GlobPattern(row.pattern).matches(row.path) == row.isMatch)
  }

  @Test(
    arguments: [
      ("a/b.txt", "a/b.txt", true), ("a/b.txt", "a/b_txt", false), ("a", "a/b", false),
      ("a/b", "a", false), ("a", "A", false), ("ä", "ä", true), ("ä", "a\u{308}", false),
    ] as [Row])
  func `a name matches itself`(_ row: Row) throws { try check(row) }

  @Test(
    arguments: [
      ("*", "a", true), ("*", "a/b", false), ("a*c", "abbc", true), ("a*c", "ac", true),
      ("a*c", "a/c", false), ("a*c", "acb", false), ("*/b", "a/b", true), ("*/b", "b", false),
      ("*a*b*", "xaxbx", true), ("*a*b*", "xbxax", false), ("*.tar.gz", "a.tar.tar.gz", true),
    ] as [Row])
  func `a star does not match a slash`(_ row: Row) throws { try check(row) }

  @Test(arguments: [("*", ".a", true), ("*/*", ".a/.b", true), ("?a", ".a", true)] as [Row])
  func `a wildcard matches a leading dot`(_ row: Row) throws { try check(row) }

  @Test(
    arguments: [
      ("?", "a", true), ("?", "", false), ("?", "ab", false), ("a?b", "a/b", false),
      ("?", "ä", true), ("??", "ä", false), ("*?", "ä", true), ("*??", "ä", false),
      ("?", "🙂", true), ("[ä-ü]?", "ö€", true),
    ] as [Row])
  func `a question mark matches one character`(_ row: Row) throws { try check(row) }

  @Test(
    arguments: [
      ("[abc]", "b", true), ("[abc]", "d", false), ("[a-c]", "b", true), ("[a-c]", "d", false),
      ("[!a]", "b", true), ("[!a]", "a", false), ("[!a-c]", "b", false), ("[a-]", "-", true),
      ("[-a]", "-", true), ("[]a]", "]", true), ("[!]a]", "]", false), ("[!]a]", "b", true),
      ("[\\]]", "]", true), ("[\\!a]", "!", true), ("[a\\-c]", "b", false), ("[*]", "*", true),
      ("[*]", "a", false), ("[{]", "{", true), ("x[0-9]y", "x5y", true), ("x[!a]y", "x/y", false),
      ("]", "]", true),
    ] as [Row])
  func `a set matches one character`(_ row: Row) throws { try check(row) }

  @Test(
    arguments: [
      ("{a,b}", "a", true), ("{a,b}", "b", true), ("{a,b}", "c", false), ("x{a,b}y", "xby", true),
      ("{a/b,c}/d", "a/b/d", true), ("{a/b,c}/d", "c/d", true), ("src{,/lib}", "src", true),
      ("src{,/lib}", "src/lib", true), ("{a,{b,c}d}", "cd", true), ("{a,{b,c}d}", "ad", false),
      ("{a}", "a", true), ("{[,],x}", ",", true), ("{\\,,x}", ",", true), ("a,b", "a,b", true),
      ("{a,b}{c,d}", "bc", true), ("{**,a}/b", "x/y/b", true), ("{a*,b}/c", "ab/c", true),
      ("{a*,b}*", "axb", true), ("{*}*", "a/b", false),
      ("\\{a,b}".replacing("}", with: "\\}"), "{a,b}", true),
    ] as [Row])
  func `braces contain alternatives`(_ row: Row) throws { try check(row) }

  @Test(
    arguments: [
      ("**", "a", true), ("**", "a/b/c", true), ("**/a", "a", true), ("**/a", "b/c/a", true),
      ("**/a", "b/ca", false), ("a/**", "a", true), ("a/**", "a/b/c", true), ("a/**", "ab", false),
      ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true), ("a/**/b", "a/x/y", false),
      ("**/a/**/a", "a", false), ("**/a/**/a", "x/a/a", true), ("**/**/a", "b/a", true),
      ("**/*.c", "a/b.c", true), ("**/a/*/b", "a/a/x/b", true), ("a/**/**", "a", true),
      ("**/a/b/**/c", "a/a/b/x/a/c", true),
    ] as [Row])
  func `two stars match any number of folders`(_ row: Row) throws { try check(row) }

  @Test(
    arguments: [
      ("\\*", "*", true), ("\\*", "a", false), ("\\?", "a", false), ("\\[a]", "[a]", true),
      ("a\\\\b", "a\\b", true), ("\\a", "a", true), ("\\!a", "!a", true), ("!a", "!a", true),
      ("\\**", "*x", true), ("a\\/b", "a/b", true),
    ] as [Row])
  func `a backslash escapes the next character`(_ row: Row) throws { try check(row) }

  @Test(
    arguments: [
      ("./a", "a", true), ("a/", "a", true), ("a//b", "a/b", true), ("a/./b", "a/b", true),
      (".", "a/b", true), ("a", "./a", false), ("...", "...", true), ("a..b", "a..b", true),
    ] as [Row])
  func `redundant parts of a path are ignored`(_ row: Row) throws { try check(row) }

  @Test(
    arguments: [
      ("", "empty"), ("{a,}", "empty"), ("/a", "begins with /"), ("{a,/b}", "begins with /"),
      ("{,a}/b", "begins with /"), ("..", ".."), ("a/../b", ".."), ("{.,a}{.,b}", ".."),
      ("a[b", "[ at character 2 is not closed"), ("[]", "is not closed"), ("[!]", "is not closed"),
      ("[", "is not closed"), ("[a\\]", "is not closed"), ("[a/b]", "is not allowed between"),
      ("[z-a]", "write [a-z]"), ("[^a]", "write [!"), ("{a", "{ at character 1 is not closed"),
      ("a{b,{c}", "{ at character 2 is not closed"), ("a}", "} at character 2 is unmatched"),
      ("a**", "whole name"), ("**.c", "whole name"), ("a/***", "whole name"),
      ("a\\", "incomplete escape"), ("[\\", "incomplete escape"), ("a\0b", "NUL"),
      (String(repeating: "{a,b}", count: 10), "more than 1000"),
      ("{" + String(repeating: ",", count: 1000) + "}", "more than 1000"),
      (String(repeating: "a", count: 4097), "longer than 4096"),
      (String(repeating: "{a,b}", count: 9) + String(repeating: "c", count: 4000), "1048576 char"),
    ])
  func `an invalid pattern is reported with a fix`(_ pattern: String, _ words: String) {
    let error = #expect(throws: GlobError.self) { try GlobPattern(pattern) }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(error?.pattern == pattern)
    #expect(error?.description.contains("\"\(pattern.prefix(80))") == true)
  }

  @Test func `the maximum number of alternatives is accepted`() throws {
    let pattern = try GlobPattern(String(repeating: "{0,1,2,3,4,5,6,7,8,9}", count: 3))
    // One more is the pattern as literal text.
    #expect(pattern.alternatives.count == 1001)
    #expect(pattern.matches("907"))
    #expect(!pattern.matches("90"))
  }

  @Test func `braces within a name may be nested deeply`() throws {
    let depth = GlobParser.bytesMax / 3
    let text = String(repeating: "{a", count: depth) + String(repeating: "}", count: depth)
    #expect(try GlobPattern(text).matches(String(repeating: "a", count: depth)))
  }

  @Test func `braces may be nested deeply`() throws {
    let depth = GlobParser.bytesMax / 2 - 1
    let text =
      String(repeating: "{", count: depth) + "a," + String(repeating: "}", count: depth)
    #expect(throws: GlobError.self) { try GlobPattern(text) }
    #expect(try GlobPattern(text.replacing(",", with: "b")).matches("ab"))
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      (String(repeating: "*a", count: 30) + "*b", String(repeating: "a", count: 250)),
      (String(repeating: "**/a/", count: 30) + "b", String(repeating: "a/", count: 250) + "c"),
      (String(repeating: "**/*a*/", count: 30) + "b", String(repeating: "aaa/", count: 250)),
      (String(repeating: "{*a,*b}", count: 9) + "*c", String(repeating: "ab", count: 120)),
    ])
  func `a pathological pattern is matched quickly`(_ pattern: String, _ path: String) throws {
    #expect(try !GlobPattern(pattern).matches(path))
  }

  @Test func `random patterns agree with a slow matcher`() throws {
    var generator = SeededGenerator.announced()
    var matches = 0
    for _ in 0..<2000 {
      let pattern = randomGlob(using: &generator)
      let glob = try GlobPattern(pattern)
      for _ in 0..<5 {
        let path = randomPath(using: &generator)
        let isMatch = slowMatches(pattern, path)
        #expect(glob.matches(path) == isMatch, "\(pattern) \(path)")
        matches += isMatch ? 1 : 0
      }
    }
    #expect(matches > 300)
  }
}
