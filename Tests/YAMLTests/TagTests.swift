// Tests of the tags that YAML defines.

import Testing

@testable import YAML

/// Tags such as `!!str` set the type of a value or are refused.
struct TagTests {
  private func document(_ text: String) -> Document { Document(SourceText(Array(text.utf8))) }

  @Test(arguments: [
    ("!!str 12", "12", false), ("!!str", "", false), ("!!str null", "null", false),
    ("!<tag:yaml.org,2002:str> true", "true", false), ("!!int '3'", "3", true),
    ("!!float \"1.5\"", "1.5", true), ("!!bool 'true'", "true", true), ("!!null ''", "", true),
    ("&a !!str 12", "12", false),
  ]) func `a tag sets the type of a scalar`(_ text: String, _ expected: String, _ isPlain: Bool)
    throws
  {
    let document = document(text + "\n")
    #expect(document.problems == [])
    let root = try #require(document.root)
    guard case .scalar(let found, let foundPlain) = root.content else {
      Issue.record("\(root)")
      return
    }
    #expect(found == expected && foundPlain == isPlain)
  }

  @Test(arguments: [
    ("!!bool yes", "\"yes\" is neither true nor false"), ("!!int 1.5", "is not a whole number"),
    ("!!int x", "is not a whole number"), ("!!float .inf", "is not a number"),
    ("!!null x", "is not null"), ("!!set {a}", "the tag !!set is not supported"),
    ("!!binary aGk=", "the tag !!binary is not supported"),
    ("!!timestamp 2001-12-14", "the tag !!timestamp is not supported"),
    ("!!seq x", "!!seq is for lists"), ("!!map [x]", "!!map is for maps"),
    ("!!str [x]", "not for a list or a map"), ("!!int {a: b}", "not for a list or a map"),
    ("!own x", "a ! at the beginning is a YAML tag"), ("! x", "a ! at the beginning"),
  ]) func `a tag that does not fit is refused at its position`(_ text: String, _ says: String) {
    let problems = document("k: " + text + "\n").problems
    #expect(problems.count == 1 && problems.first?.message.contains(says) == true, "\(problems)")
    #expect(problems.first?.mark == Mark(line: 1, column: 4))
  }

  @Test func `lists and maps may have their own tags`() {
    #expect(document("a: !!seq [1]\nb: !!map {c: d}\n").problems == [])
  }
}
