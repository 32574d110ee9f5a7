// The pieces of base64 by which a text is known whatever stands around it. Knows nothing of lines.

/// Makes the base64 forms of a text.
///
/// Base64 turns groups of three bytes into four characters. What a text looks like depends on the
/// number of bytes before it, modulo three: its alignment. The characters at both ends also encode
/// bits of its neighbours; they are in no form, unless the neighbour is the end.
///
/// A program may break lines after 76, 64 or any other number of characters, and where the breaks
/// fall depends on how much is before the text. So the forms are not the whole encoding but windows
/// of it, one from each character on. As all that is covered by any form is masked, they mask what
/// of the encoding is on one line, if that is as long as a window, or as ``pieceCharactersMin`` at an end.
enum Base64Forms {
  /// The fewest characters that are masked, where a secret has no more: they encode 30 bits.
  static let charactersMin = 5
  /// The fewest characters that are masked at the end of a line.
  static let pieceCharactersMin = 6

  /// The length of a window: six bytes of the text.
  ///
  /// Shorter ones would mask more that is no secret.
  static let windowCharacters = 8

  /// Makes the forms of a text, in the standard and in the URL-safe alphabet.
  ///
  /// - Parameter text: The bytes to hide.
  /// - Returns: The forms, some of which may come twice.
  static func forms(of text: [UInt8]) -> [[UInt8]] {
    var forms: [[UInt8]] = []
    for alignment in 0..<groupBytes {
      let before = [UInt8](repeating: 0, count: alignment)
      let first = dividedUp(alignment * bitsOfByte, by: bitsOfCharacter)
      let end = (alignment + text.count) * bitsOfByte / bitsOfCharacter
      let encoding = encoded(before + text)
      let core = encoding[first..<max(first, end)]
      forms += pieces(of: core).map(Array.init)
      // Nothing breaks the lines of the URL-safe alphabet.
      let urlSafeCore = urlSafe(core)
      if urlSafeCore != Array(core) { forms.append(urlSafeCore) }
      forms += ends(of: encoding, from: first)
      // As `echo` leaves it.
      forms += ends(of: encoded(before + text + [UInt8(ascii: "\n")]), from: first)
    }
    return forms.filter { $0.count >= charactersMin }
  }

  /// The windows, and at both ends the pieces that are too short for one.
  private static func pieces(of core: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let short = pieceCharactersMin..<windowCharacters
    guard core.count >= windowCharacters else {
      return [core] + short.flatMap { [core.prefix($0), core.suffix($0)] }
    }
    let windows = core.indices.dropLast(windowCharacters - 1)
      .map { core[$0..<($0 + windowCharacters)] }
    return short.map { core.prefix($0) } + windows + short.map { core.suffix($0) }
  }

  /// What stands last when the text does, padded and not, in both alphabets.
  private static func ends(of encoding: [UInt8], from first: Int) -> [[UInt8]] {
    let end = encoding[max(first, encoding.count - windowCharacters)...]
    let bare = end.prefix { $0 != padding }
    return [Array(end), Array(bare), urlSafe(end), urlSafe(bare)]
  }

  // MARK: The encoding, RFC 4648

  private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(dividedUp(bytes.count, by: groupBytes) * groupCharacters)
    for start in stride(from: 0, to: bytes.count, by: groupBytes) {
      let group = bytes[start..<min(start + groupBytes, bytes.count)]
      var bits: UInt32 = 0
      for offset in 0..<groupBytes {
        bits = bits << 8 | (offset < group.count ? UInt32(group[start + offset]) : 0)
      }
      for character in 0..<groupCharacters {
        let index = Int(bits >> (18 - UInt32(character * bitsOfCharacter))) & 0x3F
        encoded.append(character <= group.count ? alphabet[index] : padding)
      }
    }
    return encoded
  }

  private static func urlSafe(_ encoding: ArraySlice<UInt8>) -> [UInt8] {
    encoding.map { character in
      switch character {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: character
      }
    }
  }

  private static func dividedUp(_ dividend: Int, by divisor: Int) -> Int {
    (dividend + divisor - 1) / divisor
  }

  private static let groupBytes = 3
  private static let groupCharacters = 4
  private static let bitsOfByte = 8
  private static let bitsOfCharacter = 6
  private static let padding = UInt8(ascii: "=")
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
