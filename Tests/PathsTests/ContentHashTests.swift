import Foundation
import TestSupport
import Testing

@testable import Paths

struct ContentHashTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func hash(_ name: String) throws -> String? {
    try contentHash(ofFile: folder.path + "/" + name)
  }

  private func setMode(_ name: String, _ mode: mode_t) {
    #expect(chmod(folder.path + "/" + name, mode) == 0)
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func `the hash of a file covers its mode mark and content`(_ length: Int) throws {
    let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try folder.write("a", content)
    try folder.write("marked", Array("-".utf8) + content)
    let sum = try TemporaryFolder.run("/usr/bin/env", ["sha256sum", folder.path + "/marked"])
    #expect(try hash("a") == String(sum.prefix(64)))
  }

  @Test func `the executable bit affects the hash, other permissions do not`() throws {
    try folder.write("a", "x".utf8)
    setMode("a", 0o644)
    let plain = try hash("a")
    setMode("a", 0o600)
    #expect(try hash("a") == plain)
    setMode("a", 0o755)
    #expect(try hash("a") != plain)
    setMode("a", 0o644)
    #expect(try hash("a") == plain)
  }

  @Test func `an executable file has another hash than changed content`() throws {
    try folder.write("a", "b".utf8)
    setMode("a", 0o755)
    for content in ["b", "xb", "-b", "bx"] {
      try folder.write("c", content.utf8)
      #expect(try hash("c") != hash("a"))
    }
  }

  @Test func `a link has the hash of its target`() throws {
    try folder.write("a", "x".utf8)
    try folder.link("link", to: "a")
    #expect(try hash("link") == hash("a"))
  }

  @Test func `a missing file has no hash`() throws {
    try folder.write("a", "x".utf8)
    try folder.link("dangling", to: "nothing")
    #expect(try hash("nothing") == nil)
    #expect(try hash("a/b") == nil)
    #expect(try hash("dangling") == nil)
  }

  @Test func `a special file is refused without being opened`() throws {
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    try folder.link("link", to: "pipe")
    for path in [folder.path, folder.path + "/pipe", folder.path + "/link", "/dev/null"] {
      let error = #expect(throws: FileError.self) { try contentHash(ofFile: path) }
      #expect(error?.path == path)
      #expect(error?.description.hasPrefix("cannot read \"\(path)\": it is a ") == true)
    }
  }

  @Test func `a system error is reported`() throws {
    let path = folder.path + "/" + String(repeating: "a", count: 300)
    let error = #expect(throws: FileError.self) { try contentHash(ofFile: path) }
    #expect(error?.description == "cannot read \"\(path)\": File name too long")
  }

  @Test func `the hash of files covers their names and hashes`() throws {
    try folder.write("b", "2".utf8)
    try folder.write("a", "1".utf8)
    var expected = SHA256()
    expected.update("a\0\(try #require(try hash("a")))\nb\0\(try #require(try hash("b")))\n".utf8)
    #expect(try contentHash(ofFiles: ["*"], in: folder.path) == expected.hexadecimal)
    #expect(try contentHash(ofFiles: ["b", "a"], in: folder.path) == expected.hexadecimal)
  }

  @Test func `the hash of files changes with each of them`() throws {
    try folder.write("a", "1".utf8)
    try folder.write("sub/b", "2".utf8)
    var hashes = [try contentHash(ofFiles: ["**"], in: folder.path)]
    try folder.write("sub/b", "3".utf8)
    hashes.append(try contentHash(ofFiles: ["**"], in: folder.path))
    try folder.write("c", "3".utf8)
    hashes.append(try contentHash(ofFiles: ["**"], in: folder.path))
    #expect(rename(folder.path + "/c", folder.path + "/d") == 0)
    hashes.append(try contentHash(ofFiles: ["**"], in: folder.path))
    setMode("d", 0o755)
    hashes.append(try contentHash(ofFiles: ["**"], in: folder.path))
    #expect(Set(hashes).count == hashes.count)
  }

  @Test func `no files have an empty hash`() throws {
    try folder.write("a", "1".utf8)
    #expect(try contentHash(ofFiles: ["*.c"], in: folder.path) == "")
    #expect(try contentHash(ofFiles: [], in: folder.path) == "")
    #expect(try contentHash(ofFiles: ["**", "!**"], in: folder.path) == "")
  }

  @Test func `an invalid pattern is an error`() throws {
    let error = #expect(throws: FileError.self) {
      try contentHash(ofFiles: ["a", "!b["], in: folder.path)
    }
    guard case .badPattern(let inner) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(inner.pattern == "!b[")
    #expect(error?.description == inner.description)
  }
}
