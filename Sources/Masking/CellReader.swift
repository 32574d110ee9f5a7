// Finds pieces of secrets in the output of `od -c`, which has four columns for each byte.

/// Reads four bytes as a cell: a character, an escape or an octal number, right-aligned.
struct CellReader: Sendable {
  /// The bytes of the last cells, for each of the four possible alignments.
  private var bytes = [UInt64](repeating: 0, count: 4)
  /// The number of consecutive cells, for each alignment.
  private var counts = [0, 0, 0, 0]
  /// The last four bytes, and the number of bytes on this line.
  private var cell: UInt32 = 0
  private var read = 0

  mutating func read(
    _ part: ArraySlice<UInt8>, at start: Int, _ pieces: SecretPieces, into runs: inout MaskedRuns
  ) {
    // Local copies for speed: every byte of output passes through here.
    var (cell, read) = (cell, read)
    part.withUnsafeBufferPointer { part in
      for offset in 0..<part.count {
        cell = cell << 8 | UInt32(part[offset])
        read += 1
        let phase = read & 3
        guard cell >> 24 == blank, read >= 4, let value = Self.value(cell) else {
          if counts[phase] > 0 { counts[phase] = 0 }
          continue
        }
        bytes[phase] = bytes[phase] << 8 | UInt64(value)
        counts[phase] += 1
        guard counts[phase] >= 3, pieces.contains(UInt32(bytes[phase] & 0xFF_FFFF)) else {
          continue
        }
        let end = start + offset + 1
        runs.add((end - 12)..<end)
      }
    }
    (self.cell, self.read) = (cell, read)
  }

  mutating func endLine() {
    for phase in counts.indices { counts[phase] = 0 }
    (cell, read) = (0, 0)
  }

  /// Returns the position from which the last cells may be the start of a piece; nil if none may.
  func openStart(at end: Int, _ pieces: SecretPieces) -> Int? {
    let cells = (0..<4).compactMap { back -> Int? in
      let phase = (read - back) & 3
      guard read > back else { return nil }
      let known = min(counts[phase], 2)
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
      let digits = [second, third, last].compactMap { EscapeNotation.digit($0, 8) }
      let value = digits.reduce(0) { $0 * 8 + $1 }
      return digits.count == 3 && value < 256 ? UInt8(value) : nil
    }
    if third == UInt8(blank) { return 0x20..<0x7F ~= last ? last : nil }
    guard third == UInt8(ascii: "\\") else { return nil }
    return last == UInt8(ascii: "0") ? 0 : EscapeNotation.controls[last]
  }
}

private let blank = UInt32(UInt8(ascii: " "))
