// Finds pieces of secrets in the output of `od -c`, which has four columns for each byte.

/// Reads four bytes as a cell: a character, an escape or an octal number, right-aligned.
struct CellReader: Sendable {
  /// The bytes of the last cells, for each of the four possible alignments.
  private var bytes = SIMD4<UInt64>()
  /// The number of consecutive cells, for each alignment, and where the last of them has ended.
  private var counts = SIMD4<Int>()
  private var ends = SIMD4<Int>()
  /// The last four bytes, and the number of bytes on this line.
  private var cell: UInt32 = 0
  private var read = 0

  mutating func read(
    _ part: UnsafeBufferPointer<UInt8>, at start: Int, _ pieces: SecretPieces,
    into runs: inout MaskedRuns
  ) {
    let readBefore = read
    // Cells that have begun before this part.
    for offset in 0..<min(3, part.count) { take(part[offset], at: start + offset, pieces, &runs) }
    // A cell begins with a blank, so all other bytes are passed over.
    var offset = 0
    while offset + 3 < part.count {
      guard let next = part.firstIndex(of: UInt8(ascii: " "), from: offset), next + 3 < part.count
      else { break }
      offset = next
      cell =
        UInt32(part[offset]) << 24 | UInt32(part[offset + 1]) << 16
        | UInt32(part[offset + 2]) << 8 | UInt32(part[offset + 3])
      read = readBefore + offset + 4
      endCell(at: start + offset + 4, pieces, &runs)
      offset += 1
    }
    guard part.count > 3 else { return }
    for offset in (part.count - 4)..<part.count { cell = cell << 8 | UInt32(part[offset]) }
    read = readBefore + part.count
  }

  private mutating func take(
    _ byte: UInt8, at position: Int, _ pieces: SecretPieces, _ runs: inout MaskedRuns
  ) {
    cell = cell << 8 | UInt32(byte)
    read += 1
    if read >= 4 { endCell(at: position + 1, pieces, &runs) }
  }

  /// Takes the last four bytes as a cell, if they are one.
  private mutating func endCell(
    at end: Int, _ pieces: SecretPieces, _ runs: inout MaskedRuns
  ) {
    guard cell >> 24 == blank, let value = Self.value(cell) else { return }
    let phase = read & 3
    counts[phase] = ends[phase] == read - 4 ? counts[phase] + 1 : 1
    ends[phase] = read
    bytes[phase] = bytes[phase] << 8 | UInt64(value)
    if counts[phase] >= 3, pieces.contains(UInt32(bytes[phase] & 0xFF_FFFF)) {
      runs.add((end - 12)..<end)
    }
  }

  mutating func endLine() {
    (counts, ends, cell, read) = (SIMD4(), SIMD4(), 0, 0)
  }

  /// Returns the position from which the last cells may be the start of a piece; nil if none may.
  func openStart(at end: Int, _ pieces: SecretPieces) -> Int? {
    let cells = (0..<4).compactMap { back -> Int? in
      let phase = (read - back) & 3
      guard read > back else { return nil }
      let known = ends[phase] == read - back ? min(counts[phase], 2) : 0
      let open = (0...known).last { $0 == 0 || pieces.hasPrefix(bytes[phase], bits: 8 * $0) } ?? 0
      return open == 0 ? nil : end - back - 4 * open
    }
    // An incomplete cell starts with a blank.
    let begun = (1...3).last { $0 <= read && cell >> UInt32(8 * ($0 - 1)) & 0xFF == blank }
    return (cells + [begun.map { end - $0 }]).compactMap { $0 }.min()
  }

  private static func value(_ cell: UInt32) -> UInt8? {
    let (second, third, last) = (
      UInt8(truncatingIfNeeded: cell >> 16), UInt8(truncatingIfNeeded: cell >> 8),
      UInt8(truncatingIfNeeded: cell)
    )
    guard second == UInt8(blank) else {
      guard second &- UInt8(ascii: "0") < 4 else { return nil }
      let digits = (
        second &- UInt8(ascii: "0"), third &- UInt8(ascii: "0"), last &- UInt8(ascii: "0")
      )
      guard digits.1 < 8, digits.2 < 8 else { return nil }
      return digits.0 << 6 | digits.1 << 3 | digits.2
    }
    if third == UInt8(blank) { return 0x20..<0x7F ~= last ? last : nil }
    guard third == UInt8(ascii: "\\") else { return nil }
    return last == UInt8(ascii: "0") ? 0 : EscapeNotation.controls[last]
  }
}

private let blank = UInt32(UInt8(ascii: " "))
