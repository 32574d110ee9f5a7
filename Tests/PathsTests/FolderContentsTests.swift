import Foundation
import TestSupport
import Testing

@testable import Paths

/// What counts as contents of folders: links, what is behind them, and empty folders.
struct FolderContentsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func names(_ patterns: String..., in place: String = "") throws -> [String] {
    try FileSearch(patterns).contents(in: folder.path + place).map(\.name)
  }

  private func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/" + name, withIntermediateDirectories: true)
  }

  private func retarget(_ name: String, to target: String) throws {
    try FileManager.default.removeItem(atPath: folder.path + "/" + name)
    try folder.link(name, to: target)
  }

  private func hash(_ patterns: String...) throws -> String {
    try contentHash(ofFiles: patterns, in: folder.path)
  }

  @Test func `a link counts, and so does what is behind a link to a folder`() throws {
    try folder.write(["lib/v1/x", "src/a", "one"])
    try folder.link("src/lib", to: "../lib/v1")
    try folder.link("src/file", to: "../one")
    try folder.link("src/gone", to: "nothing")
    try folder.link("src/device", to: "/dev/null")
    let expected = ["src/a", "src/device", "src/file", "src/gone", "src/lib", "src/lib/x"]
    for patterns in ["src/**", "src", "s*", "src/"] {
      #expect(try names(patterns) == expected, "\(patterns)")
    }
    #expect(try names("src/lib") == ["src/lib", "src/lib/x"])
    #expect(try names("src/lib/**") == ["src/lib", "src/lib/x"])
    #expect(try names("src", "!src/lib") == ["src/a", "src/device", "src/file", "src/gone"])
    #expect(try names("src/*/x") == ["src/lib/x"])
  }

  @Test func `the hash covers the target of a link and the contents behind it`() throws {
    try folder.write("lib/v1/x", "1".utf8)
    try folder.write("lib/v2/x", "1".utf8)
    try folder.write(["src/a"])
    try folder.link("src/lib", to: "../lib/v1")
    let first = try hash("src/**")
    try folder.write("lib/v1/x", "2".utf8)
    let second = try hash("src/**")
    #expect(second != first)
    try folder.write("lib/v1/x", "1".utf8)
    #expect(try hash("src/**") == first)
    try retarget("src/lib", to: "../lib/v2")
    #expect(try hash("src/**") != first)
    try retarget("src/lib", to: "nothing")
    let third = try hash("src/**")
    #expect(third != first && third != second)
    try retarget("src/lib", to: "nothing else")
    #expect(try hash("src/**") != third)
    // A file behind a link, and the link to a file with the same contents.
    try folder.write("a", "x".utf8)
    try folder.write("b", "x".utf8)
    try folder.link("c", to: "a")
    let file = try hash("c")
    try retarget("c", to: "b")
    #expect(try hash("c") != file)
    try retarget("c", to: "a")
    #expect(try hash("c") == file)
    try folder.write("a", "y".utf8)
    #expect(try hash("c") != file)
  }

  @Test func `links that lead to folders around them are followed once`() throws {
    try folder.write(["src/a", "src/deep/b", "other/c"])
    try folder.link("src/self", to: ".")
    try folder.link("src/deep/up", to: "..")
    try folder.link("src/deep/other", to: "../../other")
    try folder.link("other/back", to: "../src")
    try folder.link("loop", to: "loop")
    #expect(
      try names("src") == [
        "src/a", "src/deep/b", "src/deep/other", "src/deep/other/back", "src/deep/other/c",
        "src/deep/up", "src/self",
      ])
    // What is found anyway is not found a second time behind links.
    #expect(
      try names("**") == [
        "loop", "other/back", "other/c", "src/a", "src/deep/b", "src/deep/other", "src/deep/up",
        "src/self",
      ])
    try folder.link("src/all", to: "..")
    let all = try names("src")
    #expect(all.count < 40 && all.contains("src/all/other/c"), "\(all)")
  }

  @Test func `many links to one another are followed in linear time`() throws {
    // Each of the folders has a link to each of them.
    let count = 40
    for place in 0..<count {
      try folder.write(["tree/\(place)/file"])
      for other in 0..<count { try folder.link("tree/\(place)/to-\(other)", to: "../\(other)") }
    }
    try folder.link("start", to: "tree/0")
    #expect(try names("start", "!tree").count < 3 * count * count)
    #expect(try names("tree").count == count * (count + 1))
  }

  @Test func `which of several links is followed does not depend on the order of entries`() throws {
    let names = ["m", "b", "x", "a", "q", "k"]
    var all: Set<[String]> = []
    for order in [names, names.reversed(), names.sorted()] {
      let place = "/place\(all.count)-\(order[0])"
      try folder.write(["elsewhere/real/file"])
      try folder.write([String(place.dropFirst()) + "/src/file"])
      for name in order {
        try folder.link(place.dropFirst() + "/src/\(name)", to: "../../elsewhere/real")
      }
      all.insert(try self.names("src", in: place))
    }
    #expect(
      all == [["src/a", "src/a/file", "src/b", "src/file", "src/k", "src/m", "src/q", "src/x"]])
  }

  @Test func `a folder without entries counts with a slash`() throws {
    try folder.write(["out/full/a"])
    try makeFolder("out/empty")
    try makeFolder("void")
    #expect(try names("out") == ["out/empty/", "out/full/a"])
    #expect(try names("void") == ["void/"])
    #expect(try names("vo*", "!void") == [])
    #expect(try names("out/*/") == ["out/empty/", "out/full/a"])
    #expect(try names("out/*/b") == [])
    // Not for inputs: git does not keep it either.
    let hash = try hash("out")
    try makeFolder("out/other")
    #expect(try self.hash("out") == hash)
  }
}

/// Lists of paths, for `glob` and `foreach`.
struct ListedEntriesTests {
  @Test(
    arguments: [
      (["inbox/*"], ["inbox/a", "inbox/link"]),
      (["inbox/*/"], ["inbox/d1", "inbox/d2", "inbox/folder"]),
      (["inbox/**"], ["inbox/a", "inbox/d1/b", "inbox/d1/deep/c", "inbox/link"]),
      (["inbox/*/*"], ["inbox/d1/b"]),
      (["inbox/*/*/"], ["inbox/d1/deep"]),
      (["inbox/d1"], ["inbox/d1/b", "inbox/d1/deep/c"]),
      (["inbox/d1/"], ["inbox/d1"]),
      (["inbox/d?/", "!inbox/d2"], ["inbox/d1"]),
      (
        ["inbox/*/", "inbox/*"], ["inbox/a", "inbox/d1", "inbox/d2", "inbox/folder", "inbox/link"]
      ),
      (["inbox/**/", "!**/deep"], ["inbox", "inbox/d1", "inbox/d2", "inbox/folder"]),
      (["**/*/", "!inbox"], []),
      (["inbox/a/"], []),
      (["*"], []),
      (["*/"], ["inbox"]),
    ] as [([String], [String])])
  func `a wildcard at the end lists files, and a slash at the end lists folders`(
    _ patterns: [String], _ expected: [String]
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write(["inbox/a", "inbox/d1/b", "inbox/d1/deep/c"])
    try FileManager.default.createDirectory(
      atPath: folder.path + "/inbox/d2", withIntermediateDirectories: true)
    try folder.link("inbox/link", to: "a")
    try folder.link("inbox/folder", to: "d2")
    #expect(try FileSearch(patterns, .entries).files(in: folder.path) == expected)
  }
}
