import TestSupport
import Testing

@testable import Masking

struct DigitReaderTests {
  @Test(arguments: [DigitAlphabet.base64, .hexadecimal])
  func `samples find each piece that a comparison of all digits finds`(
    alphabet: DigitAlphabet
  ) {
    let digits = (0...255).filter { alphabet.values[$0] < 64 }.map { UInt8($0) }
    var random = SeededGenerator.announced()
    for _ in 0..<rounds(300, soak: 20_000) {
      let secret = (0..<Int.random(in: 4...40, using: &random)).map { _ in
        UInt8.random(in: 0x21...0x7E, using: &random)
      }
      let pieces = SecretPieces(bytes: 4, of: [secret])
      let samples = DigitSamples(alphabet, of: pieces)
      var text: [UInt8] = []
      while text.count < 200 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.append(UInt8(ascii: " "))
        case 1: text += part(of: secret, in: alphabet, &random)
        default: text.append(digits.randomElement(using: &random) ?? 0)
        }
      }
      #expect(
        found(text, pieces, samples, &random) == allFound(text, pieces, alphabet),
        "\(secret) in \(String(decoding: text, as: UTF8.self))")
    }
  }

  /// Reads a text in chunks of any length.
  private func found(
    _ text: [UInt8], _ pieces: SecretPieces, _ samples: DigitSamples,
    _ random: inout SeededGenerator
  ) -> [Range<Int>] {
    var (reader, runs, start) = (DigitReader(), MaskedRuns(), 0)
    while start < text.count {
      let end = min(text.count, start + Int.random(in: 1...80, using: &random))
      text[start..<end].withUnsafeBufferPointer {
        reader.read($0, at: start, pieces, samples, into: &runs)
      }
      start = end
    }
    return runs.runs
  }

  /// Compares the digits at each position with all pieces.
  private func allFound(
    _ text: [UInt8], _ pieces: SecretPieces, _ alphabet: DigitAlphabet
  ) -> [Range<Int>] {
    var runs = MaskedRuns()
    for end in alphabet.digitsOfPiece..<(text.count + 1) {
      let digits = text[(end - alphabet.digitsOfPiece)..<end].map { alphabet.values[Int($0)] }
      guard digits.allSatisfy({ $0 < 64 }) else { continue }
      let bits = digits.reduce(UInt64(0)) { $0 << UInt64(alphabet.bitsOfDigit) | UInt64($1) }
      for rest in alphabet.leadingBits
      where pieces.all.contains(UInt32(truncatingIfNeeded: bits >> UInt64(rest))) {
        runs.add((end - alphabet.digitsOfPiece)..<end)
      }
    }
    return runs.runs
  }

  /// Encodes some bytes of a secret after some other bits, as they may be in a longer text.
  private func part(
    of secret: [UInt8], in alphabet: DigitAlphabet, _ random: inout SeededGenerator
  ) -> [UInt8] {
    let first = Int.random(in: 0...(secret.count - 4), using: &random)
    var bits = [Bool](
      repeating: true, count: alphabet.leadingBits.randomElement(using: &random) ?? 0)
    for byte in secret[first..<min(secret.count, first + Int.random(in: 3...8, using: &random))] {
      bits += (0..<8).map { byte >> UInt8(7 - $0) & 1 == 1 }
    }
    return stride(from: 0, to: bits.count, by: alphabet.bitsOfDigit).compactMap { start in
      let value = (0..<alphabet.bitsOfDigit).reduce(0) { value, place in
        value << 1 | (start + place < bits.count && bits[start + place] ? 1 : 0)
      }
      return alphabet.values.firstIndex(of: UInt8(value)).map { UInt8($0) }
    }
  }
}
