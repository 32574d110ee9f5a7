// Splits bytes into lines: incrementally, or from a descriptor.

import Platform

/// Splits bytes into lines as they arrive.
///
/// Keeps at most one line of the maximum length and the bytes appended last.
package struct LineSplitter {
  /// A line, or a marker for one that is too long.
  package enum Line: Equatable {
    /// A line without its line feed.
    case text([UInt8])
    /// A line that exceeds the maximum length.
    case tooLong
  }

  private let bytesMax: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  private var isTooLong = false

  /// Creates an empty splitter.
  ///
  /// - Parameter bytesMax: The maximum length of a line in bytes, without its line feed.
  package init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Appends received bytes.
  package mutating func append(_ bytes: ArraySlice<UInt8>) {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    buffer += bytes
  }

  /// Returns the next complete line.
  ///
  /// - Returns: The line, or `tooLong` once the end of a line that is too long has arrived; nil if
  ///   more bytes are needed.
  package mutating func next() -> Line? {
    if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      defer {
        start = end + 1
        searched = start
        isTooLong = false
      }
      return isTooLong || end - start > bytesMax ? .tooLong : .text(Array(buffer[start..<end]))
    }
    searched = buffer.count
    if hasTooLong {
      isTooLong = true
      buffer = []
      (start, searched) = (0, 0)
    }
    return nil
  }

  /// Takes the bytes of an incomplete last line, at the end of the input.
  ///
  /// - Returns: The bytes; nil if there are none, or the line is too long.
  package mutating func takeRest() -> [UInt8]? {
    guard !hasTooLong, start < buffer.count else { return nil }
    defer { (start, searched) = (buffer.count, buffer.count) }
    return Array(buffer[start...])
  }

  /// Whether the incomplete line already exceeds the maximum length.
  package var hasTooLong: Bool { isTooLong || buffer.count - start > bytesMax }
}

/// Reads lines from a descriptor.
package struct LineReader {
  private let descriptor: Int32
  private var lines: LineSplitter

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor to read from.
  ///   - bytesMax: The maximum length of a line in bytes, without its line feed.
  package init(_ descriptor: Int32, bytesMax: Int) {
    self.descriptor = descriptor
    lines = LineSplitter(bytesMax: bytesMax)
  }

  /// Waits for the next line, blocking the thread.
  ///
  /// - Returns: The line, or `tooLong` for one that was skipped; nil at the end of the input, even
  ///   if a last line without a line feed remains.
  package mutating func nextLine() -> LineSplitter.Line? {
    while true {
      if let line = lines.next() { return line }
      guard fill() else { return nil }
    }
  }

  /// Takes an incomplete last line, after ``nextLine()`` has returned nil.
  package mutating func takeRest() -> [UInt8]? { lines.takeRest() }

  /// Waits for the next line; returns nil at the end of the input or if the line is too long.
  mutating func next() -> [UInt8]? {
    while true {
      if let line = lines.next() {
        guard case .text(let text) = line else { return nil }
        return text
      }
      guard !lines.hasTooLong, fill() else { return nil }
    }
  }

  /// Waits for more bytes; returns false at the end of the input.
  private mutating func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      do throws(Errno) {
        let count = try readOnce(descriptor, into: &chunk)
        lines.append(chunk[..<count])
        return count > 0
      } catch {
        // Another process that shares the descriptor may have made it nonblocking.
        guard error == .resourceTemporarilyUnavailable else { return false }
        waitUntilReadable(descriptor)
      }
    }
  }
}
