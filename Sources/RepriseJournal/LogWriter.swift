// What steps write, into files as it comes. Knows nothing of the database.

import Platform
import Reprise

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
    do throws(Errno) {
      return try append(text, to: path)
    } catch {
      guard error == .noSuchFileOrDirectory else {
        throw .system("cannot write the log", path, error)
      }
    }
    try makeFolders(above: path)
    do throws(Errno) {
      try append(text, to: path)
    } catch {
      throw .system("cannot write the log", path, error)
    }
  }

  /// Appends a text and a line feed to a file in a folder that must exist.
  private func append(_ text: String, to path: String) throws(Errno) {
    let file = try OpenFile(
      path, .writeOnly, options: [.append, .create, .noFollow], permissions: .ownerReadWrite)
    try writeText(text, followedBy: UInt8(ascii: "\n"), to: file.descriptor)
  }

  private func makeFolders(above path: String) throws(JournalError) {
    let step = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    let run = step[..<(step.lastIndex(of: "/") ?? step.startIndex)]
    for folder in [String(run), String(step)] {
      do throws(Errno) {
        try makeFolder(folder, permissions: .ownerReadWriteExecute)
      } catch {
        guard error == .fileExists else { throw .system("cannot make the folder", folder, error) }
      }
    }
  }
}
