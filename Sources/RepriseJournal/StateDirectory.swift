// The folder in which a project's runs are kept: where it is and what stands where in it. Knows
// nothing of what the files hold.

import Platform
package import Reprise

/// The folder in which a project keeps its runs.
///
///     .reprise/journal.db                       the record of all runs
///     .reprise/runs/RUN/STEP/GENERATION.ATTEMPT.log   what an attempt wrote
///     .reprise/live/RUN.lock                    held by whoever drives the run
///     .reprise/live/RUN.sock                    where a live run can be reached
///     .reprise/live/watch-NAME.lock             held by whoever watches a workflow
///     .reprise/live/watch-NAME.sock             where the watch can be reached
package struct StateDirectory: Sendable, Equatable {
  /// What the folder is called where nothing else is asked for.
  package static let name = ".reprise"
  /// The environment variable that names the folder.
  package static let variable = "REPRISE_STATE_DIR"

  /// The absolute path of the folder.
  package let path: String

  /// Names a folder, which need not exist.
  ///
  /// - Parameters:
  ///   - path: Its path; a relative one is made absolute.
  ///   - here: The folder that it is relative to.
  package init(path: String, in here: String = "/") {
    self.path = path.hasPrefix("/") ? path : here + "/" + path
  }

  /// Finds the folder of the project that one is in.
  ///
  /// That is the one given; or that of the environment; or the nearest `.reprise` of this user in the
  /// current folder and those above; or else `.reprise` in the current folder.
  ///
  /// - Parameters:
  ///   - explicit: What the user asked for.
  ///   - environment: The environment variables.
  ///   - here: The current folder.
  package init(explicit: String?, environment: [String: String], in here: String) {
    if let given = explicit ?? environment[Self.variable], !given.isEmpty {
      self.init(path: given, in: here)
      return
    }
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
  package func create() throws(JournalError) {
    if try isNew(path, orElse: "cannot make the state directory") {
      // The folder keeps itself out of version control.
      try save("*\n", to: path + "/.gitignore")
    }
    guard Self.isOwnFolder(path) else {
      throw JournalError(
        "the state directory \"\(path)\" is not a folder of yours; choose another with --state-dir")
    }
    try expectPrivate(path, mayBeSticky: true)
    for file in [databasePath, logPath, databasePath + "-shm", openingLockPath] {
      guard let status = try? Stat(at: file, followsLink: false) else { continue }
      guard Self.isOwn(status) else {
        throw JournalError("\"\(file)\" is not yours; choose another place with --state-dir")
      }
      // SQLite follows a link in the place of its index, and does not name one in the place of its log.
      guard status.type != .symbolicLink || [databasePath, openingLockPath].contains(file)
      else { throw JournalError("\"\(file)\" is a link; move it away") }
    }
    for folder in [runsPath, livePath]
    where try !isNew(folder, orElse: "cannot make the folder") {
      try expectPrivate(folder)
    }
  }

  /// Makes a folder for this user alone; false where it exists.
  private func isNew(_ folder: String, orElse problem: String) throws(JournalError) -> Bool {
    do throws(Errno) {
      try makeFolder(folder, permissions: .ownerReadWriteExecute)
      return true
    } catch {
      guard error == .fileExists else { throw .system(problem, folder, error) }
      return false
    }
  }

  /// Refuses a folder in which others can put files: theirs would be taken for locks, sockets and records of runs.
  ///
  /// In a sticky one, as the root of a disk in memory is, they can put none in the place of one that is there.
  private func expectPrivate(
    _ folder: String, mayBeSticky: Bool = false
  ) throws(JournalError) {
    let status: Stat
    do throws(Errno) {
      // Only the state directory itself may be a link: a user puts it elsewhere, a stranger what is in it.
      status = try Stat(at: folder, followsLink: folder == path)
    } catch {
      throw .system("cannot use the folder", folder, error)
    }
    guard Self.isOwnFolder(status) else {
      throw JournalError("\"\(folder)\" is not a folder of yours; choose another with --state-dir")
    }
    let isSticky = mayBeSticky && status.permissions.contains(.saveText)
    guard isSticky || status.permissions.isDisjoint(with: [.groupWrite, .otherWrite]) else {
      throw JournalError(
        "others can write to the folder \"\(folder)\", and so control your runs; forbid it with: "
          + "chmod go-w '\(folder)'")
    }
  }

  /// Whether the folder exists.
  package var exists: Bool { Self.isOwnFolder(path) }

  var databasePath: String { path + "/journal.db" }
  /// The write-ahead log of the database.
  var logPath: String { databasePath + "-wal" }
  var openingLockPath: String { path + "/journal.lock" }
  var runsPath: String { path + "/runs" }
  /// The folder with what belongs to the processes that are alive: something changes in it when a run
  /// begins or ends.
  package var livePath: String { path + "/live" }

  /// Where what a run writes is kept.
  package func logFolder(of run: RunID) -> String { runsPath + "/\(run)" }

  /// The file that whoever drives a run holds locked.
  func lockPath(of run: RunID) -> String { livePath + "/\(run).lock" }

  /// The socket at which a live run can be reached.
  package func socketPath(of run: RunID) -> String { livePath + "/\(run).sock" }

  /// The file that whoever watches a workflow holds locked.
  func watchLockPath(of workflow: String) -> String {
    livePath + "/watch-\(Self.fileName(workflow)).lock"
  }

  /// The socket at which whoever watches a workflow can be reached.
  package func watchSocketPath(of workflow: String) -> String {
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
