// Reads the output of an attempt from the files that hold its kept parts.

import Platform
import RepriseJournal

/// The bytes of the output of an attempt, by their offsets.
struct OutputBytes {
  /// Consecutive bytes.
  struct Piece {
    let offset: Int64
    let bytes: [UInt8]
    /// Whether the piece ends within a line that may go on.
    let isCutOff: Bool
  }

  private let log: LogFile

  init(_ log: LogFile) {
    self.log = log
  }

  /// Returns the start of the line at an offset; at most the length of the longest line before it.
  func startOfLine(at offset: Int64) -> Int64 {
    let before = max(0, offset - Int64(LogWindow.lineBytesMax))
    guard let piece = read(before..<offset).pieces.last else { return offset }
    guard let lineFeed = piece.bytes.lastIndex(of: UInt8(ascii: "\n")) else { return piece.offset }
    return piece.offset + Int64(lineFeed) + 1
  }

  /// The number of bytes before a line whose number is counted.
  private static let countedBytesMax: Int64 = 16 << 20

  /// Returns the number of the line that starts at an offset, counted from 1; nil if it is far from
  /// the start, or if something before it was not kept.
  func lineNumber(at offset: Int64) -> Int? {
    guard offset <= Self.countedBytesMax else { return nil }
    var number = 1
    var position: Int64 = 0
    while position < offset {
      let end = min(offset, position + (1 << 20))
      let (pieces, leftOut) = read(position..<end)
      guard leftOut == 0 else { return nil }
      for piece in pieces { number += lineFeeds(in: piece.bytes) }
      position = end
    }
    return number
  }

  private func lineFeeds(in bytes: [UInt8]) -> Int {
    var count = 0
    unsafe bytes.withUnsafeBufferPointer { bytes in
      var at = 0
      while at < bytes.count {
        if unsafe bytes[at] == UInt8(ascii: "\n") { count += 1 }
        at += 1
      }
    }
    return count
  }

  /// Reads a range.
  ///
  /// - Parameter range: The offsets.
  /// - Returns: What is kept of it, and the number of bytes of the range that are not kept.
  func read(_ range: Range<Int64>) -> (pieces: [Piece], leftOut: Int64) {
    var pieces: [Piece] = []
    var read: Int64 = 0
    for file in log.files {
      let start = max(range.lowerBound, file.offset)
      guard start < range.upperBound else { continue }
      var bytes: [UInt8] = []
      guard let open = try? OpenFile(file.path, options: [.noFollow]) else { continue }
      while start + Int64(bytes.count) < range.upperBound {
        let room = range.upperBound - start - Int64(bytes.count)
        var buffer = [UInt8](repeating: 0, count: Int(min(room, 1 << 20)))
        let position = start - file.offset + Int64(bytes.count)
        guard let count = try? open.readOnce(at: position, into: &buffer), count > 0 else { break }
        bytes += buffer[..<count]
      }
      guard !bytes.isEmpty else { continue }
      read += Int64(bytes.count)
      pieces.append(Piece(offset: start, bytes: bytes, isCutOff: true))
    }
    return (pieces, max(0, range.upperBound - range.lowerBound - read))
  }

  /// Reads a range in pieces of whole lines of a few mebibytes, for a search.
  func pieces(_ range: Range<Int64>) -> some Sequence<Piece> {
    var position = range.lowerBound
    var pending: [Piece] = []
    return AnySequence {
      AnyIterator {
        while pending.isEmpty, position < range.upperBound {
          let end = min(range.upperBound, position + (4 << 20))
          pending = read(position..<end).pieces.reversed()
          guard let last = pending.first else {
            position = end
            continue
          }
          let reached = last.offset + Int64(last.bytes.count)
          // Cut behind the last complete line, unless the range ends here.
          let lineFeed = last.bytes.lastIndex(of: UInt8(ascii: "\n"))
          guard reached < range.upperBound, let lineFeed else {
            position = max(reached, end)
            continue
          }
          pending[0] = Piece(
            offset: last.offset, bytes: Array(last.bytes[...lineFeed]), isCutOff: false)
          position = last.offset + Int64(lineFeed) + 1
        }
        return pending.popLast()
      }
    }
  }
}
