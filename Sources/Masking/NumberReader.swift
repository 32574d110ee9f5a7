// Finds pieces of secrets in separated numbers, as in hex dumps and in lists of any language.

/// Reads the numbers of a line in all possible interpretations: hexadecimal, octal or decimal
/// bytes, and words.
struct NumberReader: Sendable {
  /// The last bytes in one interpretation of the numbers.
  private struct Meaning: Sendable {
    var bytes: UInt64 = 0
    /// The number of consecutive bytes, and the start of each of the last three numbers.
    var count = 0
    var starts = (0, 0, 0)

    mutating func append(
      _ byte: UInt8, _ number: Range<Int>, _ pieces: SecretPieces, _ found: inout Range<Int>?
    ) {
      bytes = bytes << 8 | UInt64(byte)
      count += 1
      starts = (starts.1, starts.2, number.lowerBound)
      guard count >= 3, pieces.contains(UInt32(bytes & 0xFF_FFFF)) else { return }
      found = min(found?.lowerBound ?? starts.0, starts.0)..<number.upperBound
    }

    /// Returns the start of the last bytes that may begin a piece; nil if none may.
    func openStart(_ pieces: SecretPieces) -> Int? {
      if count >= 2, pieces.hasPrefix(bytes, bits: 16) { return starts.1 }
      return count >= 1 && pieces.hasPrefix(bytes, bits: 8) ? starts.2 : nil
    }
  }

  private var decimal = Meaning()
  private var octal = Meaning()
  private var hexadecimal = Meaning()
  /// Little-endian words, as `od` prints them on most machines.
  private var swapped = Meaning()

  /// The current word of letters and digits: its length, its start and its possible values.
  private var wordLength = 0
  private var wordStart = 0
  private var isDecimal = true
  private var isOctal = true
  private var isHexadecimal = true
  private var values = (decimal: UInt64(0), octal: UInt64(0), hexadecimal: UInt64(0))
  /// Whether the word began with `0x`, so that a single digit is a byte.
  private var hasPrefix = false
  /// The number of bytes since the last number, and the number of trailing blanks among them.
  private var gap = 0
  private var blankCount = 0
  /// Whether part of a secret was found on this line, and whether the margin of the dump was
  /// reached.
  private var hasFound = false
  private var isMargin = false

  mutating func read(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ pieces: SecretPieces,
    into runs: inout MaskedRuns
  ) {
    var offset = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      let position = start + offset
      offset += 1
      // The right margin of a dump, after two blanks, shows the same bytes as text.
      if hasFound {
        if blankCount >= 2, byte != UInt8(ascii: " ") { isMargin = true }
        guard !isMargin else { return runs.add(position..<(start + bytes.count)) }
      }
      if Self.isLetterOrDigit(byte) {
        // Fast path: most words are no numbers, and end before the text does.
        if wordLength == 0, !Self.beginsNumber(byte) {
          var end = offset
          while end < bytes.count, Self.isLetterOrDigit(bytes[end]) { end += 1 }
          if end < bytes.count {
            resetAll()
            (hasPrefix, gap, blankCount, offset) = (false, 0, 0, end)
            continue
          }
        }
        if wordLength == 0, byte | 0x20 == UInt8(ascii: "x") {
          while offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "x") { offset += 1 }
          (hasPrefix, gap, blankCount) = (true, gap + start + offset - position, 0)
          continue
        }
        if wordLength == 0 { wordStart = position }
        take(byte)
        blankCount = 0
        // Fast path: skip the rest of a word that is not a number, as most are not.
        guard !isHexadecimal else { continue }
        while offset < bytes.count, Self.isLetterOrDigit(bytes[offset]) { offset += 1 }
      } else {
        if wordLength > 0 { endWord(at: position, pieces, into: &runs) }
        gap = byte < 0x80 ? gap + 1 : Self.gapMax + 1
        if gap > Self.gapMax { resetAll() }
        blankCount = byte == UInt8(ascii: " ") ? blankCount + 1 : 0
      }
    }
  }

  /// Ends the line and the number at its end.
  mutating func endLine(at end: Int, _ pieces: SecretPieces, into runs: inout MaskedRuns) {
    endWord(at: end, pieces, into: &runs)
    self = NumberReader()
  }

  /// Returns the position from which the last numbers may be the start of a piece; nil if none may.
  func openStart(at end: Int, _ pieces: SecretPieces) -> Int? {
    let starts = [decimal, octal, hexadecimal, swapped].map { $0.openStart(pieces) }
    return (starts + [wordLength > 0 && isHexadecimal ? wordStart : nil]).compactMap { $0 }.min()
  }

  // MARK: Numbers

  private mutating func take(_ byte: UInt8) {
    // Ignore the prefix of `0x68`; that of `x68` has been passed over.
    if byte | 0x20 == UInt8(ascii: "x"), wordLength == 1 && isZero {
      resetWord()
      hasPrefix = true
      gap += 1
      return
    }
    wordLength += 1
    guard isHexadecimal, wordLength <= Self.digitsMax, let digit = EscapeNotation.digit(byte, 16)
    else {
      isHexadecimal = false
      return
    }
    isDecimal = isDecimal && digit < 10 && wordLength <= 3
    isOctal = isOctal && digit < 8
    let value = UInt64(digit)
    values = (
      isDecimal ? values.decimal * 10 + value : 0, isOctal ? values.octal << 3 | value : 0,
      values.hexadecimal << 4 | value
    )
  }

  private var isZero: Bool { isDecimal && values.decimal == 0 }

  private mutating func resetWord() {
    (wordLength, isDecimal, isOctal, isHexadecimal, hasPrefix) = (0, true, true, true, false)
    values = (0, 0, 0)
  }

  private mutating func endWord(at end: Int, _ pieces: SecretPieces, into runs: inout MaskedRuns) {
    guard wordLength > 0 else { return }
    defer {
      resetWord()
      gap = 0
    }
    guard isHexadecimal else { return resetAll() }
    let number = wordStart..<end
    var found: Range<Int>?
    if isDecimal, values.decimal < 256 {
      decimal.append(UInt8(values.decimal), number, pieces, &found)
    } else {
      decimal = Meaning()
    }
    if isOctal, wordLength == 3, values.octal < 256 {
      octal.append(UInt8(values.octal), number, pieces, &found)
    } else if isOctal, wordLength == 6, values.octal < 65_536 {
      octal.append(UInt8(values.octal & 0xFF), number, pieces, &found)
      octal.append(UInt8(values.octal >> 8), number, pieces, &found)
    } else {
      octal = Meaning()
    }
    endHexadecimal(at: number, pieces, &found)
    if let found {
      runs.add(found)
      hasFound = true
    }
  }

  private mutating func endHexadecimal(
    at number: Range<Int>, _ pieces: SecretPieces, _ found: inout Range<Int>?
  ) {
    guard wordLength.isMultiple(of: 2) || hasPrefix && wordLength == 1 else {
      (hexadecimal, swapped) = (Meaning(), Meaning())
      return
    }
    let count = (wordLength + 1) / 2
    for place in 0..<count {
      let byte = UInt8(truncatingIfNeeded: values.hexadecimal >> (8 * UInt64(count - 1 - place)))
      hexadecimal.append(byte, number, pieces, &found)
    }
    for place in 0..<count {
      let byte = UInt8(truncatingIfNeeded: values.hexadecimal >> (8 * UInt64(place)))
      swapped.append(byte, number, pieces, &found)
    }
  }

  private mutating func resetAll() {
    guard decimal.count | octal.count | hexadecimal.count | swapped.count != 0 else { return }
    (decimal, octal, hexadecimal, swapped) = (Meaning(), Meaning(), Meaning(), Meaning())
  }

  @inline(__always)
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  /// Returns whether a number, or `0x`, can begin with a letter or digit; `x68` is one, too.
  @inline(__always)
  private static func beginsNumber(_ byte: UInt8) -> Bool {
    let letter = byte | 0x20
    return letter < UInt8(ascii: "g") || letter == UInt8(ascii: "x")
  }

  /// The maximum number of digits of a word in a dump: eight bytes.
  private static let digitsMax = 16
  /// The maximum number of bytes between two numbers: separators, brackets and signs.
  private static let gapMax = 6
}
