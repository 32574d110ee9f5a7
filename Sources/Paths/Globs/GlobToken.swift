// The tokens of patterns, in workflow files and in .gitignore files.

/// A token of a pattern.
package enum GlobToken: Sendable, Equatable {
  /// A literal byte.
  case byte(UInt8)
  /// Any character except a slash: `?`.
  case anyCharacter
  /// A character of a set, but never a slash: `[…]`.
  case oneOf(GlobCharacterSet)
  /// Any text without a slash: `*`.
  case anyText
  /// Any number of folders, each followed by a slash, including none: `**/`.
  case anyFolders
  /// Any text: `**` at the end of a .gitignore pattern.
  case anything

  /// The separator of names.
  package static let separator = GlobToken.byte(UInt8(ascii: "/"))

  /// Whether it ends a name.
  var isSeparator: Bool { self == Self.separator }
}

/// The characters between `[` and `]`.
package struct GlobCharacterSet: Sendable, Equatable {
  let isNegated: Bool
  let ranges: [ClosedRange<UInt32>]

  /// Creates a set of bytes.
  init(isNegated: Bool, bytes: Set<UInt8>) {
    var ranges: [ClosedRange<UInt32>] = []
    for byte in bytes.sorted() {
      let value = UInt32(byte)
      if let last = ranges.last, last.upperBound + 1 == value {
        ranges[ranges.count - 1] = last.lowerBound...value
      } else {
        ranges.append(value...value)
      }
    }
    self.init(isNegated: isNegated, ranges: ranges)
  }

  /// Creates a set of characters.
  init(isNegated: Bool, ranges: [ClosedRange<UInt32>]) {
    self.isNegated = isNegated
    self.ranges = ranges
  }

  /// Returns whether a character is in the set; nil is a byte that is not part of a character.
  func contains(_ value: UInt32?) -> Bool {
    guard let value else { return isNegated }
    return ranges.contains { $0.contains(value) } != isNegated
  }
}

/// The definition of a character in a pattern.
package enum GlobAlphabet: Sendable {
  /// A UTF-8 character, as in workflow files.
  case characters
  /// A byte, as in git.
  case bytes

  /// Returns the character that begins at a place.
  ///
  /// - Parameters:
  ///   - place: The index of its first byte.
  ///   - text: The text.
  /// - Returns: Its code point and length in bytes; nil and 1 for a byte that does not begin a
  ///   character.
  func character(at place: Int, in text: ArraySlice<UInt8>) -> (value: UInt32?, length: Int) {
    let first = text[place]
    if self == .bytes || first < 0x80 { return (UInt32(first), 1) }
    let length = (~first).leadingZeroBitCount
    guard 2...4 ~= length, place + length <= text.endIndex else { return (nil, 1) }
    var value = UInt32(first & (0x7F >> UInt8(length)))
    for byte in text[(place + 1)..<(place + length)] {
      guard byte & 0xC0 == 0x80 else { return (nil, 1) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    return (value, length)
  }
}
