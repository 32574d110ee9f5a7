// Tables that describe the cases of event types: name, text, and fields in JSON.

/// The description of one case of an enum.
struct CaseRow<Case: Sendable> {
  /// The name of the case in JSON.
  let name: String
  /// A short human-readable text.
  let text: () -> String
  /// Encodes or decodes the fields of the case.
  let coded: (inout FieldCoder) throws -> Case

  /// Creates the row of a case with fields.
  init(
    _ name: String, _ text: @autoclosure @escaping () -> String,
    _ coded: @escaping (inout FieldCoder) throws -> Case
  ) {
    self.name = name
    self.text = text
    self.coded = coded
  }

  /// Creates the row of a case without fields.
  init(_ name: String, _ text: @autoclosure @escaping () -> String, _ only: Case) {
    self.init(name, text()) { _ in only }
  }
}

/// An enum whose cases are JSON objects with the name of the case and its fields.
protocol CodedCases: Sendable {
  /// A sample of each case by its name, for decoding; associated values do not matter.
  static var byName: [String: Self] { get }

  /// The description of this case.
  var row: CaseRow<Self> { get }
}

extension CodedCases {
  /// Returns a dictionary of cases by their names.
  static func named(_ cases: [Self]) -> [String: Self] {
    Dictionary(uniqueKeysWithValues: cases.map { ($0.row.name, $0) })
  }
}

/// Encodes or decodes the fields of an object, so that one list of fields serves both.
///
/// Each method takes the value to encode and returns the decoded value.
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

  /// Creates a coder that encodes.
  init(_ encoder: any Encoder) {
    writer = encoder.container(keyedBy: Key.self)
  }

  /// Creates a coder that decodes.
  init(_ decoder: any Decoder) throws {
    reader = try decoder.container(keyedBy: Key.self)
  }

  /// Codes a required field.
  @discardableResult
  mutating func value<Value: Codable>(_ key: Key, _ value: Value) throws -> Value {
    try writer?.encode(value, forKey: key)
    return try reader?.decode(Value.self, forKey: key) ?? value
  }

  /// Codes a field that is omitted if it has its default value.
  mutating func value<Value: Codable & Equatable>(
    _ key: Key, _ value: Value, default usual: Value
  ) throws -> Value {
    if value != usual { try writer?.encode(value, forKey: key) }
    guard let reader else { return value }
    return try reader.decodeIfPresent(Value.self, forKey: key) ?? usual
  }

  /// Codes a duration as a number of seconds.
  mutating func seconds(_ duration: Duration) throws -> Duration {
    .seconds(try value("seconds", duration.inSeconds))
  }

  /// Codes the name of a case as a field, and the case's own fields next to it.
  @discardableResult
  mutating func cases<Case: CodedCases>(_ key: Key, _ value: Case) throws -> Case {
    let name = try self.value(key, value.row.name)
    guard let sample = Case.byName[name] else {
      guard let reader else { preconditionFailure("BUG: no case is named \"\(name)\"") }
      throw DecodingError.dataCorruptedError(
        forKey: key, in: reader, debugDescription: "unknown name \"\(name)\"")
    }
    return try (reader == nil ? value : sample).row.coded(&self)
  }
}

extension Duration {
  fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
