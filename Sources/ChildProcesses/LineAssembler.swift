// Splits the bytes of a stream into lines, however they are chunked. Pure: no I/O.

import Platform

/// Assembles lines from chunks of bytes.
///
/// Memory is bounded: a line longer than `lineBytesMax` is split.
struct LineAssembler {
  /// The length, in bytes, above which a line is split.
  static let lineBytesMax = 64 * 1024

  /// The bytes of the unfinished line.
  private var pending: [UInt8] = []

  init() {}

  /// Whether there is an unfinished line.
  var hasPending: Bool { !pending.isEmpty }

  /// Appends bytes.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: All lines that are now complete, joined by line feeds; nil if there are none.
  ///   Linear in the number of bytes.
  mutating func append(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let lastLineFeed = bytes.lastIndex(of: lineFeed) else {
      pending += bytes
      return pending.count > Self.lineBytesMax ? cut() : nil
    }
    let lines = text(of: pending[...], bytes[..<lastLineFeed])
    pending.removeAll(keepingCapacity: true)
    pending += bytes[(lastLineFeed + 1)...]
    return lines
  }

  /// The unfinished line as a terminal would display it now.
  var partial: String { text(of: pending[...]) }

  /// Ends the last line.
  ///
  /// - Returns: The text after the last line feed; nil if it is empty.
  mutating func finish() -> String? {
    guard hasPending else { return nil }
    defer { pending = [] }
    return text(of: pending[...])
  }

  /// Returns the part of an overlong line up to the last complete character.
  private mutating func cut() -> String {
    var end = pending.count
    // A character of UTF-8 has at most three bytes after its first.
    for back in 1...4 where pending[pending.count - back] >= 0xC0 {
      end = pending.count - back
      break
    }
    let piece = text(of: pending[..<end])
    pending.removeFirst(end)
    return piece
  }

  /// Returns the text of two consecutive slices of bytes.
  private func text(of bytes: ArraySlice<UInt8>, _ more: ArraySlice<UInt8> = []) -> String {
    guard contains(bytes, carriageReturn) || contains(more, carriageReturn) else {
      return decodedText(of: bytes, more)
    }
    return (bytes + more).split(separator: lineFeed, omittingEmptySubsequences: false)
      .map { String(decoding: visible($0), as: UTF8.self) }.joined(separator: "\n")
  }

  /// Returns what a terminal displays of a complete line, given that a carriage return goes back to
  /// its start.
  private func visible(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.split(separator: carriageReturn).last ?? line.prefix(0)
  }
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
