// Splits the bytes of a stream into lines, however they are chunked. Pure: no I/O.

import Platform

/// Assembles lines from chunks of bytes.
///
/// Memory is bounded: a line longer than `lineBytesMax` is split into pieces of that length, or of
/// up to three bytes less, so that no character is split. Only its last piece is shorter.
struct LineAssembler {
  /// The length, in bytes, above which a line is split.
  static let lineBytesMax = 64 * 1024

  /// The bytes of the unfinished line, at most `lineBytesMax`.
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
    guard mayBeTooLong(bytes) else {
      guard let lastLineFeed = bytes.lastIndex(of: lineFeed) else {
        pending += bytes
        return nil
      }
      let lines = text(of: pending[...], bytes[..<lastLineFeed])
      pending.removeAll(keepingCapacity: true)
      pending += bytes[(lastLineFeed + 1)...]
      return lines
    }
    var lines = (pending + bytes).split(separator: lineFeed, omittingEmptySubsequences: false)
    var pieces = lines.removeLast()
    pending = []
    var complete = lines.flatMap { line -> [ArraySlice<UInt8>] in
      var rest = line
      let first = cutPieces(from: &rest)
      return first + [rest]
    }
    complete += cutPieces(from: &pieces)
    pending = Array(pieces)
    return complete.isEmpty ? nil : text(of: Array(complete.joined(separator: [lineFeed]))[...])
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

  /// Returns whether a line may have to be split; false for nearly all output.
  private func mayBeTooLong(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard pending.count + bytes.count > Self.lineBytesMax else { return false }
    let first = bytes.firstIndex(of: lineFeed) ?? bytes.endIndex
    return pending.count + (first - bytes.startIndex) > Self.lineBytesMax
      || bytes.endIndex - first > Self.lineBytesMax
  }

  /// Cuts pieces of the maximum length from the start of a line, as long as it is longer.
  private func cutPieces(from line: inout ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    while line.count > Self.lineBytesMax {
      let limit = line.startIndex + Self.lineBytesMax
      // A character of UTF-8 has at most three bytes after its first.
      let end = (limit - 3...limit).last { line[$0] & 0xC0 != 0x80 } ?? limit
      pieces.append(line[..<end])
      line = line[end...]
    }
    return pieces
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
