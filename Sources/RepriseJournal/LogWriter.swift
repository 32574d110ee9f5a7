// Writes the output of steps to log files.

import Platform
import Reprise

/// Appends the output of attempts to their log files.
///
/// Keeps no file open, so 256 concurrent steps need no more descriptors than one step.
struct LogWriter: Sendable {
  let directory: StateDirectory

  /// Writes the text of an output event; ignores partial lines, which are sent again when complete.
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

  /// Appends a text and a line feed to a file, whose folder must exist.
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
        guard error == .fileExists else { throw .system("cannot create the folder", folder, error) }
      }
    }
  }
}
