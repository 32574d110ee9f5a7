// Reads the output of an attempt piece by piece, each with the time at which it was written.

import Platform
package import Reprise

/// A piece of output that was written at one time.
package struct LogPiece: Sendable, Equatable {
  /// The time of the piece; nil if it was not recorded, or is not needed.
  package let time: Timestamp?
  /// The number of bytes that were written before the piece and are not kept.
  package let leftOut: Int64
  fileprivate let offset: Int64
  fileprivate let end: Int64
}

/// A position in the output of an attempt.
///
/// Holds no file and at most a page of the index, so one for each attempt of a run is cheap.
package struct LogCursor: Sendable {
  /// The log that is read; replaced when it has got more parts.
  package var log: LogFile
  /// Whether to read times; without them, all output so far is one piece per file.
  private let hasTimes: Bool
  private var offset: Int64 = 0
  /// The offset of the file whose index is being read, the number of the next page's first entry,
  /// and the rest of the page.
  private var page: (file: Int64, next: Int, entries: ArraySlice<LogTimes.Entry>) = (0, 0, [])

  /// Creates a cursor at the beginning of a log.
  package init(_ log: LogFile, hasTimes: Bool) {
    self.log = log
    self.hasTimes = hasTimes
  }

  /// Returns the next piece, without reading it; nil if there is none yet.
  package mutating func next() -> LogPiece? {
    for (position, file) in log.files.enumerated() {
      guard let size = (try? Stat(at: file.path, followsLink: false))?.size, size > 0 else {
        continue
      }
      let end = file.offset + size
      guard end > offset else { continue }
      let start = max(offset, file.offset)
      let leftOut = position == 0 ? 0 : start - offset
      guard hasTimes else {
        return LogPiece(time: nil, leftOut: leftOut, offset: start, end: end)
      }
      let (time, nextOffset) = times(at: start, file)
      return LogPiece(
        time: time, leftOut: leftOut, offset: start, end: min(end, nextOffset ?? end))
    }
    return nil
  }

  /// Returns the time of the output at an offset, and the offset of the next entry, if any.
  private mutating func times(
    at offset: Int64, _ file: (offset: Int64, path: String)
  ) -> (Timestamp?, Int64?) {
    if page.file != file.offset { page = (file.offset, 0, []) }
    // Keep the entry of the offset and the one after it on the page.
    while true {
      if page.entries.count < 2 {
        let more = LogTimes.entries(
          LogTimes.path(of: file.path), from: page.next, count: Self.entriesPerPage)
        page.next += more.count
        page.entries += more
        page.entries = ArraySlice(Array(page.entries))
        if more.isEmpty { break }
      }
      guard page.entries.count > 1, page.entries[page.entries.startIndex + 1].offset <= offset
      else {
        if page.entries.count > 1 { break }
        continue
      }
      page.entries.removeFirst()
    }
    return (page.entries.first?.time, page.entries.dropFirst().first?.offset)
  }

  private static let entriesPerPage = 64
  /// The maximum length of a line to copy whole; steps never record longer lines.
  private static let lineBytesMax = 1 << 20

  /// Moves behind a piece without reading it.
  package mutating func skip(_ piece: LogPiece) {
    offset = piece.end
  }

  /// Reads a piece and moves behind its complete lines.
  ///
  /// - Parameters:
  ///   - piece: The piece that ``next()`` returned.
  ///   - body: Called with complete lines, in chunks; returns false to stop.
  /// - Returns: Whether the piece was read to its end: no if it ends in an incomplete line, which
  ///   is still being written, or if reading was stopped.
  package mutating func read(_ piece: LogPiece, _ body: (ArraySlice<UInt8>) -> Bool) -> Bool {
    guard let source = log.files.last(where: { $0.offset <= piece.offset }),
      let file = try? OpenFile(source.path, options: [.noFollow])
    else { return false }
    offset = piece.offset
    var position = piece.offset
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var pending: [UInt8] = []
    while position < piece.end,
      let read = try? file.readOnce(at: position - source.offset, into: &buffer), read > 0
    {
      let count = min(read, Int(piece.end - position))
      position += Int64(count)
      let lineFeed = buffer[..<count].lastIndex(of: UInt8(ascii: "\n"))
      let end = lineFeed.map { pending.count + $0 + 1 }
      pending += buffer[..<count]
      // Copy complete lines only. The writer writes no others, and none that long.
      guard let end = end ?? (pending.count > Self.lineBytesMax ? pending.count : nil) else {
        continue
      }
      guard body(pending[..<end]) else { return false }
      offset += Int64(end)
      pending.removeFirst(end)
    }
    return offset == piece.end
  }
}
