// What steps write, into files as it comes. Knows nothing of the database.

import Reprise

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Appends the output of attempts to their files.
///
/// No file is held open: a run of 256 steps at once needs no more descriptors for it than a run of one.
struct LogWriter: Sendable {
  let directory: StateDirectory

  /// Writes an event of output; lines that are not whole yet are left to come again.
  func write(_ event: Event) throws(JournalError) {
    guard case .step(let id, let attempt, .output(_, let text, isPartial: false)) = event.kind
    else { return }
    let path = directory.logPath(
      of: event.run, step: id, generation: event.generation, attempt: attempt)
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    var descriptor = open(path, flags, 0o600)
    if descriptor < 0 && errno == ENOENT {
      try makeFolders(above: path)
      descriptor = open(path, flags, 0o600)
    }
    guard descriptor >= 0 else { throw .system("cannot write the log", path, errno) }
    defer { close(descriptor) }
    guard writeLine(text, to: descriptor) else {
      throw .system("cannot write the log", path, errno)
    }
  }

  /// Writes a text and a line feed, in one call and without making a copy of the text; false when that
  /// fails.
  private func writeLine(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    var lineFeed = UInt8(ascii: "\n")
    return text.withUTF8 { text in
      withUnsafeMutableBytes(of: &lineFeed) { lineFeed in
        let parts = [
          iovec(iov_base: UnsafeMutableRawPointer(mutating: text.baseAddress), iov_len: text.count),
          iovec(iov_base: lineFeed.baseAddress, iov_len: lineFeed.count),
        ]
        var written = writev(descriptor, parts, 2)
        while written < 0 && errno == EINTR { written = writev(descriptor, parts, 2) }
        guard written >= 0 else { return false }
        // A disk that is full takes a part; the next call tells why.
        return [UnsafeRawBufferPointer(text), UnsafeRawBufferPointer(lineFeed)].allSatisfy { part in
          let rest = UnsafeRawBufferPointer(rebasing: part.dropFirst(written))
          written = max(0, written - part.count)
          return StateDirectory.writeAll(rest, to: descriptor)
        }
      }
    }
  }

  private func makeFolders(above path: String) throws(JournalError) {
    let step = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    let run = step[..<(step.lastIndex(of: "/") ?? step.startIndex)]
    for folder in [String(run), String(step)] where mkdir(folder, 0o700) != 0 && errno != EEXIST {
      throw .system("cannot make the folder", folder, errno)
    }
  }
}
