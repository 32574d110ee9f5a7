// The decoding containers of ValueDecoder: maps, lists and single values. The generic `decode`
// functions satisfy the protocol requirements for all plain types.

/// The container for a map, whose values are nil if the map is not known yet.
struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder
  let values: [String: ArgumentValue]?

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] {
    decoder.trace.open.insert(decoder.path)
    return (values ?? [:]).keys.sorted().compactMap(Key.init(stringValue:))
  }

  func contains(_ key: Key) -> Bool {
    decoder.trace.asked[decoder.path, default: []].insert(key.stringValue)
    return values?[key.stringValue] != nil
  }

  private func found(_ key: Key) throws -> ValueDecoder {
    let name = key.stringValue
    decoder.trace.asked[decoder.path, default: []].insert(name)
    guard let values else {
      return ValueDecoder(.unknown, at: codingPath + [key], decoder.trace)
    }
    guard let value = values[name] else {
      throw missing(name, values)
    }
    return ValueDecoder(value, at: codingPath + [key], decoder.trace)
  }

  /// Returns the error for a missing name, which suggests a similar name that was not decoded.
  private func missing(_ name: String, _ values: [String: ArgumentValue]) -> ArgumentError {
    let path = (decoder.path + [name]).asPath
    let asked = decoder.trace.asked[decoder.path] ?? []
    guard let near = nearest(to: name, among: values.keys.filter { !asked.contains($0) }.sorted())
    else { return ArgumentError(decoder.path, .argumentMissing(path, nearest: nil)) }
    return ArgumentError(
      decoder.path + [near], .argumentMissing(path, nearest: near), isOfName: true)
  }

  /// Whether a value is nil: what may be text is decoded without a question.
  func decodeNil(forKey key: Key) throws -> Bool {
    let decoder = try found(key)
    return decoder.isNull || decoder.isEmptyOutput
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try found(key).decoded(type)
  }

  /// Decodes a text that may be nil; an empty output is one.
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard contains(key) else { return nil }
    let decoder = try found(key)
    return decoder.isNull ? nil : try decoder.text()
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try found(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try found(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }

  func superDecoder(forKey key: Key) throws -> any Decoder { try found(key) }
}

/// The container for a list.
struct ListedValues: UnkeyedDecodingContainer {
  private struct Position: CodingKey {
    let position: Int
    var intValue: Int? { position }
    var stringValue: String { String(position) }

    init(_ position: Int) { self.position = position }
    init?(intValue: Int) { position = intValue }
    init?(stringValue: String) { nil }
  }

  let decoder: ValueDecoder
  let values: [ArgumentValue]
  private(set) var currentIndex = 0

  init(decoder: ValueDecoder, values: [ArgumentValue]) {
    self.decoder = decoder
    self.values = values
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex >= values.count }

  private mutating func next() throws -> ValueDecoder {
    guard !isAtEnd else {
      throw ArgumentError(decoder.path, .fewArguments(decoder.name, values.count))
    }
    defer { currentIndex += 1 }
    return ValueDecoder(
      values[currentIndex], at: codingPath + [Position(currentIndex)], decoder.trace)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, case .scalar(.null, _) = values[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decoded(type) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}

/// The container for a single value.
struct SingleValue: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decoded(type) }

}
