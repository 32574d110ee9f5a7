// A text within quotation marks or markup: shells, Python, HTML, JSON in JSON. Pure.

/// Makes the forms of a text as programs quote it before they print it.
enum QuotedForms {
  /// Makes the forms of a text.
  ///
  /// - Parameter text: Bytes of UTF-8.
  /// - Returns: The forms, some of which may be equal to each other or to the text.
  static func forms(of text: [UInt8]) -> [[UInt8]] {
    shell(text) + python(text) + markup(text)
  }

  // MARK: Shells

  /// `printf %q`, with and without what only some versions escape; `declare -p` and `export -p`; and `$'…'`,
  /// which both take where control characters occur.
  private static func shell(_ text: [UInt8]) -> [[UInt8]] {
    let always = Set(" '\"\\|&;()<>!{}*[?]^$`".utf8)
    let sometimes = Set(",".utf8)
    let atStart = Set("~#".utf8)
    func escaped(_ set: Set<UInt8>) -> [UInt8] {
      text.enumerated().flatMap { position, byte in
        set.contains(byte) || position == 0 && atStart.contains(byte) ? [backslash, byte] : [byte]
      }
    }
    let inDouble = text.flatMap { Set("\"$`\\".utf8).contains($0) ? [backslash, $0] : [$0] }
    return [escaped(always), escaped(always.union(sometimes)), inDouble, dollarQuoted(text)]
  }

  private static func dollarQuoted(_ text: [UInt8]) -> [UInt8] {
    text.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "'"), backslash: [backslash, byte]
      case 0x1B: Array(#"\E"#.utf8)
      case ..<0x20:
        Array((ByteNotation.controlEscapes[byte] ?? #"\"# + ByteNotation.number(byte, 8, 3)).utf8)
      default: [byte]
      }
    }
  }

  // MARK: Python

  /// `repr` of a text and of bytes, within both kinds of quotation marks.
  private static func python(_ text: [UInt8]) -> [[UInt8]] {
    [true, false].flatMap { escapesQuote in
      [true, false].map { escapesBeyondASCII in
        text.flatMap { byte -> [UInt8] in
          switch byte {
          case backslash: [backslash, backslash]
          case UInt8(ascii: "'") where escapesQuote: [backslash, byte]
          case 9, 10, 13: Array((ByteNotation.controlEscapes[byte] ?? "").utf8)
          case 0..<0x20, 0x7F: hexadecimal(byte)
          case 0x80... where escapesBeyondASCII: hexadecimal(byte)
          default: [byte]
          }
        }
      }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    Array((#"\x"# + ByteNotation.number(byte, 16, 2)).utf8)
  }

  // MARK: HTML and XML

  /// How a quotation mark and an apostrophe are written; nil where they are left as they are.
  private static let markupStyles: [(quote: String?, apostrophe: String?)] = [
    (nil, nil), ("&quot;", nil), ("&quot;", "&#39;"), ("&quot;", "&#x27;"), ("&quot;", "&#039;"),
    ("&quot;", "&apos;"), ("&#34;", "&#39;"),
  ]

  private static func markup(_ text: [UInt8]) -> [[UInt8]] {
    markupStyles.map { style in
      text.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: "&"): Array("&amp;".utf8)
        case UInt8(ascii: "<"): Array("&lt;".utf8)
        case UInt8(ascii: ">"): Array("&gt;".utf8)
        case UInt8(ascii: "\""): style.quote.map { Array($0.utf8) } ?? [byte]
        case UInt8(ascii: "'"): style.apostrophe.map { Array($0.utf8) } ?? [byte]
        default: [byte]
        }
      }
    }
  }

  private static let backslash = UInt8(ascii: "\\")
}
