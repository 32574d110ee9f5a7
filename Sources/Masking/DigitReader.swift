// Finds pieces of secrets in consecutive base64 or hexadecimal digits.

/// Decodes digits at every bit offset at which a byte can start.
///
/// A base64 digit has six bits and a hexadecimal digit has four, so a byte can start in the middle
/// of a digit, depending on the length of the text before the secret. The last bits are compared at
/// each offset where a byte can end. All digits with a bit of a piece are masked.
struct DigitReader: Sendable {
  enum Alphabet: Sendable {
    /// RFC 4648, sections 4 and 5: the standard and the URL-safe alphabet.
    case base64
    /// Lower-case and upper-case digits.
    case hexadecimal
  }

  private let bitsOfDigit: Int
  private let values: [UInt8]
  /// The possible numbers of bits in the last digit after the end of a byte.
  private let restBits: [Int]
  /// The possible numbers of bits in the first digit before the start of a byte.
  private let leadingBits: [Int]
  private let digitsOfPiece: Int

  private var bits: UInt64 = 0
  /// The number of consecutive digits.
  private var count = 0

  init(_ alphabet: Alphabet) {
    switch alphabet {
    case .base64: (bitsOfDigit, values, restBits, leadingBits) = (6, base64, [0, 2, 4], [0, 2, 4])
    case .hexadecimal: (bitsOfDigit, values, restBits, leadingBits) = (4, hexadecimal, [0], [0])
    }
    digitsOfPiece = (32 + bitsOfDigit - 1) / bitsOfDigit
  }

  mutating func read(
    _ part: ArraySlice<UInt8>, at start: Int, _ pieces: SecretPieces, into runs: inout MaskedRuns
  ) {
    // Local copies for speed: every byte of output passes through here.
    var (bits, count) = (bits, count)
    part.withUnsafeBufferPointer { bytes in
      values.withUnsafeBufferPointer { values in
        var offset = 0
        while offset < bytes.count {
          // Most words are shorter than a piece: if its last byte would be no digit, none of it is looked at.
          if count == 0, offset + digitsOfPiece <= bytes.count,
            values[Int(bytes[offset + digitsOfPiece - 1])] >= 64
          {
            offset += digitsOfPiece
            continue
          }
          let value = values[Int(bytes[offset])]
          offset += 1
          guard value < 64 else {
            count = 0
            continue
          }
          bits = bits << UInt64(bitsOfDigit) | UInt64(value)
          count += 1
          guard count >= digitsOfPiece, pieces.mayEnd(near: bits) else { continue }
          for rest in restBits
          where pieces.contains(UInt32(truncatingIfNeeded: bits >> UInt64(rest))) {
            let end = start + offset
            runs.add((end - digitsOfPiece)..<end)
          }
        }
      }
    }
    (self.bits, self.count) = (bits, count)
  }

  mutating func endLine() { count = 0 }

  /// Returns the position from which the last digits may be the start of a piece; nil if none may.
  func openStart(at end: Int, _ pieces: SecretPieces) -> Int? {
    let digits = (1...digitsOfPiece).last { digits in
      digits <= count
        && leadingBits.contains { leading in
          let known = digits * bitsOfDigit - leading
          return known > 0 && known < pieces.bits && pieces.hasPrefix(bits, bits: known)
        }
    }
    return digits.map { end - $0 }
  }
}

/// The values of the digits by byte; 255 for other bytes.
private let base64 = values(
  of: ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"], ["-": 62, "_": 63])
private let hexadecimal = values(of: ["0123456789abcdef", "0123456789ABCDEF"], [:])

private func values(of alphabets: [String], _ others: [Character: UInt8]) -> [UInt8] {
  var values = [UInt8](repeating: 255, count: 256)
  for alphabet in alphabets {
    for (value, digit) in alphabet.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
  }
  for (digit, value) in others { values[Int(digit.asciiValue ?? 0)] = value }
  return values
}
