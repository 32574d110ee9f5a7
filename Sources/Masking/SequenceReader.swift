// Finds secrets that are interrupted by the control sequences of terminals, such as colours.

/// Reads a line as a terminal shows it: without escape sequences (ECMA-48).
///
/// What shows output leaves these sequences out, after secrets have been masked, so a secret with a
/// colour in its middle would be put together there. Like ``EscapeReader``, it is idle until the first
/// sequence, and once its state equals that of the plain text again.
struct SequenceReader: Sendable {
  /// What the next byte is part of.
  private enum Mode: Sendable {
    case text
    /// The character after an escape.
    case introducer
    /// The rest of a character after an escape.
    case character
    /// A control sequence, up to its final byte.
    case control
    /// A string, such as a link or a title, up to its terminator.
    case string
    /// The character after an escape in a string, which ends it.
    case stringEnd
  }

  /// The maximum length of a sequence; a longer one counts as text.
  static let sequenceBytesMax = 64 << 10

  private var mode = Mode.text
  private var state = SecretAutomaton.root
  private(set) var isIdle = true
  /// The start of the first sequence: everything before it is plain.
  private var origin = 0
  /// The position of each byte that is shown.
  private var starts: [Int] = []
  /// The number of bytes that are shown since the last sequence.
  private var shownCount = 0
  /// The length of the sequence that is read.
  private var sequenceCount = 0

  /// Returns whether a sequence begins with a byte.
  static func begins(with byte: UInt8) -> Bool { byte == escape }

  /// Reads a byte; for the parameters see ``EscapeReader``.
  mutating func read(
    _ byte: UInt8, at start: Int,
    states: (before: SecretAutomaton.State, after: SecretAutomaton.State),
    _ automaton: SecretAutomaton, into runs: inout MaskedRuns
  ) {
    if isIdle {
      guard byte == escape else { return }
      (isIdle, origin, state, mode) = (false, start, states.before, .introducer)
      return
    }
    guard isShown(byte) else {
      sequenceCount += 1
      if sequenceCount > Self.sequenceBytesMax { self = SequenceReader() }
      return
    }
    sequenceCount = 0
    starts.append(start)
    shownCount += 1
    state = automaton.next(state, byte)
    let length = automaton.matchedLength(state)
    if length > 0 { runs.add(self.start(of: length)..<(start + 1)) }
    forget(automaton)
    if state == states.after, automaton.depth(state) <= shownCount { self = SequenceReader() }
  }

  /// Ends the line or the text: a sequence hides at most the rest of its line.
  mutating func endLine() { self = SequenceReader() }

  /// Returns the position from which the text may be the start of a secret; nil if none of it may.
  func openStart(_ automaton: SecretAutomaton) -> Int? {
    let open = isIdle ? 0 : automaton.openLength(state)
    return open > 0 ? start(of: open) : nil
  }

  /// Moves on by a byte.
  ///
  /// - Returns: Whether the byte is shown, and not part of a sequence.
  private mutating func isShown(_ byte: UInt8) -> Bool {
    switch mode {
    case .text, .character:
      if mode == .character, 0x80..<0xC0 ~= byte { return false }
      mode = byte == escape ? .introducer : .text
      if mode == .introducer { shownCount = 0 }
      return mode == .text
    case .introducer:
      switch byte {
      case escape: break
      case UInt8(ascii: "["): mode = .control
      case _ where Self.stringIntroducers.contains(byte): mode = .string
      default: mode = byte < 0xC0 ? .text : .character
      }
    case .control: if 0x40..<0x7F ~= byte { mode = .text }
    case .string:
      if byte == bell { mode = .text }
      if byte == escape { mode = .stringEnd }
    case .stringEnd: mode = byte < 0xC0 ? .text : .character
    }
    return false
  }

  private static let stringIntroducers = Set("]PX^_".utf8)

  /// Returns the position in the text of the last `length` bytes that are shown.
  private func start(of length: Int) -> Int {
    let count = starts.count
    return length <= count ? starts[count - length] : origin - (length - count)
  }

  /// Discards positions that are not part of a possible secret, so that memory use is bounded.
  private mutating func forget(_ automaton: SecretAutomaton) {
    let depth = automaton.depth(state)
    let count = starts.count
    guard depth <= count, count > 64, depth < count / 2 else { return }
    starts.removeFirst(count - depth)
  }
}

private let escape: UInt8 = 0x1B
private let bell: UInt8 = 0x07
