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
    var line = text
    line.append("\n")
    let isWritten = line.withUTF8 {
      StateDirectory.writeAll(UnsafeRawBufferPointer($0), to: descriptor)
    }
    guard isWritten else { throw .system("cannot write the log", path, errno) }
  }

  private func makeFolders(above path: String) throws(JournalError) {
    let step = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    let run = step[..<(step.lastIndex(of: "/") ?? step.startIndex)]
    for folder in [String(run), String(step)] where mkdir(folder, 0o700) != 0 && errno != EEXIST {
      throw .system("cannot make the folder", folder, errno)
    }
  }
}
