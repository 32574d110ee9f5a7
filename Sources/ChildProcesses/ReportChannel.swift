// A named pipe to which a process can write lines in addition to its two streams.

import Platform

/// A named pipe that is private to this user.
///
/// It is in a folder of its own that no other user can enter. So no other process can take its
/// name. A process that has changed to a more privileged user can write to it (Linux forbids that
/// to a shell's `>` in a world-writable folder, see `protected_fifos` in proc(5)). And a process
/// that opens it too late finds no folder, instead of creating a file that is never removed.
struct ReportChannel {
  /// The absolute path, for the environment of the process.
  let path: String
  /// The reading end, non-blocking and without an end of file.
  ///
  /// It also holds the pipe open for writing, so that no writer has to wait for a reader, and no
  /// writer is the last one.
  let descriptor: Int32
  private let folder: String

  /// Creates a channel in the folder for temporary files.
  ///
  /// - Parameter environment: The environment in which `TMPDIR` is looked up.
  /// - Throws: ``SpawnError`` if it cannot be created; nothing is left then.
  init(environment: Environment) throws(SpawnError) {
    let directory = environment["TMPDIR"]
    let parent = temporaryFolder(directory)
    do throws(Errno) {
      folder = try makeTemporaryFolder(TemporaryFiles.prefix("report", directory))
    } catch {
      throw .noReportChannel(folder: parent, errorNumber: error.rawValue)
    }
    path = folder + "/lines"
    do throws(Errno) {
      descriptor = try makeNamedPipe(path)
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

extension Command {
  /// Returns the environment of the process, with the path of its channel.
  func environment(reportingTo channel: ReportChannel?) -> Environment {
    var environment = environment
    if let reportVariable, let channel { environment[reportVariable] = channel.path }
    return environment
  }
}
