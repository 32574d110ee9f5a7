import Foundation
import TestSupport
import Testing

@testable import Paths

struct SHA256Tests {
  @Test(
    arguments: [
      ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func `the hashes of the examples in the standard are correct`(
    _ text: String, _ times: Int, _ digest: String
  ) {
    var hash = SHA256()
    hash.update(String(repeating: text, count: times).utf8)
    #expect(hash.hexadecimal == digest)
  }

  @Test func `random bytes in random pieces have the same hash as with sha256sum`() throws {
    var generator = SeededGenerator.announced()
    let folder = try TemporaryFolder()
    var lines: [String] = []
    for length in 0...300 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let path = "\(folder.path)/\(length)"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      var hash = SHA256()
      var left = bytes[...]
      while !left.isEmpty {
        let piece = left.prefix(Int.random(in: 0...150, using: &generator))
        if Bool.random(using: &generator) {
          hash.update(piece)
        } else {
          hash.update(AnySequence(piece))
        }
        left = left.dropFirst(piece.count)
      }
      lines.append("\(hash.hexadecimal)  \(path)")
    }
    let paths = (0...300).map { "\(folder.path)/\($0)" }
    let output = try TemporaryFolder.run("/usr/bin/env", ["sha256sum"] + paths)
    #expect(output.split(separator: "\n").map(String.init) == lines)
  }

  @Test func `more bytes can be added after a digest`() {
    var hash = SHA256()
    hash.update("ab".utf8)
    let copy = hash
    let before = hash.digest()
    #expect(before.count == 32)
    #expect(hash.digest() == before)
    hash.update("c".utf8)
    #expect(hash.hexadecimal.hasPrefix("ba7816bf"))
    #expect(copy.digest() == before)
  }
}
