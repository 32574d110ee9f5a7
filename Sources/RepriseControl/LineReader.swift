// Cuts bytes into lines: those that arrive, and those that are read from a descriptor. Knows no messages.

import Platform

/// Cuts bytes into lines as they arrive.
///
/// Never keeps more than the longest line and what was appended last.
package struct LineSplitter {
  /// What comes next.
  package enum Line: Equatable {
    /// A line without its line feed.
    case text([UInt8])
    /// One that is longer than lines may be.
    case tooLong
  }

  private let bytesMax: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  private var isTooLong = false

  /// Has no bytes yet.
  ///
  /// - Parameter bytesMax: The longest line, without its line feed.
  package init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Adds what has arrived.
  package mutating func append(_ bytes: ArraySlice<UInt8>) {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    buffer += bytes
  }

  /// The next whole line.
  ///
  /// - Returns: The line, or that one is too long, once its end has come; nil when more bytes are needed.
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

  /// Takes what has come of a line that did not end, once nothing more comes.
  ///
  /// - Returns: Its bytes; nil where there are none, or it is too long.
  package mutating func takeRest() -> [UInt8]? {
    guard !hasTooLong, start < buffer.count else { return nil }
    defer { (start, searched) = (buffer.count, buffer.count) }
    return Array(buffer[start...])
  }

  /// Whether what has come of the next line is already longer than lines may be.
  package var hasTooLong: Bool { isTooLong || buffer.count - start > bytesMax }
}

/// Cuts what is read from a descriptor into lines.
package struct LineReader {
  private let descriptor: Int32
  private var lines: LineSplitter

  /// Reads from a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: Where from.
  ///   - bytesMax: The longest line, without its line feed.
  package init(_ descriptor: Int32, bytesMax: Int) {
    self.descriptor = descriptor
    lines = LineSplitter(bytesMax: bytesMax)
  }

  /// The next line, which is waited for; one that is too long is skipped.
  ///
  /// Blocks the thread.
  ///
  /// - Returns: The line; nil at the end, which drops a line without a line feed.
  package mutating func nextLine() -> LineSplitter.Line? {
    while true {
      if let line = lines.next() { return line }
      guard fill() else { return nil }
    }
  }

  /// Takes the last line where that did not end: after ``nextLine()`` has found the end.
  package mutating func takeRest() -> [UInt8]? { lines.takeRest() }

  /// The next line, for those to whom one that is too long is the end.
  mutating func next() -> [UInt8]? {
    while true {
      if let line = lines.next() {
        guard case .text(let text) = line else { return nil }
        return text
      }
      guard !lines.hasTooLong, fill() else { return nil }
    }
  }

  /// Waits for more bytes; false at the end.
  private mutating func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      do throws(Errno) {
        let count = try readOnce(descriptor, into: &chunk)
        lines.append(chunk[..<count])
        return count > 0
      } catch {
        // Another process that shares the descriptor may have it return at once.
        guard error == .resourceTemporarilyUnavailable else { return false }
        waitUntilReadable(descriptor)
      }
    }
  }
}
