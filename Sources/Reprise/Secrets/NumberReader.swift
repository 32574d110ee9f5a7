// Finds pieces of secrets in numbers with something between them: dumps, and lists in any language.

/// Reads the numbers of a line, each as what it may mean: bytes that are hexadecimal, octal or decimal, and words.
struct NumberReader: Sendable {
  /// The last bytes that numbers meant in one way of reading.
  private struct Meaning: Sendable {
    var bytes: UInt64 = 0
    /// How many of them follow one another, and where the numbers of the last ones begin.
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

    /// Where the last bytes begin that a piece may begin with.
    func openStart(_ pieces: SecretPieces) -> Int? {
      if count >= 2, pieces.hasPrefix(bytes, bits: 16) { return starts.1 }
      return count >= 1 && pieces.hasPrefix(bytes, bits: 8) ? starts.2 : nil
    }
  }

  private var decimal = Meaning()
  private var octal = Meaning()
  private var hexadecimal = Meaning()
  /// Words whose last byte is written first, as `od` writes those of most machines.
  private var swapped = Meaning()

  /// The letters and digits that have been read of a number.
  private var word: [UInt8] = []
  private var wordStart = 0
  private var isTooLong = false
  /// How many other bytes have followed the last number, and whether the last two were blank.
  private var gap = 0
  private var blankCount = 0
  /// Whether a part of a secret was found on this line, and whether the margin of the dump has begun.
  private var hasFound = false
  private var isMargin = false

  mutating func read(
    _ part: ArraySlice<UInt8>, at start: Int, _ pieces: SecretPieces, into runs: inout MaskedRuns
  ) {
    for (offset, byte) in part.enumerated() {
      let position = start + offset
      // What stands at the right of a dump, after two blanks, are the same bytes as text.
      if hasFound, blankCount >= 2, byte != UInt8(ascii: " ") { isMargin = true }
      guard !isMargin else { return runs.add(position..<(start + part.count)) }
      if Self.isLetterOrDigit[Int(byte)] {
        if word.isEmpty { wordStart = position }
        if word.count < Self.digitsMax { word.append(byte) } else { isTooLong = true }
        // Of `0x68` only what follows counts.
        if byte | 0x20 == UInt8(ascii: "x"),
          word.count == 1 || word.count == 2 && word[0] == Self.zero
        {
          word = []
          gap += 1
        }
        blankCount = 0
      } else {
        endWord(at: position, pieces, into: &runs)
        gap = byte < 0x80 ? gap + 1 : Self.gapMax + 1
        if gap > Self.gapMax { forgetAll() }
        blankCount = byte == UInt8(ascii: " ") ? blankCount + 1 : 0
      }
    }
  }

  /// Ends the line, and the number at its end.
  mutating func endLine(
    at end: Int, _ pieces: SecretPieces, into runs: inout MaskedRuns
  ) {
    endWord(at: end, pieces, into: &runs)
    self = NumberReader()
  }

  /// From where on what was read last may be the beginning of a piece.
  func openStart(at end: Int, _ pieces: SecretPieces) -> Int? {
    let starts = [decimal, octal, hexadecimal, swapped].map { $0.openStart(pieces) }
    let isNumber = !isTooLong && !word.isEmpty && Self.value(word, 16) != nil
    return (starts + [isNumber ? wordStart : nil]).compactMap { $0 }.min()
  }

  // MARK: Numbers

  private mutating func endWord(
    at end: Int, _ pieces: SecretPieces, into runs: inout MaskedRuns
  ) {
    guard !word.isEmpty else { return }
    defer {
      word.removeAll(keepingCapacity: true)
      (gap, isTooLong) = (0, false)
    }
    let number = wordStart..<end
    let digits = isTooLong ? [] : word
    var found: Range<Int>?
    let values = (
      decimal: Self.value(digits, 10), octal: Self.value(digits, 8),
      hexadecimal: Self.value(digits, 16)
    )
    if let value = values.decimal, digits.count <= 3, value < 256 {
      decimal.append(UInt8(value), number, pieces, &found)
    } else {
      decimal = Meaning()
    }
    switch (digits.count, values.octal) {
    case (3, .some(..<256)):
      octal.append(UInt8(values.octal ?? 0), number, pieces, &found)
    case (6, .some(..<65_536)):
      let value = values.octal ?? 0
      octal.append(UInt8(value & 0xFF), number, pieces, &found)
      octal.append(UInt8(value >> 8), number, pieces, &found)
    default: octal = Meaning()
    }
    if let value = values.hexadecimal, digits.count.isMultiple(of: 2) {
      let bytes = (0..<(digits.count / 2)).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      for byte in bytes.reversed() { hexadecimal.append(byte, number, pieces, &found) }
      for byte in bytes { swapped.append(byte, number, pieces, &found) }
    } else {
      hexadecimal = Meaning()
      swapped = Meaning()
    }
    if let found {
      runs.add(found)
      hasFound = true
    }
  }

  private mutating func forgetAll() {
    (decimal, octal, hexadecimal, swapped) = (Meaning(), Meaning(), Meaning(), Meaning())
  }

  private static func value(_ digits: [UInt8], _ radix: Int) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = EscapeNotation.digit(byte, radix) else { return nil }
      value = value * UInt64(radix) + UInt64(digit)
    }
    return value
  }

  /// The digits of the longest word that a dump has: eight bytes.
  private static let digitsMax = 16
  /// The most bytes between two numbers: what separates them, and brackets or signs.
  private static let gapMax = 6
  private static let zero = UInt8(ascii: "0")
  private static let isLetterOrDigit = (0...255).map { byte in
    Character(Unicode.Scalar(UInt8(byte))).isASCII
      && (Character(Unicode.Scalar(UInt8(byte))).isLetter
        || Character(Unicode.Scalar(UInt8(byte))).isNumber)
  }
}
