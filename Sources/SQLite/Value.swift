// What a database holds, and what goes into it. Knows no connection.

/// A value in a row.
///
/// A column of SQLite takes values of any type, also of another one than its own: whoever reads asks for
/// the type and gets nothing where it is another.
package enum Value: Sendable, Equatable {
  /// Nothing.
  case null
  /// A number.
  case integer(Int64)
  /// A text; what is not well-formed in it is replaced.
  case text(String)
  /// A fraction or bytes, which nothing here stores: somebody else has written them.
  case other

  /// The text; nil if it is none.
  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The number; nil if it is none.
  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}

/// A row of what a query has found.
package struct Row: Sendable {
  private let columns: [String]
  private let values: [Value]

  init(columns: [String], values: [Value]) {
    self.columns = columns
    self.values = values
  }

  /// The value of a column, by its place.
  package subscript(_ place: Int) -> Value { values[place] }

  /// The value of a column, by its name.
  ///
  /// Upper and lower case are the same, as they are in queries: SQLite names a column as the schema of the
  /// file writes it. Null where there is no such column.
  package subscript(_ name: String) -> Value {
    let place = columns.firstIndex(of: name) ?? columns.firstIndex { isSameName($0, name) }
    return place.map { values[$0] } ?? .null
  }
}

/// What can stand for a question mark of a statement.
package protocol ValueConvertible {
  /// The value that it is stored as.
  var databaseValue: Value { get }
}

extension String: ValueConvertible {
  /// The text.
  package var databaseValue: Value { .text(self) }
}

extension Int64: ValueConvertible {
  /// The number.
  package var databaseValue: Value { .integer(self) }
}

extension Int: ValueConvertible {
  /// The number.
  package var databaseValue: Value { .integer(Int64(self)) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  /// What is wrapped; null where nothing is.
  package var databaseValue: Value { self?.databaseValue ?? .null }
}

/// Whether two names are the same for SQLite, which folds the letters of ASCII only.
private func isSameName(_ left: String, _ right: String) -> Bool {
  func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
  return left.utf8.lazy.map(folded).elementsEqual(right.utf8.lazy.map(folded))
}
