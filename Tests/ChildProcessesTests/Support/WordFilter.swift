// A filter for tests that masks a word, even if it arrives in pieces.

@testable import ChildProcesses

/// Masks `SECRET`, and holds back a possible prefix of it.
struct WordFilter: OutputFilter {
  private static let word = Array("SECRET".utf8)
  private var held: [UInt8] = []

  mutating func append(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var passed: [UInt8] = []
    for byte in bytes {
      held.append(byte)
      if held == Self.word {
        passed += "***".utf8
        held = []
      }
      while !Self.word.starts(with: held) { passed.append(held.removeFirst()) }
    }
    return passed
  }

  mutating func finish() -> [UInt8] {
    defer { held = [] }
    return held
  }
}
