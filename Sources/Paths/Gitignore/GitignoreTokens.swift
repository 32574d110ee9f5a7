// Parses the wildcards of .gitignore patterns.

/// Parses a pattern with the rules of `wildmatch.c` in git.
struct GitignoreTokens {
  private let text: [UInt8]
  private let honoursSlashes: Bool
  private var index = 0

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - text: The pattern.
  ///   - honoursSlashes: Whether the pattern matches paths; otherwise `**` is equivalent to `*`.
  init(_ text: [UInt8], honoursSlashes: Bool) {
    self.text = text
    self.honoursSlashes = honoursSlashes
  }

  /// Returns the tokens of the pattern.
  ///
  /// - Returns: nil if the pattern is malformed.
  func tokens() -> [GlobToken]? {
    var reader = self
    return reader.read()
  }

  private mutating func read() -> [GlobToken]? {
    var tokens: [GlobToken] = []
    while let byte = peek() {
      index += 1
      switch byte {
      case UInt8(ascii: "\\"):
        guard let escaped = peek() else { return nil }
        index += 1
        tokens.append(.byte(escaped))
      case UInt8(ascii: "?"): tokens.append(.anyCharacter)
      case UInt8(ascii: "["):
        guard let set = readSet() else { return nil }
        tokens.append(set)
      case UInt8(ascii: "*"): tokens.append(readStars())
      default: tokens.append(.byte(byte))
      }
    }
    return tokens
  }

  private func peek(_ offset: Int = 0) -> UInt8? {
    index + offset < text.count ? text[index + offset] : nil
  }

  /// Parses a sequence of asterisks after the first one.
  private mutating func readStars() -> GlobToken {
    let start = index - 1
    while peek() == UInt8(ascii: "*") { index += 1 }
    guard index - start > 1, honoursSlashes,
      start == 0 || text[start - 1] == UInt8(ascii: "/")
    else { return .anyText }
    switch peek() {
    case nil: return .anything
    case UInt8(ascii: "/"):
      index += 1
      return .anyFolders
    case UInt8(ascii: "\\") where peek(1) == UInt8(ascii: "/"): return .anything
    default: return .anyText
    }
  }

  /// Parses a character set after its opening bracket.
  private mutating func readSet() -> GlobToken? {
    let negated = peek() == UInt8(ascii: "!") || peek() == UInt8(ascii: "^")
    if negated { index += 1 }
    var set: Set<UInt8> = []
    var previous: UInt8?
    repeat {
      guard let byte = peek() else { return nil }
      index += 1
      switch byte {
      case UInt8(ascii: "\\"):
        guard let escaped = peek() else { return nil }
        index += 1
        set.insert(escaped)
        previous = escaped
      case UInt8(ascii: "-") where previous != nil && peek() != nil && peek() != UInt8(ascii: "]"):
        guard let last = readRangeEnd() else { return nil }
        if let first = previous, first <= last { set.formUnion(first...last) }
        previous = nil
      case UInt8(ascii: "[") where peek() == UInt8(ascii: ":"):
        guard let end = text[(index + 1)...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
        guard end >= index + 2, text[end - 1] == UInt8(ascii: ":") else {
          set.insert(byte)
          previous = byte
          break
        }
        let name = String(decoding: text[(index + 1)..<(end - 1)], as: UTF8.self)
        guard let members = Self.members(ofClass: name) else { return nil }
        set.formUnion(members)
        index = end + 1
        previous = nil
      default:
        set.insert(byte)
        previous = byte
      }
    } while peek() != UInt8(ascii: "]")
    index += 1
    return .oneOf(GlobCharacterSet(isNegated: negated, bytes: set))
  }

  private mutating func readRangeEnd() -> UInt8? {
    if peek() == UInt8(ascii: "\\") { index += 1 }
    guard let last = peek() else { return nil }
    index += 1
    return last
  }

  private static func members(ofClass name: String) -> [UInt8]? {
    let all: ClosedRange<UInt8> = 0...127
    let (digits, upper, lower) = (UInt8(48)...57, UInt8(65)...90, UInt8(97)...122)
    let isAlphanumeric = { (byte: UInt8) in
      digits.contains(byte) || upper.contains(byte) || lower.contains(byte)
    }
    switch name {
    case "alnum": return all.filter(isAlphanumeric)
    case "alpha": return Array(upper) + Array(lower)
    case "blank": return [9, 32]
    case "cntrl": return Array(0...31) + [127]
    case "digit": return Array(digits)
    case "graph": return Array(33...126)
    case "lower": return Array(lower)
    case "print": return Array(32...126)
    case "punct": return (33...126).filter { !isAlphanumeric($0) }
    case "space": return [9, 10, 11, 12, 13, 32]
    case "upper": return Array(upper)
    case "xdigit": return Array(digits) + Array(65...70) + Array(97...102)
    default: return nil
    }
  }
}
