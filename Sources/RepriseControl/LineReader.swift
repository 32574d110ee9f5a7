// Cuts what is read from a descriptor into lines. Knows no messages.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Cuts what is read from a descriptor into lines.
package struct LineReader {
  /// What comes next.
  package enum Line: Equatable {
    /// A line without its line feed.
    case text([UInt8])
    /// One that is longer than lines may be; it has been skipped.
    case tooLong
  }

  private let descriptor: Int32
  private let bytesMax: Int
  private var buffer: [UInt8] = []
  private var searched = 0

  /// Reads from a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: Where from.
  ///   - bytesMax: The longest line, without its line feed.
  package init(_ descriptor: Int32, bytesMax: Int) {
    self.descriptor = descriptor
    self.bytesMax = bytesMax
  }

  /// The next line, which is waited for.
  ///
  /// Blocks the thread. Never keeps more than the longest line and a chunk.
  ///
  /// - Returns: The line; nil at the end, which drops a line without a line feed.
  package mutating func nextLine() -> Line? {
    nextLine(skipsTooLong: true)
  }

  /// The next line, for those to whom one that is too long is the end.
  mutating func next() -> [UInt8]? {
    guard case .text(let text)? = nextLine(skipsTooLong: false) else { return nil }
    return text
  }

  private mutating func nextLine(skipsTooLong: Bool) -> Line? {
    var isTooLong = false
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          buffer.removeFirst(end + 1)
          searched = 0
        }
        return isTooLong || end > bytesMax ? .tooLong : .text(Array(buffer[..<end]))
      }
      if buffer.count > bytesMax {
        guard skipsTooLong else { return .tooLong }
        isTooLong = true
        buffer = []
      }
      searched = buffer.count
      guard fill() else { return nil }
    }
  }

  /// Waits for more bytes; false at the end.
  private mutating func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        buffer += chunk[..<count]
        return true
      }
      if count < 0, errno == EAGAIN {
        // Whoever shares the descriptor may have it return at once.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
      } else if count == 0 || errno != EINTR {
        return false
      }
    }
  }
}
