import TestSupport
import Testing

@testable import Paths

/// The matcher shared by patterns of workflow files and of git.
struct GlobMatchTests {
  private func matches(
    _ tokens: [GlobToken], _ text: String, of alphabet: GlobAlphabet = .characters
  ) -> Bool {
    GlobMatch(tokens, of: alphabet).matches(Array(text.utf8)[...])
  }

  @Test func `a character is a Unicode scalar or a byte`() {
    #expect(matches([.anyCharacter], "ä"))
    #expect(!matches([.anyCharacter], "ä", of: .bytes))
    #expect(matches([.anyCharacter, .anyCharacter], "ä", of: .bytes))
    let set = GlobCharacterSet(isNegated: true, bytes: [UInt8(ascii: "a")])
    #expect(!matches([.oneOf(set)], "ä", of: .bytes))
  }

  @Test func `only folder tokens match a slash`() {
    let negated = GlobCharacterSet(isNegated: true, bytes: [])
    for token in [GlobToken.anyCharacter, .oneOf(negated), .anyText] {
      #expect(matches([token], "a"))
      #expect(!matches([token], "/"))
    }
    #expect(matches([.anyText], "") && matches([.anything], "") && matches([.anyFolders], ""))
    #expect(matches([.anyFolders], "a/b/") && !matches([.anyFolders], "a/b"))
    #expect(matches([.anything], "a/b"))
  }

  @Test func `a slice of a text is matched`() {
    let text = Array("xx/abc".utf8)
    let match = GlobMatch([.byte(UInt8(ascii: "a")), .anyText], of: .bytes)
    #expect(match.matches(text[3...]))
    #expect(!match.matches(text[2...]))
    #expect(match.matches(text[3..<4]))
    #expect(!match.matches(text[3..<3]))
  }

  /// Compares with an exhaustive matcher on random texts.
  @Test func `random tokens agree with a slow matcher`() {
    var generator = SeededGenerator.announced()
    let set = GlobCharacterSet(isNegated: false, bytes: Set("ab".utf8))
    let tokens: [GlobToken] = [
      .byte(UInt8(ascii: "a")), .separator, .anyCharacter, .oneOf(set), .anyText, .anyFolders,
      .anything,
    ]
    var matchCount = 0
    for _ in 0..<20_000 {
      let pattern = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        tokens.randomElement(using: &generator) ?? .anyText
      }
      let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        Array("aab//c".utf8).randomElement(using: &generator) ?? 0
      }
      let expected = slow(pattern[...], text[...])
      #expect(GlobMatch(pattern, of: .bytes).matches(text[...]) == expected, "\(pattern) \(text)")
      matchCount += expected ? 1 : 0
    }
    #expect(matchCount > 1000)
  }

  private func slow(_ tokens: ArraySlice<GlobToken>, _ text: ArraySlice<UInt8>) -> Bool {
    guard let token = tokens.first else { return text.isEmpty }
    let rest = tokens.dropFirst()
    let slash = UInt8(ascii: "/")
    return (0...text.count).contains { length in
      let taken = text.prefix(length)
      let fits =
        switch token {
        case .byte(let byte): taken.elementsEqual([byte])
        case .anyCharacter: length == 1 && taken.first != slash
        case .oneOf: length == 1 && "ab".utf8.contains(taken.first ?? 0)
        case .anyText: !taken.contains(slash)
        case .anyFolders: length == 0 || taken.last == slash
        case .anything: true
        }
      return fits && slow(rest, text.dropFirst(length))
    }
  }
}
