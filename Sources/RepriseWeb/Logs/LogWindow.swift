// A window of the output of an attempt, and a search in it: a page never gets a whole log.

import Platform
import Reprise
import RepriseJournal

/// A part of the output of an attempt, in lines.
struct LogWindow: Encodable {
  struct Line: Encodable, Equatable {
    /// The offset of the line in the output, in bytes.
    let at: Int64
    let time: Timestamp?
    let text: String
    /// Whether the next line is the rest of the same one.
    let continues: Bool?
  }

  /// The default and the maximum size of a window, in bytes.
  static let bytesDefault: Int64 = 256 << 10
  static let bytesMax: Int64 = 4 << 20
  /// The maximum length of a line of a window, in bytes.
  static let lineBytesMax = 64 << 10

  /// The attempt; nil if the step has written nothing.
  let generation: Int?
  let attempt: Int?
  let size: Int64
  let from: Int64
  let to: Int64
  let leftOut: Int64
  /// The number of the first line, if it is wanted and known.
  let firstLine: Int?
  let lines: [Line]

  private enum CodingKeys: String, CodingKey {
    case generation, attempt, size, from, to, lines
    case leftOut = "left-out"
    case firstLine = "first-line"
  }

  /// Returns the size of the output so far, including what was not kept, in bytes.
  static func size(of log: LogFile) -> Int64 {
    let files = log.files.map { ($0.offset, Self.size(ofFile: $0.path)) }
    return files.map { $0.0 + $0.1 }.max() ?? 0
  }

  private static func size(ofFile path: String) -> Int64 {
    (try? Stat(at: path, followsLink: false))?.size ?? 0
  }

  /// The window of a step that has written nothing.
  init() {
    (generation, attempt) = (nil, nil)
    (size, from, to, leftOut) = (0, 0, 0, 0)
    firstLine = nil
    lines = []
  }

  /// Reads a window.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - from: The offset of its beginning, which moves back to the start of a line; if it is
  ///     negative, the distance to the end.
  ///   - limit: The number of bytes.
  ///   - isNumbered: Whether to count the lines before it.
  init(of log: LogFile, from: Int64, limit: Int64, isNumbered: Bool = false) {
    let size = Self.size(of: log)
    let wanted = min(max(0, from < 0 ? size + from : from), size)
    // A window holds at least one line.
    let length = min(max(Int64(Self.lineBytesMax) + 1, limit), Self.bytesMax)
    let bytes = OutputBytes(log)
    let start = wanted == 0 ? 0 : bytes.startOfLine(at: wanted)
    let (pieces, leftOut) = bytes.read(start..<min(size, wanted + length))
    let times = log.times(in: start..<min(size, wanted + length))
    var lines: [Line] = []
    var end = start
    var position = 0
    for piece in pieces {
      end = piece.offset
      var rest = piece.bytes[...]
      while !rest.isEmpty {
        let lineFeed = rest.prefix(Self.lineBytesMax).firstIndex(of: UInt8(ascii: "\n"))
        // The rest of a line that is still being written, or is in the next window.
        if lineFeed == nil, rest.count < Self.lineBytesMax, piece.isCutOff { break }
        let text = rest[..<(lineFeed ?? min(rest.endIndex, rest.startIndex + Self.lineBytesMax))]
        let isWhole = lineFeed != nil || text.endIndex == rest.endIndex
        while position + 1 < times.count, times[position + 1].offset <= end { position += 1 }
        lines.append(
          Line(
            at: end, time: times.isEmpty ? nil : times[position].time,
            text: String(decoding: text, as: UTF8.self), continues: isWhole ? nil : true))
        let used = text.count + (lineFeed == nil ? 0 : 1)
        end += Int64(used)
        rest = rest.dropFirst(used)
      }
    }
    generation = log.generation
    attempt = log.attempt
    self.size = size
    self.from = start
    to = end
    self.leftOut = leftOut
    firstLine = isNumbered && lines.first?.at == start ? bytes.lineNumber(at: start) : nil
    self.lines = lines
  }
}

/// Matches of a search in the output of an attempt.
struct LogMatches: Encodable {
  struct Match: Encodable {
    let at: Int64
    let text: String
  }

  /// The maximum number of matches of an answer, and of bytes that are searched for it.
  static let countMax = 200
  static let bytesMax: Int64 = 256 << 20

  let size: Int64
  let matches: [Match]
  /// Where to go on; missing at the end of the output.
  let next: Int64?

  /// The matches in a step that has written nothing.
  init() {
    (size, matches, next) = (0, [], nil)
  }

  /// Searches for a text, without regard to the case of ASCII letters.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - log: The log.
  ///   - from: Where to begin, at the start of a line.
  ///   - isBackward: Whether to search from there to the beginning; matches are in order all the same.
  init(of text: String, in log: LogFile, from: Int64, isBackward: Bool) {
    let size = LogWindow.size(of: log)
    let bytes = OutputBytes(log)
    let wanted = Array(text.utf8).map(lowercased)
    var matches: [Match] = []
    var next: Int64?
    let range =
      isBackward
      ? max(0, from - Self.bytesMax)..<max(0, min(from, size))
      : max(0, min(from, size))..<min(size, from + Self.bytesMax)
    for piece in bytes.pieces(range) {
      var position = 0
      while let hit = firstIndex(of: wanted, in: piece.bytes, from: position) {
        let start = piece.bytes[..<hit].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = piece.bytes[hit...].firstIndex(of: UInt8(ascii: "\n")) ?? piece.bytes.endIndex
        let line = piece.bytes[start..<end]
        matches.append(
          Match(
            at: piece.offset + Int64(start),
            text: String(decoding: line.prefix(1024), as: UTF8.self)))
        position = end + 1
        if !isBackward, matches.count == Self.countMax {
          next = piece.offset + Int64(position)
          break
        }
      }
      if next != nil { break }
    }
    if isBackward, matches.count > Self.countMax {
      matches.removeFirst(matches.count - Self.countMax)
    }
    if next == nil {
      let end = isBackward ? range.lowerBound : range.upperBound
      next = (isBackward ? end > 0 : end < size) ? end : nil
    }
    self.size = size
    self.matches = matches
    self.next = next.flatMap { $0 < size ? $0 : nil }
  }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// Returns where bytes contain others that are in lower case.
private func firstIndex(of wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
  guard let first = wanted.first else { return nil }
  let upper = first >= UInt8(ascii: "a") && first <= UInt8(ascii: "z") ? first & 0xDF : first
  let last = bytes.count - wanted.count
  // A loop without iterators, for the sake of debug builds.
  var at = start
  return unsafe bytes.withUnsafeBufferPointer { bytes in
    while at <= last {
      let byte = unsafe bytes[at]
      if byte == first || byte == upper {
        var length = 1
        while length < wanted.count, unsafe lowercased(bytes[at + length]) == wanted[length] {
          length += 1
        }
        if length == wanted.count { return at }
      }
      at += 1
    }
    return nil
  }
}
