// The index of a log file with the times of its lines, in a file next to it.

import Platform
package import Reprise

/// The times of the output in a log file.
///
/// Each entry is 16 bytes: an offset in the output of the attempt and a time in microseconds since
/// 1970, both as 64-bit little-endian integers. The output from an offset to that of the next entry
/// was written at that time. Entries are written before their output, so that output that is there
/// has a time. A missing file (of a run that an older version recorded) has no entries.
enum LogTimes {
  /// An entry of the index.
  struct Entry: Equatable {
    let offset: Int64
    let time: Timestamp
  }

  static let entrySize = 16

  /// Returns the path of the index of a log file.
  static func path(of log: String) -> String { log.dropLast(".log".count) + ".times" }

  /// Returns whether output needs an entry of its own.
  ///
  /// Output that soon follows other output shares its entry, which bounds the size of the index to
  /// a quarter of the output, or to 1.6 KB per second.
  ///
  /// - Parameters:
  ///   - entry: The entry of the output.
  ///   - last: The last entry; nil if there is none.
  /// - Returns: Whether it needs one.
  static func needs(_ entry: Entry, after last: Entry?) -> Bool {
    guard let last else { return true }
    let elapsed = entry.time - last.time
    return elapsed >= .milliseconds(10)
      || elapsed >= .milliseconds(1) && entry.offset - last.offset >= 4 * Int64(entrySize)
  }

  /// Returns an entry as bytes.
  static func bytes(_ entry: Entry) -> [UInt8] {
    [entry.offset, entry.time.microseconds].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
  }

  /// Reads entries.
  ///
  /// - Parameters:
  ///   - path: The path of the index.
  ///   - position: The number of the first entry.
  ///   - count: The maximum number of entries.
  /// - Returns: The entries; empty at the end, or if there is no index.
  static func entries(_ path: String, from position: Int, count: Int) -> [Entry] {
    guard let file = try? OpenFile(path, options: [.noFollow]) else { return [] }
    var buffer = [UInt8](repeating: 0, count: count * entrySize)
    let read = (try? file.readOnce(at: Int64(position * entrySize), into: &buffer)) ?? 0
    return (0..<(read / entrySize)).map { index in
      func number(at offset: Int) -> Int64 {
        let bytes = buffer[(index * entrySize + offset)..<(index * entrySize + offset + 8)]
        return bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
      }
      return Entry(offset: number(at: 0), time: Timestamp(microseconds: number(at: 8)))
    }
  }
}

extension LogFile {
  /// Returns the times of a range of the output.
  ///
  /// Logarithmic in the size of the index, and linear in the number of entries of the range.
  ///
  /// - Parameter range: The offsets in the output of the attempt.
  /// - Returns: Offsets and times in order: output from an offset to the next one was written at its
  ///   time. The first offset may be before the range. Empty if no times were recorded.
  package func times(in range: Range<Int64>) -> [(offset: Int64, time: Timestamp)] {
    files.flatMap { file -> [(offset: Int64, time: Timestamp)] in
      guard file.offset < range.upperBound else { return [] }
      let path = LogTimes.path(of: file.path)
      let size = (try? Stat(at: path, followsLink: false))?.size ?? 0
      // The last entry that is not after the beginning of the range.
      var (low, high) = (0, Int(size) / LogTimes.entrySize)
      while low < high {
        let middle = (low + high) / 2
        guard let entry = LogTimes.entries(path, from: middle, count: 1).first else { return [] }
        if entry.offset <= range.lowerBound { low = middle + 1 } else { high = middle }
      }
      var times: [(offset: Int64, time: Timestamp)] = []
      var position = max(0, low - 1)
      while true {
        let page = LogTimes.entries(path, from: position, count: 1024)
        for entry in page where entry.offset < range.upperBound {
          times.append((entry.offset, entry.time))
        }
        guard let last = page.last, last.offset < range.upperBound else { return times }
        position += page.count
      }
    }
  }
}
