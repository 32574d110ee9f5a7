// The keys of a terminal, and the decoder that finds them in the bytes that the terminal sends. Pure.

/// A pressed key, or another message of the terminal.
enum Key: Hashable, Sendable {
  /// A printable character.
  case character(Character)
  case up, down, left, right, pageUp, pageDown, home, end
  case enter, escape, tab, backspace
  /// The wheel of the mouse, a notch up or down.
  case wheelUp, wheelDown
  /// A click of the left mouse button, at a column and row of the window, from 1.
  case click(column: Int, row: Int)
  /// The position of the cursor, from 1, which the program has asked for.
  case cursor(column: Int, row: Int)
  /// Text that was pasted; it contains no keys.
  case pasted
}

/// Finds keys in bytes, which may end in the middle of one.
///
/// Understands UTF-8, the cursor keys of ECMA-48 and xterm, SGR mouse reports and bracketed paste
/// (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). Unknown sequences are ignored.
struct KeyDecoder {
  private static let escape: UInt8 = 0x1B
  private static let pasteStart = Array("\u{1B}[200~".utf8)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// The maximum length of a sequence; a longer one is dropped.
  private static let sequenceMax = 64

  private var rest: [UInt8] = []
  private var isPasting = false

  /// Whether the bytes so far end in what may be the beginning of a longer key.
  var isWaiting: Bool { !rest.isEmpty }

  /// Returns the keys that are complete with more bytes.
  mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    rest += bytes
    var keys: [Key] = []
    while !rest.isEmpty {
      if isPasting {
        guard skipPaste() else { break }
        keys.append(.pasted)
        continue
      }
      guard let (key, length) = first() else { break }
      rest.removeFirst(length)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Returns the keys that the bytes so far mean if no more follow: a lone Escape is a key.
  mutating func finish() -> [Key] {
    guard !isPasting, !rest.isEmpty else { return [] }
    defer { rest = [] }
    return rest == [Self.escape] ? [.escape] : []
  }

  /// Drops pasted bytes; returns whether the paste is over.
  private mutating func skipPaste() -> Bool {
    guard let end = rest.firstRange(of: Self.pasteEnd) else {
      rest = Array(rest.suffix(Self.pasteEnd.count - 1))
      return false
    }
    rest.removeSubrange(..<end.upperBound)
    isPasting = false
    return true
  }

  /// Returns the first key and its length; nil if more bytes are needed.
  private mutating func first() -> (key: Key?, length: Int)? {
    switch rest[0] {
    case Self.escape: return sequence()
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return (.enter, 1)
    case UInt8(ascii: "\t"): return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case ..<0x20: return (nil, 1)
    case ..<0x80: return (.character(Character(Unicode.Scalar(rest[0]))), 1)
    default: return character()
    }
  }

  private func character() -> (key: Key?, length: Int)? {
    let length =
      switch rest[0] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    guard rest.count >= length else { return nil }
    let text = String(decoding: rest[..<length], as: UTF8.self)
    return (text == "\u{FFFD}" ? nil : text.first.map(Key.character), length)
  }

  private mutating func sequence() -> (key: Key?, length: Int)? {
    guard rest.count > 1 else { return nil }
    switch rest[1] {
    case UInt8(ascii: "["):
      guard let end = rest[2...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
        return rest.count > Self.sequenceMax ? (nil, rest.count) : nil
      }
      if rest.starts(with: Self.pasteStart) {
        isPasting = true
        return (nil, Self.pasteStart.count)
      }
      let parameters = String(decoding: rest[2..<end], as: UTF8.self)
      return (Self.key(parameters, final: rest[end]), end + 1)
    case UInt8(ascii: "O"):
      return rest.count > 2 ? (Self.key("", final: rest[2]), 3) : nil
    case Self.escape:
      return (.escape, 1)
    default:
      // A key pressed together with Alt.
      return (nil, 2)
    }
  }

  /// Returns the key of a control sequence.
  private static func key(_ parameters: String, final: UInt8) -> Key? {
    if parameters.hasPrefix("<") { return mouse(parameters.dropFirst(), final: final) }
    let numbers = numbers(in: parameters)
    switch Character(Unicode.Scalar(final)) {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H": return .home
    case "F": return .end
    case "M": return .enter
    case "R" where numbers.count == 2: return .cursor(column: numbers[1], row: numbers[0])
    case "~":
      switch numbers.first {
      case 1, 7: return .home
      case 4, 8: return .end
      case 5: return .pageUp
      case 6: return .pageDown
      default: return nil
      }
    default: return nil
    }
  }

  /// Returns the numbers of a sequence; columns and rows are small, also if a terminal sends more.
  private static func numbers(in parameters: some StringProtocol) -> [Int] {
    parameters.split(separator: ";").compactMap { UInt16($0).map(Int.init) }
  }

  /// Returns the key of a mouse report, such as `0;12;5` for a click.
  private static func mouse(_ parameters: Substring, final: UInt8) -> Key? {
    let numbers = numbers(in: parameters)
    guard numbers.count == 3, final == UInt8(ascii: "M") else { return nil }
    return switch numbers[0] {
    case 0: .click(column: numbers[1], row: numbers[2])
    case 64: .wheelUp
    case 65: .wheelDown
    default: nil
    }
  }
}

extension [UInt8] {
  /// Returns where a sequence of bytes first occurs.
  fileprivate func firstRange(of bytes: [UInt8]) -> Range<Int>? {
    guard count >= bytes.count else { return nil }
    for start in 0...(count - bytes.count)
    where self[start..<start + bytes.count].elementsEqual(bytes) {
      return start..<start + bytes.count
    }
    return nil
  }
}
