import Foundation
import TestSupport
import Testing

@testable import RepriseJournal

/// Existing contents of the state folder are used only if they belong to this user.
struct StateFolderTests {
  /// The target of the link is not changed, although SQLite could open it.
  @Test func `a symlink in place of the journal is not followed`() throws {
    let other = try Folder()
    _ = try Journal(other.state)
    let before = try Data(contentsOf: URL(fileURLWithPath: other.state.databasePath))
    let folder = try Folder()
    try folder.state.create()
    try FileManager.default.createSymbolicLink(
      atPath: folder.state.databasePath, withDestinationPath: other.state.databasePath)
    let error = #expect(throws: JournalError.self) { try Journal(folder.state) }
    #expect(error?.description.contains(folder.state.databasePath) == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: other.state.databasePath)) == before)
  }

  @Test func `a symlink in place of a lock is not followed`() throws {
    let folder = try Folder()
    try folder.state.create()
    let elsewhere = folder.path + "/elsewhere"
    try FileManager.default.createSymbolicLink(
      atPath: folder.state.openingLockPath, withDestinationPath: elsewhere)
    let error = #expect(throws: JournalError.self) { try Journal(folder.state) }
    #expect(error?.description.contains("cannot open the lock") == true)
    #expect(!FileManager.default.fileExists(atPath: elsewhere))
  }

  @Test(.enabled(if: getuid() == 0)) func `files and folders of another user are refused`() throws {
    let folder = try Folder()
    _ = try Journal(folder.state)
    func error(whereForeign place: String) throws -> String? {
      let path = folder.state.path + place
      #expect(chown(path, 65534, 65534) == 0)
      defer { #expect(chown(path, 0, 0) == 0) }
      return #expect(throws: JournalError.self) { try Journal(folder.state) }?.description
    }
    for place in ["", "/live", "/runs"] {
      #expect(
        try error(whereForeign: place)?.contains("is not a folder that you own") == true, "\(place)"
      )
    }
    for place in ["/journal.db", "/journal.lock"] {
      #expect(
        try error(whereForeign: place)?.contains("is owned by another user") == true, "\(place)")
    }
    _ = try Journal(folder.state)
  }

  /// Like the root of a disk in memory: others can add files of their own, but replace nothing.
  @Test func `a state folder in a folder that does not exist says what to create`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/none/journal"
    let error = #expect(throws: JournalError.self) { try Journal(at: path) }
    #expect(
      error?.description == """
        cannot create the state directory "\(path)", because the folder that is to contain it does not \
        exist: create that first
        """)
  }

  @Test func `only the state folder itself may be sticky and writable by others`() throws {
    let folder = try Folder()
    _ = try Journal(folder.state)
    #expect(chmod(folder.state.path, 0o1777) == 0)
    _ = try Journal(folder.state)
    for path in [folder.state.livePath, folder.state.runsPath] {
      #expect(chmod(path, 0o1777) == 0)
      let error = #expect(throws: JournalError.self) { try Journal(folder.state) }
      #expect(error?.description.contains("chmod go-w '\(path)'") == true)
      #expect(chmod(path, 0o700) == 0)
    }
  }
}
