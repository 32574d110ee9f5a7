// What stands between two slashes of a pattern, and which names it matches. Knows no folders.

/// One component of a pattern.
package enum GlobComponent: Sendable, Equatable {
  /// A name that is written out.
  case name([UInt8])
  /// A name with wildcards.
  case wildcard([GlobToken])
  /// Any number of names, also none: `**`.
  case anyFolders

  /// Whether a single name fits.
  ///
  /// - Parameter name: The bytes of a name, which need not be well-formed UTF-8.
  /// - Returns: Whether it is matched; any name is by ``anyFolders``.
  package func matches(_ name: [UInt8]) -> Bool {
    switch self {
    case .name(let bytes): bytes == name
    case .wildcard(let tokens): Self.matches(tokens, name)
    case .anyFolders: true
    }
  }

  /// Matches with one place to go back to: that of the last star.
  ///
  /// What an earlier star took need not be tried again, since the last one can take what it left.
  /// Hence at most one try of the tokens for each character of the name.
  private static func matches(_ tokens: [GlobToken], _ name: [UInt8]) -> Bool {
    var token = 0
    var place = 0
    var lastStar: (next: Int, place: Int)?
    while true {
      if token < tokens.count, case .anyText = tokens[token] {
        token += 1
        lastStar = (token, place)
      } else if place == name.count {
        return token == tokens.count
      } else if token < tokens.count, let length = tokens[token].length(at: place, in: name) {
        token += 1
        place += length
      } else if let star = lastStar {
        token = star.next
        place = star.place + name.character(at: star.place).length
        lastStar = (token, place)
      } else {
        return false
      }
    }
  }
}

/// The smallest part of a pattern.
package enum GlobToken: Sendable, Equatable {
  /// A byte that stands for itself.
  case byte(UInt8)
  /// Any character: `?`.
  case anyCharacter
  /// Any text: `*`.
  case anyText
  /// A character out of some: `[…]`.
  case oneOf(GlobCharacterSet)
  /// Any number of names; no part of a name.
  case anyFolders
  /// The end of a name; no part of one.
  case separator

  /// Whether it is the end of a name.
  var isSeparator: Bool {
    if case .separator = self { true } else { false }
  }

  /// How many bytes it takes of a name, or nil where it does not fit.
  fileprivate func length(at place: Int, in name: [UInt8]) -> Int? {
    switch self {
    case .byte(let byte):
      return name[place] == byte ? 1 : nil
    case .anyCharacter:
      return name.character(at: place).length
    case .oneOf(let set):
      let (value, length) = name.character(at: place)
      return set.contains(value) ? length : nil
    case .anyText, .anyFolders, .separator:
      preconditionFailure("\(self) is no single character")
    }
  }
}

/// The characters between `[` and `]`.
package struct GlobCharacterSet: Sendable, Equatable {
  let isNegated: Bool
  let ranges: [ClosedRange<UInt32>]

  /// Whether a character is meant; nil is what belongs to no character.
  fileprivate func contains(_ value: UInt32?) -> Bool {
    guard let value else { return isNegated }
    return ranges.contains { $0.contains(value) } != isNegated
  }
}

extension [UInt8] {
  /// The character of UTF-8 that begins at a place.
  ///
  /// - Parameter place: The place of its first byte.
  /// - Returns: Its number and length; for a byte that begins no character, nil and one.
  fileprivate func character(at place: Int) -> (value: UInt32?, length: Int) {
    let first = self[place]
    if first < 0x80 { return (UInt32(first), 1) }
    let length = (~first).leadingZeroBitCount
    guard 2...4 ~= length, place + length <= count else { return (nil, 1) }
    var value = UInt32(first & (0x7F >> UInt8(length)))
    for byte in self[(place + 1)..<(place + length)] {
      guard byte & 0xC0 == 0x80 else { return (nil, 1) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    return (value, length)
  }
}
