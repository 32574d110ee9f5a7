// Finds pieces of secrets in consecutive base64 or hexadecimal digits.

/// The digits of a notation in which a number of bits of each digit encode bytes.
struct DigitAlphabet: Sendable {
  let bitsOfDigit: Int
  /// The values of the digits by byte; 255 for other bytes.
  let values: [UInt8]
  /// The possible numbers of bits in the first digit before the start of a byte.
  let leadingBits: [Int]
  /// The number of digits with a bit of a piece of four bytes.
  let digitsOfPiece: Int
  /// The number of digits of a sample: few, so that samples are far apart, but enough to be rare.
  let digitsOfSample: Int

  /// The distance of samples of which one lies in each piece.
  var stride: Int { digitsOfPiece - digitsOfSample + 1 }
  /// The number of bits in the digits of a piece that are not part of it.
  var spareBits: Int { digitsOfPiece * bitsOfDigit - SecretPieces.bitsMax }

  /// RFC 4648, sections 4 and 5: the standard and the URL-safe alphabet.
  static let base64 = Self(
    bitsOfDigit: 6,
    values: values(
      of: ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"], ["-": 62, "_": 63]),
    leadingBits: [0, 2, 4], digitsOfPiece: 6, digitsOfSample: 3)
  /// Lower-case and upper-case digits.
  static let hexadecimal = Self(
    bitsOfDigit: 4, values: values(of: ["0123456789abcdef", "0123456789ABCDEF"], [:]),
    leadingBits: [0], digitsOfPiece: 8, digitsOfSample: 4)

  private static func values(of alphabets: [String], _ others: [Character: UInt8]) -> [UInt8] {
    var values = [UInt8](repeating: 255, count: 256)
    for alphabet in alphabets {
      for (value, digit) in alphabet.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
    }
    for (digit, value) in others { values[Int(digit.asciiValue ?? 0)] = value }
    return values
  }
}

/// Which samples of consecutive digits may be part of a piece.
struct DigitSamples: Sendable {
  let alphabet: DigitAlphabet
  /// A bit for each value of a sample.
  let table: [UInt64]

  init(_ alphabet: DigitAlphabet, of pieces: SecretPieces) {
    self.alphabet = alphabet
    let bits = alphabet.digitsOfSample * alphabet.bitsOfDigit
    var table = [UInt64](repeating: 0, count: 1 << (bits - 6))
    for piece in pieces.all {
      for leading in alphabet.leadingBits {
        let digits = UInt64(piece) << UInt64(alphabet.spareBits - leading)
        for place in 0..<alphabet.stride {
          let after = (alphabet.stride - 1 - place) * alphabet.bitsOfDigit
          let sample = Int(truncatingIfNeeded: digits >> UInt64(after)) & (1 << bits - 1)
          // The bits before and after the piece may have any value.
          let before = max(0, leading - place * alphabet.bitsOfDigit)
          let rest = max(0, alphabet.spareBits - leading - after)
          for first in 0..<(1 << before) {
            for last in 0..<(1 << rest) {
              let value = sample | first << (bits - before) | last
              table[value >> 6] |= 1 << UInt64(value & 63)
            }
          }
        }
      }
    }
    self.table = table
  }

  /// The size of its memory, in bytes.
  var byteCount: Int { table.capacity * 8 }
}

/// Decodes digits at every bit offset at which a byte can start.
///
/// A base64 digit has six bits and a hexadecimal digit has four, so a byte can start in the middle
/// of a digit, depending on the length of the text before the secret. The last bits are compared at
/// each offset where a byte can end. All digits with a bit of a piece are masked.
///
/// Samples that are so close that each piece contains one decide where digits are compared at all, like
/// the blocks of Wu and Manber (A fast algorithm for multi-pattern searching, 1994).
struct DigitReader: Sendable {
  private var bits: UInt64 = 0
  /// The number of consecutive digits; those beyond the length of a piece need not be counted.
  private var count = 0

  mutating func read(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ pieces: SecretPieces,
    _ samples: DigitSamples, into runs: inout MaskedRuns
  ) {
    let alphabet = samples.alphabet
    // Local copies for speed: every byte of output passes through here.
    var (bits, count) = (bits, count)
    alphabet.values.withUnsafeBufferPointer { values in
      samples.table.withUnsafeBufferPointer { table in
        var offset = 0
        while offset < bytes.count {
          let next = Self.skip(bytes, from: offset, after: count, alphabet, values, table)
          if next > offset {
            offset = next
            (bits, count) = Self.digits(bytes, before: offset, alphabet, values)
          }
          let end = min(bytes.count, offset + alphabet.stride)
          while offset < end {
            let value = values[Int(bytes[offset])]
            offset += 1
            guard value < 64 else {
              count = 0
              continue
            }
            bits = bits << UInt64(alphabet.bitsOfDigit) | UInt64(value)
            count += 1
            guard count >= alphabet.digitsOfPiece else { continue }
            for rest in alphabet.leadingBits
            where pieces.contains(UInt32(truncatingIfNeeded: bits >> UInt64(rest))) {
              runs.add((start + offset - alphabet.digitsOfPiece)..<(start + offset))
            }
          }
        }
      }
    }
    (self.bits, self.count) = (bits, count)
  }

  /// Returns the end of the bytes in which no piece ends after an offset, as samples show.
  ///
  /// A sample excludes all pieces that begin up to ``DigitAlphabet/stride`` digits before its end, and a
  /// byte that is no digit all those around it.
  @inline(__always)
  private static func skip(
    _ bytes: UnsafeBufferPointer<UInt8>, from offset: Int, after count: Int,
    _ alphabet: DigitAlphabet, _ values: UnsafeBufferPointer<UInt8>,
    _ table: UnsafeBufferPointer<UInt64>
  ) -> Int {
    let (before, length) = (alphabet.digitsOfSample - 1, alphabet.digitsOfPiece)
    // After another byte, the first piece to exclude begins here; else it ends with the next byte.
    guard count == 0 || offset >= before && bytes.count >= length else { return offset }
    var sample = count == 0 ? offset + alphabet.stride - 1 : offset - before
    let isShort = alphabet.digitsOfSample == 3
    while sample + before < bytes.count {
      let last = Int(values[Int(bytes[sample + before])])
      guard last < 64 else {
        sample += length
        continue
      }
      let first = Int(values[Int(bytes[sample])])
      let second = Int(values[Int(bytes[sample + 1])])
      var (all, value) = (first | second, first << 12 | second << 6 | last)
      if !isShort {
        let third = Int(values[Int(bytes[sample + 2])])
        (all, value) = (all | third, first << 12 | second << 8 | third << 4 | last)
      }
      if all < 64, table[value >> 6] >> UInt64(value & 63) & 1 == 1 { return sample + before }
      sample += alphabet.stride
    }
    return bytes.count
  }

  /// Returns the bits of the digits before an offset, and their number, up to the length of a piece.
  private static func digits(
    _ bytes: UnsafeBufferPointer<UInt8>, before offset: Int, _ alphabet: DigitAlphabet,
    _ values: UnsafeBufferPointer<UInt8>
  ) -> (bits: UInt64, count: Int) {
    var (bits, count) = (UInt64(0), 0)
    while count < min(alphabet.digitsOfPiece, offset) {
      let value = values[Int(bytes[offset - 1 - count])]
      guard value < 64 else { break }
      bits |= UInt64(value) << UInt64(count * alphabet.bitsOfDigit)
      count += 1
    }
    return (bits, count)
  }

  mutating func endLine() { count = 0 }

  /// Returns the position from which the last digits may be the start of a piece; nil if none may.
  func openStart(at end: Int, _ pieces: SecretPieces, _ alphabet: DigitAlphabet) -> Int? {
    let digits = (1...alphabet.digitsOfPiece).last { digits in
      digits <= count
        && alphabet.leadingBits.contains { leading in
          let known = digits * alphabet.bitsOfDigit - leading
          return known > 0 && known < pieces.bits && pieces.hasPrefix(bits, bits: known)
        }
    }
    return digits.map { end - $0 }
  }
}
