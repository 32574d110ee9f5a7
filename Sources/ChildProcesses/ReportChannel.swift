// A named pipe to which a process writes lines beside its two streams. Knows nothing of what they
// mean, and reads none itself.

import Platform

/// A named pipe of this user's own, until it is removed.
///
/// It stands in a folder of its own that nobody else can enter. So its name can be taken by nobody,
/// a process that has become another user with more rights may write to it (Linux forbids that to a
/// shell's `>` in a folder that all can write to, see `protected_fifos` in proc(5)), and who comes
/// too late finds no folder, rather than making a file that stays.
struct ReportChannel {
  /// Its absolute path, for the environment of the process.
  let path: String
  /// For reading, at once and without an end: it holds the pipe open for writing, too, so that no
  /// writer has to wait for a reader and none is the last.
  let descriptor: Int32
  private let folder: String

  /// Makes a channel in the folder for temporary files.
  ///
  /// - Parameter environment: Where `TMPDIR` is looked up.
  /// - Throws: ``SpawnError`` when it cannot be made. Nothing is left then.
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
  /// The environment of the process, which is told where its channel is.
  func environment(reportingTo channel: ReportChannel?) -> Environment {
    var environment = environment
    if let reportVariable, let channel { environment[reportVariable] = channel.path }
    return environment
  }
}
