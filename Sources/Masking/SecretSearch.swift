// Finds secrets in a stream, in all supported encodings.

/// The immutable data for finding secrets, shared by all streams.
///
/// Finds the following within a line: each secret and each of its lines from four bytes on, with
/// any of their characters escaped (``EscapeNotation``), or with control sequences of terminals between
/// them (``SequenceReader``); pieces of four bytes in base64 and
/// hexadecimal digits (``DigitReader``); and pieces of three bytes in separated numbers
/// (``NumberReader``) and in the cells of `od -c` (``CellReader``).
final class SecretFinder: Sendable {
  let automaton: SecretAutomaton
  let threeBytes: SecretPieces
  let fourBytes: SecretPieces
  let base64: DigitSamples
  let hexadecimal: DigitSamples
  /// Whether an escape of any notation can begin with a byte, by byte value.
  let beginsEscape = (0...255).map { byte in
    EscapeNotation.allCases.contains { $0.begins(with: UInt8(byte)) }
      || SequenceReader.begins(with: UInt8(byte))
  }

  /// Whether a byte begins an escape or a form, by byte value.
  let wakes: [Bool]

  /// Creates a finder.
  ///
  /// - Parameters:
  ///   - forms: The byte sequences as they can occur in a line.
  ///   - pieces: The secrets whose pieces are found; empty to find only the forms.
  ///   - rowCountMax: See ``SecretAutomaton``.
  init(
    _ forms: Set<[UInt8]>, pieces: [[UInt8]], rowCountMax: Int = SecretAutomaton.rowCountMax
  ) {
    automaton = SecretAutomaton(forms: forms, rowCountMax: rowCountMax)
    wakes = beginsEscape.enumerated().map { [automaton] byte, begins in
      begins || automaton.next(SecretAutomaton.root, UInt8(byte)) != SecretAutomaton.root
    }
    let long = pieces.filter { $0.count >= SecretForms.bytesMin }
    threeBytes = SecretPieces(bytes: 3, of: long)
    fourBytes = SecretPieces(bytes: 4, of: long)
    base64 = DigitSamples(.base64, of: fourBytes)
    hexadecimal = DigitSamples(.hexadecimal, of: fourBytes)
  }

  /// The size of its memory, in bytes.
  var byteCount: Int {
    automaton.byteCount + threeBytes.byteCount + fourBytes.byteCount + base64.byteCount
      + hexadecimal.byteCount
  }
}

/// The state of the search in one stream.
struct SecretSearch: Sendable {
  private var state = SecretAutomaton.root
  /// The readers of all notations; empty until the first escape.
  private var escapes: [EscapeReader] = []
  private var sequences = SequenceReader()
  private var base64 = DigitReader()
  private var hexadecimal = DigitReader()
  private var numbers = NumberReader()
  private var cells = CellReader()
  /// The position after the last byte read.
  private var position = 0

  /// Reads the next bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - start: The position of the bytes in the stream.
  ///   - finder: Finds the secrets.
  ///   - runs: Receives the ranges to mask.
  mutating func read(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, with finder: SecretFinder,
    into runs: inout MaskedRuns
  ) {
    position = start
    var offset = 0
    while let end = bytes.firstIndex(of: lineFeed, from: offset) {
      readPart(UnsafeBufferPointer(rebasing: bytes[offset..<end]), finder, &runs)
      endLine(finder, into: &runs)
      position += 1
      offset = end + 1
    }
    readPart(UnsafeBufferPointer(rebasing: bytes[offset...]), finder, &runs)
  }

  /// Ends a line or the text; secrets do not continue on the next line.
  mutating func endLine(_ finder: SecretFinder, into runs: inout MaskedRuns) {
    state = SecretAutomaton.root
    for index in escapes.indices {
      escapes[index].endLine(finder.automaton, into: &runs)
    }
    sequences.endLine()
    guard !finder.fourBytes.isEmpty else { return }
    base64.endLine()
    hexadecimal.endLine()
    numbers.endLine(at: position, finder.threeBytes, into: &runs)
    cells.endLine()
  }

  /// Returns the position from which the text may be the start of a secret; nil if none of it may.
  func openStart(_ finder: SecretFinder) -> Int? {
    let open = finder.automaton.openLength(state)
    var starts: [Int?] = escapes.map { $0.openStart(finder.automaton) }
    starts.append(open > 0 ? position - open : nil)
    starts.append(sequences.openStart(finder.automaton))
    if !finder.fourBytes.isEmpty {
      starts.append(base64.openStart(at: position, finder.fourBytes, .base64))
      starts.append(hexadecimal.openStart(at: position, finder.fourBytes, .hexadecimal))
      starts.append(numbers.openStart(at: position, finder.threeBytes))
      starts.append(cells.openStart(at: position, finder.threeBytes))
    }
    return starts.lazy.compactMap { $0 }.min()
  }

  /// Reads part of a line.
  private mutating func readPart(
    _ part: UnsafeBufferPointer<UInt8>, _ finder: SecretFinder, _ runs: inout MaskedRuns
  ) {
    guard !part.isEmpty else { return }
    let automaton = finder.automaton
    var offset = 0
    while offset < part.count {
      if sequences.isIdle, escapes.allSatisfy(\.isIdle) {
        let start = position + offset
        offset += automaton.read(
          UnsafeBufferPointer(rebasing: part[offset...]), from: &state, upTo: finder.beginsEscape,
          wakes: finder.wakes
        ) { end, length in runs.add((start + end - length)..<(start + end)) }
        guard offset < part.count else { break }
      }
      let byte = part[offset]
      let before = state
      state = automaton.next(state, byte)
      offset += 1
      let end = position + offset
      let length = automaton.matchedLength(state)
      if length > 0 { runs.add((end - length)..<end) }
      if escapes.isEmpty { escapes = EscapeNotation.allCases.map { EscapeReader($0) } }
      for index in escapes.indices {
        escapes[index].read(byte, at: end - 1, states: (before, state), automaton, into: &runs)
      }
      sequences.read(byte, at: end - 1, states: (before, state), automaton, into: &runs)
    }
    if !finder.fourBytes.isEmpty {
      base64.read(part, at: position, finder.fourBytes, finder.base64, into: &runs)
      hexadecimal.read(part, at: position, finder.fourBytes, finder.hexadecimal, into: &runs)
      numbers.read(part, at: position, finder.threeBytes, into: &runs)
      cells.read(part, at: position, finder.threeBytes, into: &runs)
    }
    position += part.count
  }
}

private let lineFeed = UInt8(ascii: "\n")

extension UnsafeBufferPointer<UInt8> {
  /// Returns the position of the first of some equal bytes from a position on; nil if there is none.
  ///
  /// Looks at eight bytes at once (Warren, Hacker's Delight, 6-1).
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    var offset = start
    let raw = UnsafeRawBufferPointer(self)
    let (ones, pattern) = (UInt64(0x0101_0101_0101_0101), UInt64(byte) &* 0x0101_0101_0101_0101)
    while offset + 8 <= count {
      let word =
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ pattern
      let zeros = (word &- ones) & ~word & (ones << 7)
      if zeros != 0 { return offset + zeros.trailingZeroBitCount >> 3 }
      offset += 8
    }
    while offset < count {
      if self[offset] == byte { return offset }
      offset += 1
    }
    return nil
  }
}
