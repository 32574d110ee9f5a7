import Foundation
import TestSupport
import Testing

@testable import Paths

/// Paths with characters that have a meaning in patterns.
struct EscapedPatternTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["app/[id]/page", "{x}", "a*b", "why?", "!not", "back\\slash", "a,b", "[", "}"])
  func `an escaped path matches itself only`(_ path: String) throws {
    try folder.write([path, "app/i/page", "x", "ab", "axb", "whyx", "not", "backslash", "z/z"])
    let pattern = GlobParser.escaping(path)
    #expect(try FileSearch([pattern]).files(in: folder.path) == [path])
    #expect(try !FileSearch(["**", "!\(pattern)"]).files(in: folder.path).contains(path))
  }

  @Test(arguments: [
    ("app/[id]/page", ["app/[id]/page", "app/d/page"]),
    ("app/[id]/*", ["app/[id]/page", "app/d/page"]),
    ("app/[id]", ["app/[id]/page", "app/d/page"]), ("{x}/y", ["x/y", "{x}/y"]),
    ("**/{x}/y", ["x/y", "{x}/y"]), ("[!a]/{x}", ["[!a]/{x}", "b/x"]),
    ("{**/a,b}", ["b", "c/a"]), ("\\[x\\]", ["[x]"]), ("!**", []),
  ])
  func `a pattern also matches the path that is written like it`(
    _ pattern: String, _ expected: [String]
  ) throws {
    try folder.write([
      "app/[id]/page", "app/d/page", "x/y", "{x}/y", "[!a]/{x}", "b/x", "c/a", "[x]",
    ])
    if pattern.hasPrefix("{**") { try folder.write(["d/b"]) }
    let found = try FileSearch([pattern]).files(in: folder.path)
    if pattern.hasPrefix("{**") {
      #expect(found == ["b/x", "c/a"])
    } else {
      #expect(found == expected)
    }
    for path in found { #expect(try FileSearch([pattern]).names(path)) }
  }

  @Test(arguments: ["[}]?/a", "[{]/a", "[,}]", "{[}]}", "##/[**]", "[***]a", "[a**b]/[**]"])
  func `a path with a brace or stars between brackets matches itself`(_ path: String) throws {
    if let search = try? FileSearch([path]) { #expect(search.names(path)) }
    #expect(try FileSearch([GlobParser.escaping(path)]).names(path))
  }

  @Test func `random names are matched by their escaped paths, and by nothing else`() throws {
    var generator = SeededGenerator.announced()
    let letters = ["a", "b", "*", "?", "[", "]", "{", "}", ",", "!", "\\", "-", "^", "ä", " ", "#"]
    func name() -> String {
      (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        letters.randomElement(using: &generator) ?? "a"
      }.joined()
    }
    for _ in 0..<20 {
      let place = try TemporaryFolder()
      for _ in 0..<15 { try? place.write("\(name())/\(name())") }
      let all = try FileSearch(["**"]).files(in: place.path)
      #expect(!all.isEmpty)
      for path in all {
        let pattern = GlobParser.escaping(path)
        #expect(try FileSearch([pattern]).files(in: place.path) == [path], "\(path)")
        let others = try FileSearch(["**", "!\(pattern)"]).files(in: place.path)
        #expect(others == all.filter { $0 != path }, "\(path)")
        // What can be read as a pattern matches the same path.
        if let search = try? FileSearch([path]), !path.hasPrefix("!"), !path.contains("\\") {
          #expect(search.names(path), "\(path)")
        }
      }
    }
  }
}
