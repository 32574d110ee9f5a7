// The escape notations of common programs, and their decoding.

/// An escape notation, in which any character may be literal or escaped.
///
/// Output is decoded and compared with the secret itself, so it does not matter which characters a
/// program escapes, or how.
enum EscapeNotation: CaseIterable, Sendable {
  /// JSON, C, `$'…'` of shells, `repr` of Python's bytes: `\n`, `\"`, `\u00e4`, `\xc3`, `\303`.
  case backslashes
  /// `repr` of Python's strings, in which `\xe4` is a character instead of a byte.
  case codePoint
  /// `printf %q` and shell patterns: the character after the backslash is literal.
  case shell
  /// URLs: `%C3%A4`.
  case address
  /// URL-encoded forms: like URLs, with `+` for a blank.
  case form
  /// HTML and XML: `&lt;`, `&#60;`, `&#x3c;`.
  case markup
  /// An apostrophe in single quotes, as written by shells and Python's `shlex`: `'\''`, `'"'"'`.
  case apostrophes

  /// The maximum number of nested encodings to decode, such as JSON in JSON in JSON.
  var levelCount: Int {
    switch self {
    case .backslashes: 3
    case .address, .markup, .shell: 2
    case .codePoint, .form, .apostrophes: 1
    }
  }

  /// Returns whether an escape may begin with a byte.
  func begins(with byte: UInt8) -> Bool {
    switch self {
    case .backslashes, .codePoint, .shell: byte == backslash
    case .address: byte == percent
    case .form: byte == percent || byte == plus
    case .markup: byte == ampersand
    case .apostrophes: byte == apostrophe
    }
  }

  /// The result of decoding an escape.
  enum Decoded: Equatable {
    /// The decoding needs more bytes.
    case more
    /// The first `count` bytes of the text decode to these bytes.
    case bytes([UInt8], count: Int)
  }

  /// Decodes the escape at the start of a text.
  ///
  /// - Parameters:
  ///   - text: The text. Its first byte may begin an escape.
  ///   - isEnd: Whether this is the end of the text, so that no more bytes can be requested.
  /// - Returns: The decoded bytes, or the first byte if the text does not begin with an escape.
  func decode(_ text: [UInt8], isEnd: Bool) -> Decoded {
    let decoded =
      switch self {
      case .backslashes, .codePoint: backslashEscape(text, isEnd)
      case .shell: text.count < 2 ? Decoded.more : .bytes([text[1]], count: 2)
      case .address: percentEscape(text)
      case .form: text[0] == plus ? .bytes([blank], count: 1) : percentEscape(text)
      case .markup: entity(text)
      case .apostrophes: quotedApostrophe(text)
      }
    return decoded == .more && isEnd ? itself(text) : decoded
  }

  private func itself(_ text: [UInt8]) -> Decoded { .bytes([text[0]], count: 1) }

  // MARK: Backslashes

  private func backslashEscape(_ text: [UInt8], _ isEnd: Bool) -> Decoded {
    guard text.count > 1 else { return .more }
    switch text[1] {
    case UInt8(ascii: "x"): return byteEscape(text, digits: 2, radix: 16, from: 2, isEnd)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      return byteEscape(text, digits: 3, radix: 8, from: 1, isEnd)
    case UInt8(ascii: "u"): return unitEscape(text, isEnd)
    case UInt8(ascii: "U"):
      guard let value = number(text, 2..<10, radix: 16) else { return unfinished(text, 2..<10) }
      return .bytes(utf8(value), count: 10)
    default: return .bytes([Self.controls[text[1]] ?? text[1]], count: 2)
    }
  }

  /// Decodes a byte written as a number of at most `digits` digits.
  private func byteEscape(
    _ text: [UInt8], digits: Int, radix: Int, from start: Int, _ isEnd: Bool
  ) -> Decoded {
    let count = text[start...].prefix(digits).prefix { Self.digit($0, radix) != nil }.count
    guard count > 0 else { return text.count > start ? .bytes([text[1]], count: 2) : .more }
    if count < digits, text.count == start + count, !isEnd { return .more }
    let value = number(text, start..<(start + count), radix: radix) ?? 0
    let isCharacter = self == .codePoint && radix == 16
    return .bytes(
      isCharacter ? utf8(value) : [UInt8(truncatingIfNeeded: value)], count: start + count)
  }

  /// Decodes a UTF-16 code unit, or a surrogate pair.
  private func unitEscape(_ text: [UInt8], _ isEnd: Bool) -> Decoded {
    guard let value = number(text, 2..<6, radix: 16) else { return unfinished(text, 2..<6) }
    guard 0xD800..<0xDC00 ~= value else { return .bytes(utf8(value), count: 6) }
    let begins = [backslash, UInt8(ascii: "u")]
    guard text[6...].prefix(2).elementsEqual(begins.prefix(max(0, text.count - 6))) else {
      return .bytes(utf8(value), count: 6)
    }
    guard let second = number(text, 8..<12, radix: 16) else {
      guard case .more = unfinished(text, 8..<12), !isEnd else {
        return .bytes(utf8(value), count: 6)
      }
      return .more
    }
    guard 0xDC00..<0xE000 ~= second else { return .bytes(utf8(value), count: 6) }
    return .bytes(utf8(0x10000 + (value - 0xD800) << 10 + (second - 0xDC00)), count: 12)
  }

  /// Requests more bytes if digits can follow; otherwise returns the literal letter.
  private func unfinished(_ text: [UInt8], _ range: Range<Int>) -> Decoded {
    let there = text.dropFirst(range.lowerBound).prefix(range.count)
    let canFollow = there.count < range.count && there.allSatisfy { Self.digit($0, 16) != nil }
    return canFollow ? .more : .bytes([text[1]], count: 2)
  }

  // MARK: Addresses, markup, apostrophes

  private func percentEscape(_ text: [UInt8]) -> Decoded {
    if let value = number(text, 1..<3, radix: 16) {
      return .bytes([UInt8(value)], count: 3)
    }
    return text.count < 3 && text.dropFirst().allSatisfy { Self.digit($0, 16) != nil }
      ? .more : itself(text)
  }

  private func entity(_ text: [UInt8]) -> Decoded {
    guard let end = text.firstIndex(of: UInt8(ascii: ";")) else {
      return text.count < Self.entityBytesMax ? .more : itself(text)
    }
    let name = String(decoding: text[1..<end], as: UTF8.self)
    if let byte = Self.entities[name] { return .bytes([byte], count: end + 1) }
    guard name.first == "#" else { return itself(text) }
    let isHexadecimal = name.dropFirst().first?.lowercased() == "x"
    let start = isHexadecimal ? 3 : 2
    let value = number(text, min(start, end)..<end, radix: isHexadecimal ? 16 : 10)
    return value.map { .bytes(utf8($0), count: end + 1) } ?? itself(text)
  }

  private func quotedApostrophe(_ text: [UInt8]) -> Decoded {
    let escaped = [apostrophe, backslash, apostrophe, apostrophe]
    if text.starts(with: escaped) { return .bytes([apostrophe], count: 4) }
    if escaped.starts(with: text) { return .more }
    // One or more apostrophes in double quotes, between `'"` and `"'`.
    let inner = text.dropFirst(2).prefix { $0 == apostrophe }
    guard text[1] == quote, text.count > 2 else { return text[1] == quote ? .more : itself(text) }
    let rest = text.dropFirst(2 + inner.count)
    guard inner.count > 0, [quote, apostrophe].starts(with: rest.prefix(2)) else {
      return itself(text)
    }
    return rest.count < 2
      ? (inner.count < 16 ? .more : itself(text))
      : .bytes(Array(inner), count: inner.count + 4)
  }

  // MARK: Numbers

  /// Parses a number; nil if a byte is missing or is not a digit.
  private func number(_ text: [UInt8], _ range: Range<Int>, radix: Int) -> Int? {
    guard !range.isEmpty, range.upperBound <= text.count else { return nil }
    var value = 0
    for byte in text[range] {
      guard let digit = Self.digit(byte, radix) else { return nil }
      value = value * radix + digit
    }
    return value
  }

  /// Returns the value of a digit; nil if the byte is not a digit.
  @inline(__always)
  static func digit(_ byte: UInt8, _ radix: Int) -> Int? {
    let value =
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
      default: radix
      }
    return value < radix ? value : nil
  }

  private func utf8(_ value: Int) -> [UInt8] {
    Array(String(Unicode.Scalar(UInt32(truncatingIfNeeded: value)) ?? "\u{FFFD}").utf8)
  }

  /// The control characters for letters after a backslash.
  static let controls: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10,
    UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13, UInt8(ascii: "e"): 27,
    UInt8(ascii: "E"): 27,
  ]

  private static let entities: [String: UInt8] = [
    "amp": ampersand, "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": quote,
    "apos": apostrophe,
  ]
  /// The length of `&#x10FFFF;` and `&#1114111;`.
  private static let entityBytesMax = 10
}

private let backslash = UInt8(ascii: "\\")
private let percent = UInt8(ascii: "%")
private let plus = UInt8(ascii: "+")
private let blank = UInt8(ascii: " ")
private let ampersand = UInt8(ascii: "&")
private let apostrophe = UInt8(ascii: "'")
private let quote = UInt8(ascii: "\"")
