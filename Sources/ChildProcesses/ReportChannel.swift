// A named pipe to which a process can write lines in addition to its two streams.

import Platform

/// A named pipe that is private to this user.
///
/// The pipe is in its own folder, which no other user can enter, for three reasons:
///
/// - Processes of other users cannot create a file of that name first.
/// - A process that has changed to a more privileged user can write to it. (In a world-writable
///   folder, Linux forbids that to a shell's `>`; see `protected_fifos` in proc(5).)
/// - A process that opens it too late fails, instead of creating a file that is never removed.
struct ReportChannel {
  /// The absolute path, for the environment of the process.
  let path: String
  /// The reading end, which is non-blocking and never reaches the end of file.
  ///
  /// It also holds the pipe open for writing, so that opening the pipe never blocks a writer, and
  /// closing it never ends the stream.
  let descriptor: Int32
  private let folder: String

  /// Creates a channel in the folder for temporary files.
  ///
  /// - Parameter command: The command, in whose environment `TMPDIR` is looked up.
  /// - Throws: ``SpawnError`` if it cannot be created; no file remains then.
  init(for command: Command) throws(SpawnError) {
    let directory = command.environment["TMPDIR"]
    let parent = temporaryFolder(directory)
    do throws(Errno) {
      folder = try makeTemporaryFolder(TemporaryFiles.prefix("report", directory))
    } catch {
      throw .noReportChannel(folder: parent, errorNumber: error.rawValue)
    }
    path = folder + "/lines"
    do throws(Errno) {
      descriptor = try makeNamedPipe(path)
      if command.reportsFromAllUsers {
        try changePermissions(of: folder, to: FilePermissions(rawValue: 0o755))
        try changePermissions(of: path, to: FilePermissions(rawValue: 0o666))
      }
    } catch {
      Self.remove(path, folder: folder)
      switch error {
      case .tooManyOpenFiles, .tooManyOpenFilesInSystem: throw .outOfDescriptors
      default: throw .noReportChannel(folder: parent, errorNumber: error.rawValue)
      }
    }
  }

  /// Removes the pipe; the descriptor stays open.
  func remove() {
    Self.remove(path, folder: folder)
  }

  private static func remove(_ path: String, folder: String) {
    try? removeFile(path)
    removeFolder(folder)
  }
}
