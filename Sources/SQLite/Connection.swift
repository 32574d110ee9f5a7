// A connection to a database. No other file calls SQLite's C API.

import CSQLite

/// A connection to a database file.
///
/// Statements with arguments are prepared once and cached, so their text should be constant.
@safe package final class Connection {
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  init(path: String, busyTimeout: Duration) throws(SQLiteError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard let handle = unsafe opened else {
      throw SQLiteError(code: code, message: "out of memory")
    }
    unsafe self.handle = handle
    guard code == SQLITE_OK else { throw unsafe SQLiteError(handle) }
    unsafe sqlite3_busy_timeout(handle, Int32(busyTimeout / .milliseconds(1)))
    try run(script: "PRAGMA foreign_keys = ON")
  }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  /// Whether a transaction is in progress.
  package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// The rowid of the last inserted row.
  package var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Runs statements that have no arguments and whose rows are not needed.
  ///
  /// - Parameter script: The statements, each terminated by a semicolon.
  /// - Throws: ``SQLiteError``.
  package func run(script: String) throws(SQLiteError) {
    guard unsafe sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else {
      throw unsafe SQLiteError(handle)
    }
  }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: The values of its parameters (`?`), in order.
  /// - Throws: ``SQLiteError``.
  package func execute(_ sql: String, _ arguments: any ValueConvertible...) throws(SQLiteError) {
    try statement(sql).run(arguments) { _ in }
  }

  /// Returns the rows of a query.
  ///
  /// - Parameters:
  ///   - sql: The query.
  ///   - arguments: The values of its parameters (`?`), in order.
  /// - Returns: All rows, in order.
  /// - Throws: ``SQLiteError``.
  package func rows(
    _ sql: String, _ arguments: any ValueConvertible...
  ) throws(SQLiteError) -> [Row] {
    var rows: [Row] = []
    try statement(sql).run(arguments) { rows.append($0) }
    return rows
  }

  /// Returns the first value of the first row of a query.
  ///
  /// - Parameters:
  ///   - sql: The query.
  ///   - arguments: The values of its parameters (`?`), in order.
  /// - Returns: The value; null if there is no row.
  /// - Throws: ``SQLiteError``.
  package func value(
    _ sql: String, _ arguments: any ValueConvertible...
  ) throws(SQLiteError) -> Value {
    var first: Row?
    try statement(sql).run(arguments) { first = first ?? $0 }
    return first?[0] ?? .null
  }

  private func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try unsafe Statement(sql, handle)
    statements[sql] = statement
    return statement
  }
}

/// A prepared statement.
@safe private final class Statement {
  private let connection: OpaquePointer
  private let handle: OpaquePointer
  private let columns: [String]

  @unsafe init(_ sql: String, _ connection: OpaquePointer) throws(SQLiteError) {
    var prepared: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard unsafe sqlite3_prepare_v3(connection, sql, -1, flags, &prepared, nil) == SQLITE_OK,
      let handle = unsafe prepared
    else { throw unsafe SQLiteError(connection) }
    unsafe self.connection = unsafe connection
    unsafe self.handle = handle
    let count = unsafe sqlite3_column_count(handle)
    columns = (0..<count).map { column in
      unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
    }
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  func run(
    _ arguments: [any ValueConvertible], _ onRow: (Row) -> Void
  ) throws(SQLiteError) {
    // A statement that is not reset keeps its transaction open.
    defer {
      unsafe sqlite3_reset(handle)
      unsafe sqlite3_clear_bindings(handle)
    }
    for (offset, argument) in arguments.enumerated() {
      guard bind(argument.databaseValue, at: Int32(offset + 1)) == SQLITE_OK else {
        throw unsafe SQLiteError(connection)
      }
    }
    while true {
      switch unsafe sqlite3_step(handle) {
      case SQLITE_ROW: onRow(Row(columns: columns, values: columns.indices.map(value)))
      case SQLITE_DONE: return
      default: throw unsafe SQLiteError(connection)
      }
    }
  }

  private func bind(_ value: Value, at position: Int32) -> Int32 {
    switch value {
    case .null, .other: return unsafe sqlite3_bind_null(handle, position)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, position, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        // A nil pointer would bind NULL.
        guard !bytes.isEmpty else { return unsafe reprise_bind_text(handle, position, "", 0) }
        return unsafe bytes.withMemoryRebound(to: CChar.self) {
          unsafe reprise_bind_text(handle, position, $0.baseAddress, Int32(clamping: $0.count))
        }
      }
    }
  }

  private func value(_ column: Int) -> Value {
    let column = Int32(column)
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, column))
    case SQLITE_TEXT:
      // Read the size after the text: sqlite3_column_text may convert the value.
      let text = unsafe sqlite3_column_text(handle, column)
      let size = Int(unsafe sqlite3_column_bytes(handle, column))
      return .text(
        unsafe String(decoding: UnsafeBufferPointer(start: text, count: size), as: UTF8.self))
    default: return .other
    }
  }
}
