// Errors of SQLite.

import CSQLite
import Platform

/// An error of SQLite.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
  /// The kind of an error, as far as a caller can act on it.
  package enum Kind: Sendable {
    /// The disk is full.
    case full
    /// The file is damaged, or is not a SQLite database.
    case damaged
    /// The file or its folder cannot be opened or written.
    case forbidden
    /// Another process has locked the file.
    case busy
    /// Another error.
    case other
  }

  /// The kind of the error.
  package let kind: Kind
  /// SQLite's message.
  package let description: String

  init(code: Int32, message: String, systemError: Int32 = 0) {
    // The lowest byte is the primary result code; the others give unneeded detail:
    // https://sqlite.org/rescode.html
    kind =
      switch code & 0xff {
      case SQLITE_FULL: .full
      // Writes to auxiliary files, such as the index of the log, have no error code of their own
      // for a full disk.
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

  /// Creates the last error of a connection.
  @unsafe init(_ connection: OpaquePointer) {
    self.init(
      code: unsafe sqlite3_extended_errcode(connection),
      message: unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "",
      systemError: unsafe sqlite3_system_errno(connection))
  }
}
