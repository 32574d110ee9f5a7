// What SQLite answers when it cannot do something.

import CSQLite
import Platform

/// Why a statement could not be run.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
  /// What kind of failure it is: as far as somebody can do something about it.
  package enum Kind: Sendable {
    /// There is no room on the disk.
    case full
    /// The file is damaged, or is none of SQLite's.
    case damaged
    /// The file or its folder cannot be opened or written.
    case forbidden
    /// Another program holds the file.
    case busy
    /// Something else.
    case other
  }

  /// What kind of failure it is.
  package let kind: Kind
  /// What it says, in SQLite's words.
  package let description: String

  init(code: Int32, message: String, systemError: Int32 = 0) {
    // The lowest byte; the others say more than is needed: https://sqlite.org/rescode.html
    kind =
      switch code & 0xff {
      case SQLITE_FULL: .full
      // What is written beside the database, such as the index of its log, has no code of its own for this.
      case SQLITE_IOERR where Self.isFull(Errno(rawValue: systemError)): .full
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .forbidden
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      default: .other
      }
    description = message
  }

  private static func isFull(_ error: Errno) -> Bool {
    error == .noSpace || error == .diskQuotaExceeded
  }

  /// What a connection has failed with last.
  @unsafe init(_ connection: OpaquePointer) {
    self.init(
      code: unsafe sqlite3_extended_errcode(connection),
      message: unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "",
      systemError: unsafe sqlite3_system_errno(connection))
  }
}
