// What dumps show of a text: its bytes as numbers or characters, with something between them. Pure.

/// Makes the forms of a text in dumps: `xxd`, `od`, `hexdump`, Python's `hex()`, lists of numbers.
///
/// A dump breaks its lines after a number of bytes, and where the breaks fall depends on what is before the
/// text. So the forms are windows, one from each byte on, as in ``Base64Forms``: what is covered by any of them
/// is masked. Of a piece at the end of a line that is shorter than a window nothing is masked: two bytes at most,
/// three where nothing is between the numbers and where they have two bytes each.
enum DumpForms {
  /// The longest text of which dumps are searched for, in bytes: the forms take some 3 KB for each byte of it.
  static let bytesMax = 4096

  /// Makes the forms of a text.
  ///
  /// - Parameter text: The bytes to hide.
  /// - Returns: The forms, some of which may come twice.
  static func forms(of text: [UInt8]) -> [[UInt8]] {
    guard text.count <= bytesMax else { return plainHexadecimal(text) }
    var forms = plainHexadecimal(text)
    for style in Style.all { forms += style.windows(of: text) }
    forms += words(of: text)
    forms += margin(of: text)
    return forms
  }

  // MARK: Bytes

  /// How each byte is written, and what is between two of them.
  private struct Style {
    let separator: String
    let cell: @Sendable (UInt8) -> String

    static let all: [Style] = [
      // `od -tx1`, `hexdump -C`, `hex(' ')`; and with colons, as of keys and addresses.
      Style(separator: " ") { ByteNotation.number($0, 16, 2) },
      Style(separator: " ") { ByteNotation.number($0, 16, 2).uppercased() },
      Style(separator: ":") { ByteNotation.number($0, 16, 2) },
      Style(separator: ":") { ByteNotation.number($0, 16, 2).uppercased() },
      // `xxd -i`, and the escapes of C, Python and shells.
      Style(separator: ", 0x") { ByteNotation.number($0, 16, 2) },
      Style(separator: #"\x"#) { ByteNotation.number($0, 16, 2) },
      Style(separator: #"\x"#) { ByteNotation.number($0, 16, 2).uppercased() },
      Style(separator: #"\"#) { ByteNotation.number($0, 8, 3) },
      // `od -b`, and lists of numbers.
      Style(separator: " ") { ByteNotation.number($0, 8, 3) },
      Style(separator: ", ") { ByteNotation.number($0, 10, 1) },
      // `od -c`.
      Style(separator: "") { character($0) },
    ]

    func windows(of text: [UInt8]) -> [[UInt8]] {
      let cells = text.map { Array(cell($0).utf8) }
      return DumpForms.windows(cells.count, of: 3).map {
        Array(cells[$0].joined(separator: separator.utf8))
      }
    }

    /// A cell of four places, as of `od -c`.
    private static func character(_ byte: UInt8) -> String {
      let isPrintable = (0x20..<0x7F).contains(byte)
      let name =
        byte == 0
        ? #"\0"#
        : ByteNotation.controlEscapes[byte]
          ?? (isPrintable ? String(UnicodeScalar(byte)) : ByteNotation.number(byte, 8, 3))
      return String(repeating: " ", count: 4 - name.utf8.count) + name
    }
  }

  /// `xxd -p` and the like: windows of four bytes, since nothing is between them.
  private static func plainHexadecimal(_ text: [UInt8]) -> [[UInt8]] {
    let lower = text.map { Array(ByteNotation.number($0, 16, 2).utf8) }
    let upper = text.map { Array(ByteNotation.number($0, 16, 2).uppercased().utf8) }
    return windows(text.count, of: 4).flatMap { range in
      [Array(lower[range].joined()), Array(upper[range].joined())]
    }
  }

  // MARK: Words

  /// Numbers of two bytes: `xxd` without `-p`, `od -x` and `hexdump`, and `od` as it is.
  private static func words(of text: [UInt8]) -> [[UInt8]] {
    windows(text.count, of: 4).flatMap { range in
      let bytes = text[range].map(UInt16.init)
      let pairs = [(bytes[0], bytes[1]), (bytes[2], bytes[3])]
      let big = pairs.map { ByteNotation.number($0.0 << 8 | $0.1, 16, 4) }
      let little = pairs.map { ByteNotation.number($0.1 << 8 | $0.0, 16, 4) }
      let octal = pairs.map { ByteNotation.number($0.1 << 8 | $0.0, 8, 6) }
      return [big, little, octal].map { Array($0.joined(separator: " ").utf8) }
    }
  }

  // MARK: The margin of hexdump -C

  /// What `hexdump -C` shows at the right of its numbers: sixteen characters between bars.
  private static func margin(of text: [UInt8]) -> [[UInt8]] {
    let bar = UInt8(ascii: "|")
    let shown = text.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }
    let parts = SecretForms.bytesMin..<min(16, max(shown.count, SecretForms.bytesMin))
    return parts.flatMap { [shown.prefix($0) + [bar], [bar] + shown.suffix($0)] }
      + windows(shown.count, of: 16).map { [bar] + shown[$0] + [bar] }
  }

  private static func windows(_ count: Int, of length: Int) -> [Range<Int>] {
    count < length ? [] : (0...(count - length)).map { $0..<($0 + length) }
  }
}
