// The lines of one file of a log, which may still grow, read in windows.

import Platform

/// The lines of a file of a log, of any size.
///
/// Holds one position for every 64 KiB of the file instead of the file itself, and opens the file
/// only for the time of a call. A piece without a file has the lines that it was created with.
struct LogPiece {
  /// The number of bytes of a line that are shown; the rest of the line is left out.
  static let lineMax = 16 << 10
  /// The number of bytes that are read at once.
  static let pieceSize = 64 << 10

  /// The beginning of a line.
  private struct Mark {
    var line: Int
    var offset: Int64
  }

  /// The path of the file; nil for fixed lines.
  let path: String?
  private let fixedLines: [String]
  private var marks = [Mark(line: 0, offset: 0)]
  /// The number of bytes whose lines have been counted.
  private(set) var size: Int64 = 0
  private var lineFeeds = 0
  private var endsWithLineFeed = true

  /// Creates the text of a file, which is read by ``update()``.
  init(path: String) {
    self.path = path
    fixedLines = []
  }

  /// Creates a text of a few lines.
  init(lines: [String]) {
    path = nil
    fixedLines = lines
  }

  /// The number of lines, including an unfinished last one.
  var lineCount: Int { path == nil ? fixedLines.count : lineFeeds + (endsWithLineFeed ? 0 : 1) }

  /// Counts the lines that were written since the last call.
  ///
  /// Linear in their bytes; starts again if the file has become shorter. A file that cannot be read
  /// counts as unchanged.
  ///
  /// - Returns: Whether there are new bytes.
  @discardableResult
  mutating func update() -> Bool {
    guard let path, let file = try? OpenFile(path, options: .noFollow),
      let status = try? file.status(), Int64(status.size) != size
    else { return false }
    let end = Int64(status.size)
    if end < size { self = LogPiece(path: path) }
    var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
    while size < end, let count = try? file.readOnce(at: size, into: &buffer), count > 0 {
      let piece = buffer[..<count]
      lineFeeds += piece.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
      if let last = piece.lastIndex(of: UInt8(ascii: "\n")) {
        let offset = size + Int64(last) + 1
        if let mark = marks.last, offset - mark.offset >= Self.pieceSize {
          marks.append(Mark(line: lineFeeds, offset: offset))
        }
      }
      endsWithLineFeed = piece.last == UInt8(ascii: "\n")
      size += Int64(count)
    }
    return true
  }

  /// Returns lines, each without its line feed and cut to ``lineMax`` bytes.
  ///
  /// Reads at most some 128 KiB beside the lines themselves. The lines of a file that has been
  /// deleted, as the middle of a long log is, are empty.
  func lines(_ range: Range<Int>) -> [String] {
    let range = range.clamped(to: 0..<lineCount)
    guard let path else { return Array(fixedLines[range]) }
    guard let file = try? OpenFile(path, options: .noFollow) else {
      return Array(repeating: "", count: range.count)
    }
    let start = marks[marks.partitioningIndex { $0.line > range.lowerBound } - 1]
    var lines: [String] = []
    var number = start.line
    var line: [UInt8] = []
    read(file, from: start.offset) { piece in
      var rest = piece
      while number < range.upperBound {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        if number >= range.lowerBound {
          line += rest[..<(end ?? rest.endIndex)].prefix(Self.lineMax - line.count)
        }
        guard let end else { return true }
        if number >= range.lowerBound { lines.append(String(decoding: line, as: UTF8.self)) }
        line = []
        number += 1
        rest = rest[(end + 1)...]
      }
      return false
    }
    if lines.count < range.count { lines.append(String(decoding: line, as: UTF8.self)) }
    return lines + Array(repeating: "", count: range.count - lines.count)
  }

  /// Returns the number of the line at an offset of the file.
  func line(at offset: Int64) -> Int {
    guard let path, let file = try? OpenFile(path, options: .noFollow) else { return Int(offset) }
    let start = marks[marks.partitioningIndex { $0.offset > offset } - 1]
    var line = start.line
    var position = start.offset
    read(file, from: start.offset) { piece in
      let length = Int(min(Int64(piece.count), offset - position))
      line += piece.prefix(length).reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
      position += Int64(length)
      return position < offset
    }
    return line
  }

  /// Returns the offset of the beginning of a line.
  func offset(ofLine line: Int) -> Int64 {
    guard let path else { return Int64(line) }
    guard line > 0, let file = try? OpenFile(path, options: .noFollow) else { return 0 }
    let start = marks[marks.partitioningIndex { $0.line > line } - 1]
    var (number, position) = (start.line, start.offset)
    read(file, from: start.offset) { piece in
      var rest = piece
      while number < line, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        number += 1
        rest = rest[(end + 1)...]
      }
      position += Int64(number < line ? piece.count : rest.startIndex - piece.startIndex)
      return number < line
    }
    return position
  }

  /// Reads bytes up to the counted size, in pieces, until a closure returns false.
  func read(from offset: Int64, _ body: (ArraySlice<UInt8>) -> Bool) {
    guard let path, let file = try? OpenFile(path, options: .noFollow) else { return }
    read(file, from: offset, body)
  }

  private func read(
    _ file: borrowing OpenFile, from offset: Int64, _ body: (ArraySlice<UInt8>) -> Bool
  ) {
    var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
    var position = offset
    while position < size, let count = try? file.readOnce(at: position, into: &buffer), count > 0 {
      let piece = buffer[..<min(count, Int(size - position))]
      position += Int64(piece.count)
      guard body(piece) else { return }
    }
  }

  /// All fixed lines; nil for a file.
  var fixed: [String]? { path == nil ? fixedLines : nil }
}

extension Array {
  /// Returns the first index whose element satisfies a condition that all later ones satisfy too.
  fileprivate func partitioningIndex(where isInSecond: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
