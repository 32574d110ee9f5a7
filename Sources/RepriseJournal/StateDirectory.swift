// The folder in which a project's runs are kept: where it is and what stands where in it. Knows
// nothing of what the files hold.

public import Reprise

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder in which a project keeps its runs.
///
///     .reprise/journal.db                       the record of all runs
///     .reprise/runs/RUN/STEP/GENERATION.ATTEMPT.log   what an attempt wrote
///     .reprise/live/RUN.lock                    held by whoever drives the run
///     .reprise/live/RUN.sock                    where a live run can be reached
///     .reprise/live/watch-NAME.lock             held by whoever watches a workflow
///     .reprise/live/watch-NAME.sock             where the watch can be reached
public struct StateDirectory: Sendable, Equatable {
  /// What the folder is called where nothing else is asked for.
  public static let name = ".reprise"
  /// The environment variable that names the folder.
  public static let variable = "REPRISE_STATE_DIR"

  /// The absolute path of the folder.
  public let path: String

  /// Names a folder, which need not exist.
  ///
  /// - Parameter path: Its path; a relative one is made absolute.
  public init(path: String) {
    self.path = path.hasPrefix("/") ? path : Self.currentDirectory + "/" + path
  }

  /// Finds the folder of the project that one is in.
  ///
  /// That is the one given; or that of the environment; or the nearest `.reprise` of this user in the
  /// current folder and those above; or else `.reprise` in the current folder.
  ///
  /// - Parameters:
  ///   - explicit: What the user asked for.
  ///   - environment: The environment variables.
  public init(explicit: String?, environment: [String: String]) {
    if let given = explicit ?? environment[Self.variable], !given.isEmpty {
      self.init(path: given)
      return
    }
    let here = Self.currentDirectory
    var folder = here[...]
    while !folder.isEmpty {
      let candidate = folder + "/" + Self.name
      if Self.isOwnFolder(String(candidate)) {
        self.init(path: String(candidate))
        return
      }
      folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    }
    self.init(path: here + "/" + Self.name)
  }

  /// Makes the folder where it does not exist, for this user alone.
  ///
  /// - Throws: ``JournalError`` when it cannot be made, or belongs to somebody else.
  public func create() throws(JournalError) {
    if mkdir(path, 0o700) == 0 {
      // The folder keeps itself out of version control.
      try save("*\n", to: path + "/.gitignore")
    } else if errno != EEXIST {
      throw .system("cannot make the state directory", path, errno)
    }
    guard Self.isOwnFolder(path) else {
      throw JournalError(
        "the state directory \"\(path)\" is not a folder of yours; choose another with --state-dir")
    }
    try expectPrivate(path, mayBeSticky: true)
    for file in [databasePath, logPath, databasePath + "-shm", openingLockPath] {
      var status = stat()
      guard lstat(file, &status) != 0 || status.st_uid == geteuid() else {
        throw JournalError("\"\(file)\" is not yours; choose another place with --state-dir")
      }
    }
    for folder in [runsPath, livePath] where mkdir(folder, 0o700) != 0 {
      guard errno == EEXIST else { throw .system("cannot make the folder", folder, errno) }
      try expectPrivate(folder)
    }
  }

  /// Refuses a folder in which others can put files: theirs would be taken for locks, sockets and records of runs.
  ///
  /// In a sticky one, as the root of a disk in memory is, they can put none in the place of one that is there.
  private func expectPrivate(
    _ folder: String, mayBeSticky: Bool = false
  ) throws(JournalError) {
    var status = stat()
    guard stat(folder, &status) == 0 else { throw .system("cannot use the folder", folder, errno) }
    guard Self.isOwnFolder(status) else {
      throw JournalError("\"\(folder)\" is not a folder of yours; choose another with --state-dir")
    }
    let isSticky = mayBeSticky && status.st_mode & S_ISVTX != 0
    guard isSticky || status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw JournalError(
        "others can write to the folder \"\(folder)\", and so control your runs; forbid it with: "
          + "chmod go-w '\(folder)'")
    }
  }

  /// Whether the folder exists.
  public var exists: Bool { Self.isOwnFolder(path) }

  var databasePath: String { path + "/journal.db" }
  /// The write-ahead log of the database.
  var logPath: String { databasePath + "-wal" }
  var openingLockPath: String { path + "/journal.lock" }
  var runsPath: String { path + "/runs" }
  /// The folder with what belongs to the processes that are alive: something changes in it when a run
  /// begins or ends.
  public var livePath: String { path + "/live" }

  /// Where what a run writes is kept.
  public func logFolder(of run: RunID) -> String { runsPath + "/\(run)" }

  /// The file that whoever drives a run holds locked.
  func lockPath(of run: RunID) -> String { livePath + "/\(run).lock" }

  /// The socket at which a live run can be reached.
  public func socketPath(of run: RunID) -> String { livePath + "/\(run).sock" }

  /// The file that whoever watches a workflow holds locked.
  func watchLockPath(of workflow: String) -> String {
    livePath + "/watch-\(Self.fileName(workflow)).lock"
  }

  /// The socket at which whoever watches a workflow can be reached.
  public func watchSocketPath(of workflow: String) -> String {
    livePath + "/watch-\(Self.fileName(workflow)).sock"
  }

  /// Where what one attempt of a step writes is kept.
  ///
  /// Ids of files are safe as they are; a step made in Swift may have any.
  func logPath(of run: RunID, step: String, generation: Int, attempt: Int) -> String {
    logFolder(of: run) + "/" + Self.fileName(step) + "/\(generation).\(attempt).log"
  }

  /// A name without anything that could lead elsewhere.
  static func fileName(_ id: String) -> String {
    id.utf8.map { byte in
      let letter = Character(UnicodeScalar(byte))
      let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber || "_-".contains(letter))
      return isPlain ? String(letter) : "%" + String(byte, radix: 16)
    }.joined()
  }

  private func save(_ text: String, to path: String) throws(JournalError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system("cannot write", path, errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard bytes.withUnsafeBytes({ Self.writeAll($0, to: descriptor) }) else {
      throw .system("cannot write", path, errno)
    }
  }

  /// Writes all bytes; false when that fails.
  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      let count = write(descriptor, base, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }

  private static func isOwnFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && isOwnFolder(status)
  }

  private static func isOwnFolder(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
  }

  private static var currentDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
