// Values and rows of a database.

/// A value in a row.
///
/// A column of SQLite can store values of any type, regardless of its declared type. Readers get
/// nil if the value has a different type from the one that they ask for.
package enum Value: Sendable, Equatable {
  /// NULL.
  case null
  /// An integer.
  case integer(Int64)
  /// A text; invalid UTF-8 is replaced.
  case text(String)
  /// A floating-point number or a blob, which this program never stores.
  case other

  /// The text; nil if the value is not a text.
  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The integer; nil if the value is not an integer.
  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}

/// A row of a query's result.
package struct Row: Sendable {
  private let columns: [String]
  private let values: [Value]

  init(columns: [String], values: [Value]) {
    self.columns = columns
    self.values = values
  }

  /// The value of a column, by its position.
  package subscript(_ place: Int) -> Value { values[place] }

  /// The value of a column, by its name; null if there is no such column.
  ///
  /// Case-insensitive, as in queries, because SQLite returns names as they are written in the
  /// schema of the file.
  package subscript(_ name: String) -> Value {
    let place = columns.firstIndex(of: name) ?? columns.firstIndex { isSameName($0, name) }
    return place.map { values[$0] } ?? .null
  }
}

/// A type whose values can be arguments of a statement.
package protocol ValueConvertible {
  /// The value that is stored.
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
  /// The wrapped value; null for nil.
  package var databaseValue: Value { self?.databaseValue ?? .null }
}

/// Returns whether two names are the same for SQLite, which ignores the case of ASCII letters only.
private func isSameName(_ left: String, _ right: String) -> Bool {
  func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
  return left.utf8.lazy.map(folded).elementsEqual(right.utf8.lazy.map(folded))
}
