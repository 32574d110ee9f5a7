// Finds secrets of which characters are written as escapes. Knows nothing of single notations.

/// Reads one line through the escapes of a notation, as often as a text may have been written so.
///
/// While no escape comes it does nothing: what it would know is what is known of the text itself. From an escape on
/// it decodes, until what is known of the decoded text is again what is known of the text itself.
struct EscapeReader: Sendable {
  /// What one pass of decoding knows.
  private struct Level: Sendable {
    var state: SecretAutomaton.State
    /// What may be an escape, and where each byte of it begins in the text.
    var pending: [UInt8] = []
    var pendingStarts: [Int] = []
    /// Where each byte that was decoded begins in the text.
    var starts: [Int] = []
    /// The number of literal bytes since the last escape.
    var literalCount = 0
  }

  private let notation: EscapeNotation
  /// None while it is idle.
  private var levels: [Level] = []
  /// The start of the first escape: everything before it is literal.
  private var origin = 0
  /// The position after the last byte read.
  private var position = 0

  init(_ notation: EscapeNotation) {
    self.notation = notation
  }

  /// Whether it decodes at present.
  var isIdle: Bool { levels.isEmpty }

  /// Reads a byte.
  ///
  /// - Parameters:
  ///   - byte: The byte.
  ///   - start: Its position in the stream.
  ///   - states: What was known of the text itself before it, and what is known with it.
  ///   - automaton: What finds the secrets.
  ///   - runs: Takes what has to be masked.
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

  /// Ends the line or the text, so that what may be an escape is none.
  mutating func endLine(_ automaton: SecretAutomaton, into runs: inout MaskedRuns) {
    for level in levels.indices { drain(level, isEnd: true, automaton, &runs) }
    levels = []
  }

  /// From where on what has been read may be the beginning of a secret; nil where none of it can be.
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

  /// Takes a decoded byte.
  private mutating func take(
    _ byte: UInt8, _ start: Int, isLiteral: Bool, _ level: Int, _ automaton: SecretAutomaton,
    _ runs: inout MaskedRuns
  ) {
    levels[level].starts.append(start)
    levels[level].state = automaton.next(levels[level].state, byte)
    levels[level].literalCount = isLiteral ? levels[level].literalCount + 1 : 0
    let length = automaton.matchedLength(levels[level].state)
    if length > 0 {
      // What still waits to be decoded does not belong to it.
      let end = levels[...level].lazy.compactMap(\.pendingStarts.first).min() ?? position
      runs.add(self.start(of: length, in: levels[level])..<end)
    }
    forget(level, automaton)
    if level + 1 < levels.count { feed(byte, start, to: level + 1, automaton, &runs) }
  }

  /// Where the last so many decoded bytes begin in the text.
  private func start(of length: Int, in level: Level) -> Int {
    let count = level.starts.count
    return length <= count ? level.starts[count - length] : origin - (length - count)
  }

  /// Forgets where bytes began that belong to no secret, so that a line takes no memory for its length.
  private mutating func forget(_ level: Int, _ automaton: SecretAutomaton) {
    let depth = automaton.depth(levels[level].state)
    let count = levels[level].starts.count
    guard depth <= count, count > 64, depth < count / 2 else { return }
    levels[level].starts.removeFirst(count - depth)
  }
}
