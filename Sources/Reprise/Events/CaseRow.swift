// The rows of the tables of events: what a case is called, what it says, and which fields it has in JSON.

/// What is known of one case of an enum, in one place.
struct CaseRow<Case: Sendable> {
  /// The name of the case in JSON.
  let name: String
  /// The case as a short text for people.
  let text: () -> String
  /// Writes the fields of the case, or reads them.
  let coded: (inout FieldCoder) throws -> Case

  /// A case with fields.
  init(
    _ name: String, _ text: @autoclosure @escaping () -> String,
    _ coded: @escaping (inout FieldCoder) throws -> Case
  ) {
    self.name = name
    self.text = text
    self.coded = coded
  }

  /// A case without fields.
  init(_ name: String, _ text: @autoclosure @escaping () -> String, _ only: Case) {
    self.init(name, text()) { _ in only }
  }
}

/// An enum each case of which is an object in JSON: the name of the case, and its fields.
protocol CodedCases: Sendable {
  /// One value of each case by its name, to read others with: what is in it does not matter.
  static var byName: [String: Self] { get }

  /// What is known of the case.
  var row: CaseRow<Self> { get }
}

extension CodedCases {
  /// The table of some values by their names.
  static func named(_ cases: [Self]) -> [String: Self] {
    Dictionary(uniqueKeysWithValues: cases.map { ($0.row.name, $0) })
  }
}

/// Writes the fields of an object or reads them, so that they are named once for both.
///
/// Each function takes the value to write, and returns the one that was read.
struct FieldCoder {
  /// The name of a field.
  struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private var writer: KeyedEncodingContainer<Key>?
  private var reader: KeyedDecodingContainer<Key>?

  /// Writes to an encoder.
  init(_ encoder: any Encoder) {
    writer = encoder.container(keyedBy: Key.self)
  }

  /// Reads from a decoder.
  init(_ decoder: any Decoder) throws {
    reader = try decoder.container(keyedBy: Key.self)
  }

  /// A field that is always there.
  @discardableResult
  mutating func value<Value: Codable>(_ key: Key, _ value: Value) throws -> Value {
    try writer?.encode(value, forKey: key)
    return try reader?.decode(Value.self, forKey: key) ?? value
  }

  /// A field that is left out where it has its default.
  mutating func value<Value: Codable & Equatable>(
    _ key: Key, _ value: Value, default usual: Value
  ) throws -> Value {
    if value != usual { try writer?.encode(value, forKey: key) }
    guard let reader else { return value }
    return try reader.decodeIfPresent(Value.self, forKey: key) ?? usual
  }

  /// A duration, as the number of its seconds.
  mutating func seconds(_ duration: Duration) throws -> Duration {
    .seconds(try value("seconds", duration.inSeconds))
  }

  /// The name of a case in a field, and beside it the fields of the case.
  @discardableResult
  mutating func cases<Case: CodedCases>(_ key: Key, _ value: Case) throws -> Case {
    let name = try self.value(key, value.row.name)
    guard let sample = Case.byName[name] else {
      guard let reader else { preconditionFailure("BUG: there is no \"\(name)\" among the cases") }
      throw DecodingError.dataCorruptedError(
        forKey: key, in: reader, debugDescription: "there is no \"\(name)\"")
    }
    return try (reader == nil ? value : sample).row.coded(&self)
  }
}

extension Duration {
  fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
