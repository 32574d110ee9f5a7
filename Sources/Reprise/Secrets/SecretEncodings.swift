// The encodings that go byte by byte: percent, form, JSON, hexadecimal. Pure.

/// Encodes a text as programs do before they print it.
enum SecretEncodings {
  /// Encodes a text in all ways.
  ///
  /// - Parameter text: Bytes of UTF-8.
  /// - Returns: Its encodings, some of which may be equal to each other or to the text.
  static func encodings(of text: [UInt8]) -> [[UInt8]] {
    var encodings = [
      // As a shell quotes, and as Python's `shlex` does.
      replacing("'", by: #"'\''"#, in: text), replacing("'", by: #"'"'"'"#, in: text),
    ]
    for digits in [lowerDigits, upperDigits] {
      encodings.append(text.flatMap { hexadecimal($0, digits) })
      encodings += PercentStyle.all.map { percentEncoded(text, $0, digits) }
      for style in JSONStyle.all {
        // As it is, and within a text that is written as JSON again.
        let once = jsonEscaped(text, style, digits)
        let twice = jsonEscaped(once, style, digits)
        encodings += [once, twice, jsonEscaped(twice, style, digits)]
      }
    }
    return encodings
  }

  // MARK: Percent

  /// What a percent-encoding leaves as it is, beside letters and digits.
  private struct PercentStyle {
    let kept: Set<UInt8>
    var blankIsPlus = false

    static let all = [
      // RFC 3986, section 2.3.
      PercentStyle(kept: Set("-._~".utf8)),
      // JavaScript's `encodeURIComponent`.
      PercentStyle(kept: Set("-._~!'()*".utf8)),
      // Python's `quote`.
      PercentStyle(kept: Set("-._~/".utf8)),
      // Forms, as browsers and as Python's `quote_plus` write them.
      PercentStyle(kept: Set("-._*".utf8), blankIsPlus: true),
      PercentStyle(kept: Set("-._~".utf8), blankIsPlus: true),
    ]
  }

  private static func percentEncoded(
    _ text: [UInt8], _ style: PercentStyle, _ digits: [UInt8]
  ) -> [UInt8] {
    var encoded: [UInt8] = []
    for byte in text {
      if isLetterOrDigit(byte) || style.kept.contains(byte) {
        encoded.append(byte)
      } else if style.blankIsPlus && byte == UInt8(ascii: " ") {
        encoded.append(UInt8(ascii: "+"))
      } else {
        encoded.append(UInt8(ascii: "%"))
        encoded += hexadecimal(byte, digits)
      }
    }
    return encoded
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  // MARK: JSON

  /// What is escaped beside what has to be.
  private struct JSONStyle {
    var slashes = false
    var markup = false
    var beyondASCII = false

    static let all = [
      JSONStyle(),
      JSONStyle(slashes: true),
      // Go escapes what HTML would take for markup.
      JSONStyle(markup: true),
      // Python leaves only ASCII, PHP slashes neither.
      JSONStyle(beyondASCII: true),
      JSONStyle(slashes: true, beyondASCII: true),
    ]
  }

  private static func jsonEscaped(
    _ text: [UInt8], _ style: JSONStyle, _ digits: [UInt8]
  ) -> [UInt8] {
    var escaped: [UInt8] = []
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if let short = shortEscapes[scalar] {
        escaped += short.utf8
      } else if style.slashes && scalar == "/" {
        escaped += #"\/"#.utf8
      } else if scalar.value < 0x20 || style.markup && "<>&".unicodeScalars.contains(scalar)
        || style.beyondASCII && !scalar.isASCII
      {
        for unit in String(scalar).utf16 {
          escaped += #"\u"#.utf8
          escaped += hexadecimal(UInt8(unit >> 8), digits)
          escaped += hexadecimal(UInt8(unit & 0xFF), digits)
        }
      } else {
        escaped += UTF8.encode(scalar).map(Array.init) ?? []
      }
    }
    return escaped
  }

  private static let shortEscapes: [Unicode.Scalar: String] = [
    "\"": #"\""#, "\\": #"\\"#, "\u{8}": #"\b"#, "\u{C}": #"\f"#, "\n": #"\n"#, "\r": #"\r"#,
    "\t": #"\t"#,
  ]

  // MARK: Shell and hexadecimal

  private static func replacing(
    _ character: Unicode.Scalar, by replacement: String, in text: [UInt8]
  ) -> [UInt8] {
    text.flatMap { $0 == UInt8(ascii: character) ? Array(replacement.utf8) : [$0] }
  }

  private static func hexadecimal(_ byte: UInt8, _ digits: [UInt8]) -> [UInt8] {
    [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
  }

  private static let lowerDigits = Array("0123456789abcdef".utf8)
  private static let upperDigits = Array("0123456789ABCDEF".utf8)
}
