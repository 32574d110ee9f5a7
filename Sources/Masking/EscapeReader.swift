// Finds secrets that contain escaped characters.

/// Decodes a line through several levels of one escape notation.
///
/// It is idle until the first escape, because its state would equal that of the plain text. After
/// an escape it decodes until its state equals that of the plain text again.
struct EscapeReader: Sendable {
  /// The state of one level of decoding.
  private struct Level: Sendable {
    var state: SecretAutomaton.State
    /// The bytes of a possible escape, and the position of each in the text.
    var pending: [UInt8] = []
    var pendingStarts: [Int] = []
    /// The position in the text of each decoded byte.
    var starts: [Int] = []
    /// The number of literal bytes since the last escape.
    var literalCount = 0
  }

  private let notation: EscapeNotation
  /// The levels; empty while idle.
  private var levels: [Level] = []
  /// The start of the first escape: everything before it is literal.
  private var origin = 0
  /// The position after the last byte read.
  private var position = 0

  init(_ notation: EscapeNotation) {
    self.notation = notation
  }

  /// Whether no escape is being decoded.
  var isIdle: Bool { levels.isEmpty }

  /// Reads a byte.
  ///
  /// - Parameters:
  ///   - byte: The byte to read.
  ///   - start: Its position in the stream.
  ///   - states: The state of the plain text before and after the byte.
  ///   - automaton: The automaton that finds the secrets.
  ///   - runs: Receives the ranges to mask.
  mutating func read(
    _ byte: UInt8, at start: Int,
    states: (before: SecretAutomaton.State, after: SecretAutomaton.State),
    _ automaton: SecretAutomaton, into runs: inout MaskedRuns
  ) {
    if isIdle {
      guard notation.begins(with: byte) else { return }
      origin = start
      levels = Array(repeating: Level(state: states.before), count: notation.levelCount)
    }
    position = start + 1
    feed(byte, start, to: 0, automaton, &runs)
    let depth = automaton.depth(states.after)
    let isSame = levels.allSatisfy {
      $0.pending.isEmpty && $0.state == states.after && depth <= $0.literalCount
    }
    if isSame { levels = [] }
  }

  /// Ends the line or the text, so that incomplete escapes are treated as literal.
  mutating func endLine(_ automaton: SecretAutomaton, into runs: inout MaskedRuns) {
    for level in levels.indices { drain(level, isEnd: true, automaton, &runs) }
    levels = []
  }

  /// Returns the position from which the text may be the start of a secret; nil if none of it may.
  func openStart(_ automaton: SecretAutomaton) -> Int? {
    levels.compactMap { level in
      let open = automaton.openLength(level.state)
      return open > 0 ? start(of: open, in: level) : level.pendingStarts.first
    }.min()
  }

  // MARK: Decoding

  private mutating func feed(
    _ byte: UInt8, _ start: Int, to level: Int, _ automaton: SecretAutomaton,
    _ runs: inout MaskedRuns
  ) {
    guard !levels[level].pending.isEmpty || notation.begins(with: byte) else {
      return take(byte, start, isLiteral: true, level, automaton, &runs)
    }
    levels[level].pending.append(byte)
    levels[level].pendingStarts.append(start)
    drain(level, isEnd: false, automaton, &runs)
  }

  private mutating func drain(
    _ level: Int, isEnd: Bool, _ automaton: SecretAutomaton, _ runs: inout MaskedRuns
  ) {
    while let first = levels[level].pending.first {
      var decoded = EscapeNotation.Decoded.bytes([first], count: 1)
      if notation.begins(with: first) {
        decoded = notation.decode(levels[level].pending, isEnd: isEnd)
      }
      guard case .bytes(let bytes, let count) = decoded else { return }
      let start = levels[level].pendingStarts[0]
      levels[level].pending.removeFirst(count)
      levels[level].pendingStarts.removeFirst(count)
      for byte in bytes {
        take(byte, start, isLiteral: count == 1 && byte == first, level, automaton, &runs)
      }
    }
  }

  /// Processes a decoded byte.
  private mutating func take(
    _ byte: UInt8, _ start: Int, isLiteral: Bool, _ level: Int, _ automaton: SecretAutomaton,
    _ runs: inout MaskedRuns
  ) {
    levels[level].starts.append(start)
    levels[level].state = automaton.next(levels[level].state, byte)
    levels[level].literalCount = isLiteral ? levels[level].literalCount + 1 : 0
    let length = automaton.matchedLength(levels[level].state)
    if length > 0 {
      // The match ends before the first byte that is still to be decoded.
      let end = levels[...level].lazy.compactMap(\.pendingStarts.first).min() ?? position
      runs.add(self.start(of: length, in: levels[level])..<end)
    }
    forget(level, automaton)
    if level + 1 < levels.count { feed(byte, start, to: level + 1, automaton, &runs) }
  }

  /// Returns the position in the text of the last `length` decoded bytes.
  private func start(of length: Int, in level: Level) -> Int {
    let count = level.starts.count
    return length <= count ? level.starts[count - length] : origin - (length - count)
  }

  /// Discards positions that are not part of a possible secret, so that memory use is bounded.
  private mutating func forget(_ level: Int, _ automaton: SecretAutomaton) {
    let depth = automaton.depth(levels[level].state)
    let count = levels[level].starts.count
    guard depth <= count, count > 64, depth < count / 2 else { return }
    levels[level].starts.removeFirst(count - depth)
  }
}
