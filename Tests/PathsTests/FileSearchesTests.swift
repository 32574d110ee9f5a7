import Testing

@testable import Paths

/// Patterns that many steps share.
struct FileSearchesTests {
  @Test func `the patterns of expanded steps are parsed once`() throws {
    let searches = FileSearches()
    for _ in 0..<1000 {
      #expect(try searches.search(for: ["*.c", "!b.c"]).names("a.c"))
      #expect(try !searches.search(for: ["*.h"]).names("a.c"))
    }
    #expect(searches.readCount == 2)
  }

  @Test func `texts with different Unicode normalization are different patterns`() throws {
    let searches = FileSearches()
    #expect(try searches.search(for: ["\u{E4}"]).names("\u{E4}"))
    #expect(try searches.search(for: ["a\u{308}"]).names("a\u{308}"))
    #expect(try !searches.search(for: ["a\u{308}"]).names("\u{E4}"))
    #expect(searches.readCount == 2)
  }

  @Test func `the least recently used lists are parsed again`() throws {
    let searches = FileSearches()
    for number in 0..<17 { _ = try searches.search(for: ["a\(number)"]) }
    _ = try searches.search(for: ["a16"])
    #expect(searches.readCount == 17)
    _ = try searches.search(for: ["a0"])
    #expect(searches.readCount == 18)
  }

  @Test func `an invalid pattern is refused each time`() {
    let searches = FileSearches()
    for _ in 0..<2 { #expect(throws: GlobError.self) { try searches.search(for: ["a["]) } }
  }

  @Test func `the patterns that match a path are returned, including overridden ones`() throws {
    let search = try FileSearch(["*.c", "!a.c", "a.*", "b"])
    #expect(search.patterns(matching: "a.c") == [0, 1, 2])
    #expect(search.patterns(matching: "b/x") == [3])
    #expect(search.patterns(matching: "c") == [])
  }
}
