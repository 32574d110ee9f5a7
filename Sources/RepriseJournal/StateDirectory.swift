// The state directory of a project: its location, its layout and its permissions.

import Paths
import Platform
package import Reprise

/// The folder in which a project records its runs.
///
///     .reprise/journal.db                             the database of all runs
///     .reprise/runs/RUN/STEP/GENERATION.ATTEMPT.log   the output of an attempt
///     .reprise/files/RUN/                             the folder of a run for its steps
///     .reprise/live/RUN.lock                          locked by the process that drives the run
///     .reprise/live/RUN.sock                          the control socket of a live run
///     .reprise/live/watch-NAME.lock                   locked by the watch of a workflow
///     .reprise/live/watch-NAME.sock                   the control socket of the watch
///
/// A STEP or NAME that is too long for the name of a file is cut, and ends with `~` and a hash.
package struct StateDirectory: Sendable, Equatable {
  /// The default name of the folder.
  package static let name = ".reprise"
  /// The environment variable with the path of the folder.
  package static let variable = "REPRISE_STATE_DIR"

  /// The absolute path of the folder.
  package let path: String

  /// Creates a value for a folder, which need not exist.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - here: The folder that a relative path is resolved against.
  package init(path: String, in here: String = "/") {
    self.path = path.hasPrefix("/") ? path : here + "/" + path
  }

  /// Finds the state directory of the current project.
  ///
  /// In order of precedence: the given path; the environment variable; in the folders of the
  /// project, the nearest `.reprise` owned by this user; `.reprise` next to the nearest folder
  /// `workflows`; `.reprise` in the current folder.
  ///
  /// - Parameters:
  ///   - explicit: The path given by the user, if any.
  ///   - environment: The environment variables.
  ///   - here: The current folder.
  ///   - start: The folder that a given relative path refers to, if it is not the current one.
  package init(
    explicit: String?, environment: [String: String], in here: String,
    startedIn start: String? = nil
  ) {
    if let given = explicit ?? environment[Self.variable], !given.isEmpty {
      self.init(path: given, in: start ?? here)
      return
    }
    let project = ProjectFolders(from: here, home: environment["HOME"])
    let existing = project.paths.map { $0 + "/" + Self.name }.first(where: Self.isOwnFolder)
    let folder = project.nearest(withFolder: ProjectFolders.workflows) ?? here
    self.init(path: existing ?? folder + "/" + Self.name)
  }

  /// Creates the folder if it does not exist, accessible only to this user.
  ///
  /// - Throws: ``JournalError`` if it cannot be created, or belongs to another user.
  package func create() throws(JournalError) {
    if try isNew(path, orElse: "cannot create the state directory") {
      // The folder keeps itself out of version control.
      try save("*\n", to: path + "/.gitignore")
      // A runner whose folder of attempts is not there waits for it, since its file system may be missing.
      _ = try isNew(attemptsPath, orElse: "cannot create the folder")
    }
    guard Self.isOwnFolder(path) else {
      throw JournalError(
        "the state directory \"\(path)\" is not a folder that you own; \(JournalError.elsewhere)")
    }
    try expectPrivate(path, mayBeSticky: true)
    for file in [databasePath, logPath, databasePath + "-shm", openingLockPath] {
      guard let status = try? Stat(at: file, followsLink: false) else { continue }
      guard Self.isOwn(status) else {
        throw JournalError(
          "\"\(file)\" is owned by another user; \(JournalError.elsewhere)")
      }
      // SQLite would follow a link at the path of its index, and report one at the path of its log
      // without naming it.
      guard status.type != .symbolicLink || [databasePath, openingLockPath].contains(file)
      else { throw JournalError("\"\(file)\" is a symbolic link; move it away") }
    }
    for folder in [runsPath, livePath]
    where try !isNew(folder, orElse: "cannot create the folder") {
      try expectPrivate(folder)
    }
  }

  /// Creates a folder accessible only to this user; returns false if it exists.
  private func isNew(_ folder: String, orElse problem: String) throws(JournalError) -> Bool {
    do throws(Errno) {
      try makeFolder(folder, permissions: .ownerReadWriteExecute)
      return true
    } catch {
      switch error {
      case .fileExists: return false
      case .noSuchFileOrDirectory:
        throw JournalError(
          "\(problem) \"\(folder)\", because the folder that is to contain it does not exist: create that "
            + "first")
      default: throw .system(problem, folder, error)
      }
    }
  }

  /// Checks that other users cannot write to a folder, where they could fake locks and sockets.
  ///
  /// With `mayBeSticky`, allows a sticky folder, such as the root of a tmpfs, in which others
  /// cannot replace files.
  private func expectPrivate(
    _ folder: String, mayBeSticky: Bool = false
  ) throws(JournalError) {
    let status: Stat
    do throws(Errno) {
      // Only the state directory itself may be a link, by which the user moved it elsewhere.
      status = try Stat(at: folder, followsLink: folder == path)
    } catch {
      throw .system("cannot use the folder", folder, error)
    }
    guard Self.isOwnFolder(status) else {
      throw JournalError(
        "\"\(folder)\" is not a folder that you own; \(JournalError.elsewhere)")
    }
    let isSticky = mayBeSticky && status.permissions.contains(.saveText)
    guard isSticky || status.permissions.isDisjoint(with: [.groupWrite, .otherWrite]) else {
      throw JournalError(
        "other users can write to the folder \"\(folder)\", and so control your runs; fix it with: "
          + "chmod go-w '\(folder)'")
    }
  }

  /// Whether the folder exists.
  package var exists: Bool { Self.isOwnFolder(path) }

  var databasePath: String { path + "/journal.db" }
  /// The write-ahead log of the database.
  var logPath: String { databasePath + "-wal" }
  var openingLockPath: String { path + "/journal.lock" }
  /// The folder with the output of all runs.
  package var runsPath: String { path + "/runs" }
  /// The folder with the locks and sockets of live runs; changes when a run starts or ends.
  package var livePath: String { path + "/live" }

  /// The folder with the records of attempts that run apart from their engine.
  package var attemptsPath: String { path + "/attempts" }

  /// Returns the folder with the output of a run.
  package func logFolder(of run: RunID) -> String { runsPath + "/\(run)" }

  /// Returns the folder of the job that the engine of a run was submitted as.
  ///
  /// In the folder with its output, where names of steps have no dot.
  package func engineFolder(of run: RunID) -> String { logFolder(of: run) + "/engine.job" }

  /// Returns the log of an engine that was submitted as a job.
  package func engineLog(of run: RunID) -> String { logFolder(of: run) + "/engine.log" }

  /// The folder with the folders of runs for the files of their steps.
  package var filesPath: String { path + "/files" }

  /// The path of the folder with the locks of pools.
  package var poolsPath: String { path + "/pools" }

  /// The folder of the results of steps, from which their files are restored.
  package var storePath: String { path + "/store" }

  /// Returns the folder of a run for the files of its steps.
  package func filesFolder(of run: RunID) -> String { filesPath + "/\(run)" }

  /// Returns the lock file of a run.
  func lockPath(of run: RunID) -> String { livePath + "/\(run).lock" }

  /// Returns the lock file that the hosts of a run hold.
  func hostsLockPath(of run: RunID) -> String {
    RunnerSurroundings.hostsLock(of: run, in: livePath)
  }

  /// Returns the control socket of a run.
  package func socketPath(of run: RunID) -> String { livePath + "/\(run).sock" }

  /// Returns the lock file of the watch of a workflow.
  func watchLockPath(of workflow: String) -> String {
    livePath + "/watch-\(Self.fileName(workflow, bytesMax: Self.watchNameBytesMax)).lock"
  }

  /// Returns the control socket of the watch of a workflow.
  package func watchSocketPath(of workflow: String) -> String {
    livePath + "/watch-\(Self.fileName(workflow, bytesMax: Self.watchNameBytesMax)).sock"
  }

  /// Returns the log file of an attempt of a step.
  ///
  /// Step ids in workflow files are valid file names, but ids declared in Swift may be any text.
  func logPath(of run: RunID, step: String, generation: Int, attempt: Int) -> String {
    logFolder(of: run) + "/" + Self.fileName(step) + "/\(generation).\(attempt).log"
  }

  /// The maximum length of the name of a file on common file systems.
  private static let fileNameBytesMax = 255
  /// The maximum length of the name of a workflow in that of a socket, whose path may have 107 bytes
  /// and begins with `/proc/self/fd/` and a number.
  private static let watchNameBytesMax = 64

  /// Returns a name escaped so that it cannot lead to another folder.
  ///
  /// The end of a name that is too long is replaced by a hash. Shorter ones never contain its `~`.
  ///
  /// - Parameters:
  ///   - id: The name; any text.
  ///   - bytesMax: The maximum length of the result.
  /// - Returns: The name of a file.
  static func fileName(_ id: String, bytesMax: Int = fileNameBytesMax) -> String {
    let name = id.utf8.map { byte in
      let letter = Character(UnicodeScalar(byte))
      let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber || "_-".contains(letter))
      return isPlain ? String(letter) : "%" + String(byte, radix: 16)
    }.joined()
    guard name.utf8.count > bytesMax else { return name }
    var hash = SHA256()
    hash.update(id.utf8)
    let end = "~" + hash.hexadecimal.prefix(32)
    return name.prefix(bytesMax - end.utf8.count) + end
  }

  private func save(_ text: String, to path: String) throws(JournalError) {
    do throws(Errno) {
      let file = try OpenFile(
        path, .writeOnly, options: [.create, .noFollow], permissions: .ownerReadWrite)
      try writeBytes(Array(text.utf8), to: file.descriptor)
    } catch {
      throw .system("cannot write", path, error)
    }
  }

  static func isLink(_ path: String) -> Bool {
    (try? Stat(at: path, followsLink: false))?.type == .symbolicLink
  }

  private static func isOwnFolder(_ path: String) -> Bool {
    (try? Stat(at: path)).map(isOwnFolder) ?? false
  }

  private static func isOwnFolder(_ status: Stat) -> Bool {
    status.type == .directory && isOwn(status)
  }

  private static func isOwn(_ status: Stat) -> Bool { status.userID.rawValue == effectiveUserID }
}
