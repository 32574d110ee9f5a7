import TestSupport
import Testing

@testable import Masking

struct MaskerTests {
  @Test(
    arguments: [
      (["hunter2"], "the password is hunter2!", "the password is ***!"),
      (["hunter2"], "hunter2hunter2 hunter2", "*** ***"),
      (["hunter2"], "hunter hunter", "hunter hunter"),
      (["abc"], "abc", "abc"),
      (["abcd", "bcde", "abcdef"], "abcd", "***"),
      (["abcd", "bcde", "abcdef"], "xabcdex", "x***x"),
      (["abcd", "bcde", "abcdef"], "abcdefg", "***g"),
      (["abcd", "bcde", "abcdef"], "bcdefabcx", "***fabcx"),
      (["pass", "password"], "password passwor pass", "*** ***wor ***"),
      (["word", "password"], "password word sword passwor", "*** *** s*** passwor"),
      (["sswo", "password"], "password asswor", "*** a***r"),
      (["passwords", "asswo"], "password passwords", "p***rd ***"),
      (["aaaa"], "aaaaaaa aaa aaaa", "*** aaa ***"),
      (["first line\nsecond line"], "a second line\na first\nline", "a ***\na first\nline"),
      (["pässwörd"], "ä pässwörd ö", "ä *** ö"),
      ([], "nothing to hide", "nothing to hide"),
    ] as [([String], String, String)])
  func `all bytes that an occurrence covers are masked`(
    _ secrets: [String], _ text: String, _ expected: String
  ) {
    #expect(Masker(secrets: secrets).masked(text) == expected)
  }

  @Test func `a secret that is split across chunks is masked`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(10, soak: 100) {
      let secrets = (0..<20).map { _ in RandomSecret.next(&generator) }
      let masker = Masker(secrets: secrets)
      for secret in secrets {
        let traces = RandomSecret.traces(secret)
        for shown in RandomSecret.representations(secret, &generator) {
          let text = noise(&generator) + shown + noise(&generator)
          let whole = Array(masker.masked(text).utf8)
          for trace in traces {
            #expect(!String(decoding: whole, as: UTF8.self).contains(trace), "\(text)")
          }
          let bytes = Array(text.utf8)
          for cut in 0...bytes.count {
            var stream = masker.stream()
            let first = stream.append(bytes[..<cut])
            let output = first + stream.append(bytes[cut...]) + stream.finish()
            // Output is never taken back, so the output at the cut is a prefix of the whole.
            if output != whole { Issue.record("cut at \(cut): \(text)") }
          }
          for _ in 0..<5 {
            let pieces = pieces(of: bytes, most: 9, &generator)
            var stream = masker.stream()
            let output = pieces.flatMap { stream.append($0) } + stream.finish()
            if output != whole { Issue.record("cut into \(pieces.map(\.count)): \(text)") }
          }
        }
      }
    }
  }

  @Test func `the masker agrees with a simple reference implementation`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(300, soak: 20_000) {
      let forms = Set(
        (0..<Int.random(in: 1...6, using: &generator)).map { _ in
          Array(RandomSecret.text(generator.next() % 6 + 3, of: "aab", &generator).utf8)
        })
      // With automaton rows for three levels or for two.
      let masker = Masker(forms: forms, rowCountMax: Bool.random(using: &generator) ? 0 : 1_000)
      let text = Array(RandomSecret.text(generator.next() % 60, of: "aaabbc\n", &generator).utf8)
      let covered = covered(text, by: forms)
      var stream = masker.stream()
      var output: [UInt8] = []
      var read = 0
      for piece in pieces(of: text, most: 12, &generator) {
        output += stream.append(piece)
        read += piece.count
        let known = read - openLength(text[..<read], forms)
        let expected = shown(text, covered, until: known)
        if output != expected {
          Issue.record("\(strings(forms)) in \(strings([text])), \(read) bytes read")
        }
      }
      output += stream.finish()
      #expect(output == shown(text, covered, until: text.count), "\(strings(forms))")
    }
  }

  @Test(
    arguments: [
      ("hun\u{1B}[01;31m\u{1B}[Kter\u{1B}[m\u{1B}[K2!", "***!"),
      ("\u{1B}[1mhunter2\u{1B}[0m", "\u{1B}[1m***\u{1B}[0m"),
      ("h\u{1B}]8;;https://a.b/hunter\u{07}unter2", "***"),
      ("hunt\u{1B}]0;a title\u{1B}\\er2", "***"), ("hunt\u{1B}cer2", "***"),
      ("hunt\u{1B}éer2", "***"), ("hunt\u{1B}P1\u{1B}\\er\u{1B}(2", "***"),
      ("hunt\u{1B}\u{1B}[0mer2", "***"), ("hunhun\u{1B}[0mter2", "hun***"),
      ("hunter\u{1B}[", "hunter\u{1B}["), ("hunt\u{1B}[0m\ner2", "hunt\u{1B}[0m\ner2"),
      ("\u{1B}[31mhunter\u{1B}[0m 2", "\u{1B}[31mhunter\u{1B}[0m 2"),
      ("hunt\u{1B}\u{1B}\u{1B}er2", "hunt\u{1B}\u{1B}\u{1B}er2"),
    ])
  func `a secret with colours and links in its middle is masked`(
    _ text: String, _ expected: String
  ) {
    let masker = Masker(secrets: ["hunter2"])
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var stream = masker.stream()
      let output = stream.append(bytes[..<cut]) + stream.append(bytes[cut...]) + stream.finish()
      #expect(String(decoding: output, as: UTF8.self) == expected, "cut at \(cut)")
    }
  }

  @Test func `what is shown without control sequences never contains a secret`() {
    var generator = SeededGenerator.announced()
    let sequences = [
      "\u{1B}[0m", "\u{1B}[38;5;9m", "\u{1B}[K", "\u{1B}]8;;x\u{07}", "\u{1B}]8;;\u{1B}\\",
      "\u{1B}7",
    ]
    for _ in 0..<rounds(300, soak: 5_000) {
      let secret = RandomSecret.text(generator.next() % 8 + 4, of: "ab\u{1B}m[", &generator)
        .filter { $0 != "\u{1B}" }
      guard secret.count >= 4 else { continue }
      var (text, shown) = ("", "")
      for part in ["ab", secret, "ba", secret] {
        for character in part {
          text.append(character)
          shown.append(character)
          while generator.next() % 3 == 0 {
            text += sequences.randomElement(using: &generator) ?? ""
          }
        }
      }
      var stream = Masker(secrets: [secret]).stream()
      let pieces = pieces(of: Array(text.utf8), most: 9, &generator)
      var output = String(
        decoding: pieces.flatMap { stream.append($0) } + stream.finish(), as: UTF8.self)
      for sequence in sequences { output = output.replacing(sequence, with: "") }
      #expect(shown.contains(secret) && !output.contains(secret), "\(secret.debugDescription)")
    }
  }

  @Test func `a sequence without an end holds back a bounded number of bytes`() {
    var stream = Masker(secrets: ["hunter2"]).stream()
    let part = Array(("hunt\u{1B}]" + String(repeating: "x", count: 1000)).utf8)
    var output = stream.append(part)
    for _ in 0..<200 { output += stream.append(part.suffix(1000)) }
    #expect(output.count > 100_000)
  }

  @Test func `a line feed flushes everything before it`() {
    var stream = Masker(secrets: ["hunter2"]).stream()
    #expect(stream.append("a hunter".utf8) == Array("a ".utf8))
    #expect(stream.append("\nhunter2".utf8) == Array("hunter\n***".utf8))
    #expect(stream.append("hunt".utf8) == [])
    #expect(stream.append("er2\n".utf8) == Array("\n".utf8))
    #expect(stream.append("hunter".utf8) == [])
    #expect(stream.finish() == Array("hunter".utf8))
    #expect(stream.append("!".utf8) == Array("!".utf8))
  }

  @Test func `text without secrets is unchanged`() {
    var generator = SeededGenerator.announced()
    let masker = Masker(
      secrets: (0..<20).map { _ in RandomSecret.printable(generator.next() % 20 + 8, &generator) })
    for masker in [masker, Masker(secrets: [])] {
      let text = RandomSecret.text(5_000, of: "the quick brown fox\n äöü€🔑", &generator)
      #expect(masker.masked(text) == text)
      var stream = masker.stream()
      let pieces = pieces(of: Array(text.utf8), most: 300, &generator)
      #expect(pieces.flatMap { stream.append($0) } + stream.finish() == Array(text.utf8))
    }
    #expect(Masker(secrets: []).isEmpty && Masker(secrets: ["abc"]).isEmpty && !masker.isEmpty)
  }

  @Test func `bytes that are not text are unchanged`() {
    var generator = SeededGenerator.announced()
    let bytes = (0..<3_000).map { _ in UInt8.random(in: 0x80...0xFF, using: &generator) }
    var stream = Masker(secrets: ["hunter2", "pässwörd"]).stream()
    let output =
      stream.append(bytes) + stream.append("hunter2".utf8) + stream.append([0, 0xC3])
      + stream.append(bytes) + stream.finish()
    #expect(output == bytes + "***".utf8 + [0, 0xC3] + bytes)
  }

  @Test func `a masker does not show its secrets`() {
    let masker = Masker(secrets: ["hunter2"])
    var stream = masker.stream()
    _ = stream.append("hunter".utf8)
    for value in [masker, stream] as [any Sendable] {
      var text = "\(value) \(String(reflecting: value))"
      dump(value, to: &text)
      #expect(!text.contains("104"), "\(text)")  // The letter h.
      #expect(!text.contains("automaton"), "\(text)")
    }
  }

  @Test func `the memory for many secrets and a long one is limited`() {
    var generator = SeededGenerator.announced()
    let count = rounds(50, soak: 2_000)
    let short = (0..<count).map { _ in RandomSecret.printable(40, &generator) }
    let long = (0..<64).map { _ in RandomSecret.printable(63, &generator) }.joined(separator: "\n")
    let masker = Masker(secrets: short + [long])
    // About 50 bytes for each byte of a secret, plus the rows of the first levels.
    let secretBytes = count * 40 + 64 * 64
    #expect(masker.byteCount < 5 << 20 + secretBytes * 100)
    #expect(
      masker.masked("\(short[0]) \(long)\n") == "*** " + String(repeating: "***\n", count: 64))
  }

  @Test func `the memory of a stream does not grow with its length`() {
    var stream = Masker(secrets: [String(repeating: "a", count: 100) + "b"]).stream()
    for _ in 0..<scaled(5_000) { _ = stream.append("aaaaaaa bbb aaa".utf8) }
    for _ in 0..<scaled(5_000) { _ = stream.append("aaaaaaa".utf8) }
    #expect(stream.byteCount < 1_000)
  }

  // MARK: Helpers

  private func noise(_ generator: inout SeededGenerator) -> String {
    RandomSecret.text(generator.next() % 12, of: "abcde:= \n\"ä", &generator)
  }

  private func pieces(
    of bytes: [UInt8], most: Int, _ generator: inout SeededGenerator
  ) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 0...most, using: &generator)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }

  /// Returns for each byte whether an occurrence of a form covers it.
  private func covered(_ text: [UInt8], by forms: Set<[UInt8]>) -> [Bool] {
    var covered = [Bool](repeating: false, count: text.count)
    for start in text.indices {
      for form in forms where text[start...].starts(with: form) {
        for index in start..<(start + form.count) { covered[index] = true }
      }
    }
    return covered
  }

  /// Returns the masked output for the first bytes of a text.
  private func shown(_ text: [UInt8], _ covered: [Bool], until end: Int) -> [UInt8] {
    var shown: [UInt8] = []
    for index in 0..<end {
      if !covered[index] {
        shown.append(text[index])
      } else if index == 0 || !covered[index - 1] {
        shown += "***".utf8
      }
    }
    return shown
  }

  /// Returns the length of the longest suffix of a text that is a proper prefix of a form.
  private func openLength(_ text: ArraySlice<UInt8>, _ forms: Set<[UInt8]>) -> Int {
    (0...text.count).last { length in
      forms.contains { $0.count > length && $0.starts(with: text.suffix(length)) }
    } ?? 0
  }

  private func strings(_ texts: some Sequence<[UInt8]>) -> [String] {
    texts.map { String(decoding: $0, as: UTF8.self) }
  }
}
