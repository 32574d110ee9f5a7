// Makes lines of text from the bytes of one stream, however they are cut. A plain value: no I/O.

import Platform

/// Puts lines together.
///
/// Memory is bounded: a line of more than `lineBytesMax` comes in pieces.
struct LineAssembler {
  /// The length in bytes from which a line is cut.
  static let lineBytesMax = 64 * 1024

  /// The bytes of the line that has not ended.
  private var pending: [UInt8] = []

  init() {}

  /// Whether a line has begun and not ended.
  var hasPending: Bool { !pending.isEmpty }

  /// Takes in the next bytes.
  ///
  /// - Parameter bytes: What was read.
  /// - Returns: All lines that are now whole, joined by line feeds; nil when none is. Linear in the
  ///   number of bytes.
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

  /// The line that has not ended as a terminal would show it now.
  var partial: String { text(of: pending[...]) }

  /// Ends the last line.
  ///
  /// - Returns: What stands after the last line feed; nil when that is nothing.
  mutating func finish() -> String? {
    guard hasPending else { return nil }
    defer { pending = [] }
    return text(of: pending[...])
  }

  /// Gives out a line that has grown too long, up to the last whole character.
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

  /// The text of some bytes and of those that follow them.
  private func text(of bytes: ArraySlice<UInt8>, _ more: ArraySlice<UInt8> = []) -> String {
    guard contains(bytes, carriageReturn) || contains(more, carriageReturn) else {
      return decodedText(of: bytes, more)
    }
    return (bytes + more).split(separator: lineFeed, omittingEmptySubsequences: false)
      .map { String(decoding: visible($0), as: UTF8.self) }.joined(separator: "\n")
  }

  /// What a terminal shows of a line in the end: a carriage return goes back to its beginning.
  private func visible(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.split(separator: carriageReturn).last ?? line.prefix(0)
  }
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
