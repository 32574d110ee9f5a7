// A named pipe to which a process writes lines beside its two streams. Knows nothing of what they
// mean, and reads none itself.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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
    switch makeTemporaryFolder(TemporaryFiles.prefix("report", directory)) {
    case .success(let path): folder = path
    case .failure(let number): throw .noReportChannel(folder: parent, errorNumber: number.value)
    }
    path = folder + "/lines"
    switch makeNamedPipe(path) {
    case .success(let opened): descriptor = opened
    case .failure(let number):
      removeNamedPipe(path, folder: folder)
      switch number.value {
      case EMFILE, ENFILE: throw .outOfDescriptors
      default: throw .noReportChannel(folder: parent, errorNumber: number.value)
      }
    }
  }

  /// Removes the pipe; the descriptor stays open.
  func remove() {
    removeNamedPipe(path, folder: folder)
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
