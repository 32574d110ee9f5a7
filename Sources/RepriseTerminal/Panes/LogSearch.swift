// The search in a log, in slices, so that keys are answered while a large log is searched.

/// A search for the next place of some texts in a log.
struct LogSearch {
  /// The state of a search after a slice.
  enum Result: Equatable {
    /// The number of the line.
    case found(Int)
    case unfinished
    case notFound
  }

  /// The number of bytes of a slice.
  static let sliceSize: Int64 = 32 << 20

  /// Words that errors begin with, in many tools.
  static let errorWords = [
    "error", "fatal", "panic", "exception", "traceback", "failed", "failure", "assert", "undefined",
    "not found", "cannot ",
  ]

  private let texts: [[UInt8]]
  private let ignoresCase: Bool
  /// Whether a match must begin a word.
  private let isAtWord: Bool
  private let isForward: Bool
  /// Whether each byte begins one of the texts.
  private let firstBytes: [Bool]
  /// Where the next slice begins, or ends in a search upwards.
  private var position: Int64

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - texts: The texts to look for; small letters also find capitals if there are no capitals.
  ///   - isAtWord: Whether a match must begin a word.
  ///   - line: The line to begin with; a search upwards begins with the line above it.
  ///   - isForward: Whether to search towards the end.
  ///   - log: The log.
  init(_ texts: [String], isAtWord: Bool = false, from line: Int, isForward: Bool, in log: LogText)
  {
    ignoresCase = texts.allSatisfy { $0 == $0.lowercased() }
    self.texts = texts.map { Array($0.utf8) }.filter { !$0.isEmpty }
    var firstBytes = [Bool](repeating: false, count: 256)
    for first in self.texts.compactMap(\.first) {
      firstBytes[Int(first)] = true
      if ignoresCase { firstBytes[Int(first.capital)] = true }
    }
    self.firstBytes = firstBytes
    self.isAtWord = isAtWord
    self.isForward = isForward
    position = log.offset(ofLine: line)
  }

  /// Searches the next slice.
  mutating func proceed(in log: LogText) -> Result {
    if let lines = log.fixed { return found(in: lines) }
    let limit = isForward ? log.size : 0
    guard position != limit else { return .notFound }
    // Slices overlap by the longest text, so that no match is cut.
    let overlap = Int64((texts.map(\.count).max() ?? 1) - 1)
    let (start, end) =
      isForward
      ? (position, min(log.size, position + Self.sliceSize))
      : (max(0, position - Self.sliceSize), position)
    var found: Int64?
    var carried: [UInt8] = []
    var offset = start
    log.read(from: start) { piece in
      let bytes = carried + piece
      // The first carried byte only shows whether a match begins a word.
      var from = carried.isEmpty ? 0 : 1
      while let match = firstMatch(in: bytes, from: from), offset + Int64(match) < end {
        found = offset + Int64(match)
        // Upwards, the last match of the slice counts.
        guard !isForward else { return false }
        from = match + 1
      }
      let kept = min(Int(overlap) + 1, bytes.count)
      offset += Int64(bytes.count - kept)
      carried = Array(bytes.suffix(kept))
      return offset < end
    }
    position = isForward ? end : start
    if let found { return .found(log.line(at: found)) }
    return position == limit ? .notFound : .unfinished
  }

  private func found(in lines: [String]) -> Result {
    let all = isForward ? Array(lines.indices) : lines.indices.reversed()
    let hit = all.first { line in
      (isForward ? line >= position : line < position)
        && firstMatch(in: Array(lines[line].utf8), from: 0) != nil
    }
    return hit.map(Result.found) ?? .notFound
  }

  /// Returns where the first text begins in bytes.
  private func firstMatch(in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      // Most bytes begin no text.
      if firstBytes[Int(bytes[index])], isMatch(bytes, at: index) { return index }
      index += 1
    }
    return nil
  }

  private func isMatch(_ bytes: [UInt8], at index: Int) -> Bool {
    guard !isAtWord || index == 0 || !bytes[index - 1].isLetter else { return false }
    return texts.contains { text in
      index + text.count <= bytes.count
        && text.indices.allSatisfy {
          text[$0] == bytes[index + $0] || (ignoresCase && text[$0].capital == bytes[index + $0])
        }
    }
  }

  /// Returns the ranges of a visible line that match, as offsets of characters.
  func ranges(in line: String) -> [Range<Int>] {
    let folded = ignoresCase ? line.lowercased() : line
    guard folded.count == line.count else { return [] }
    var ranges: [Range<Int>] = []
    for text in texts {
      let text = String(decoding: text, as: UTF8.self)
      var from = folded.startIndex
      while let range = folded[from...].firstRange(of: text) {
        let start = folded.distance(from: folded.startIndex, to: range.lowerBound)
        ranges.append(start..<start + text.count)
        from = range.upperBound
      }
    }
    return ranges.sorted { $0.lowerBound < $1.lowerBound }
  }
}

extension UInt8 {
  /// The capital of a small ASCII letter; other bytes are unchanged.
  fileprivate var capital: UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self - 32 : self
  }

  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
  }
}
