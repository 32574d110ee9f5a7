// Encodes Swift values as values of the language. The counterpart of ValueDecoder.

extension Value {
  /// Encodes any value.
  ///
  /// Whole numbers from 2^53 on become text. A `Duration` is written as in a workflow file, a `URL` as
  /// its address, a `Decimal` as its digits, and a `Date` as seconds since 2001, as `JSONEncoder` does.
  ///
  /// - Parameter value: The value to encode.
  /// - Throws: The error of the value, or an error with the path of a number that is not finite.
  package init(encoding value: some Encodable) throws {
    let place = ValueEncoder.Place()
    try ValueEncoder(place: place, codingPath: []).write(value)
    self = place.value
  }
}

/// An encoder that writes one value into a place.
struct ValueEncoder: Encoder {
  /// A mutable tree node for a value that is being encoded.
  ///
  /// Not `Sendable`, because encoding stays on one thread.
  final class Place {
    enum Content {
      case value(Value)
      case list([Place])
      case map([String: Place])
    }

    var content = Content.value(.null)

    init() {}

    var value: Value {
      switch content {
      case .value(let value): value
      case .list(let places): .list(places.map(\.value))
      case .map(let places): .map(places.mapValues(\.value))
      }
    }

    /// Appends a new place to the list.
    func appended() -> Place {
      let place = Place()
      if case .list(var places) = content {
        content = .value(.null)  // Release the list, so that it is changed in place.
        places.append(place)
        content = .list(places)
      }
      return place
    }

    /// Adds a new place to the map.
    func named(_ name: String) -> Place {
      let place = Place()
      if case .map(var places) = content {
        content = .value(.null)  // Release the map, so that it is changed in place.
        places[name] = place
        content = .map(places)
      }
      return place
    }
  }

  let place: Place
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func write(_ value: some Encodable) throws {
    switch value {
    case let value as Value:
      guard value.isFinite else { throw NumberIsNotFinite(codingPath) }
      place.content = .value(value)
    case let duration as Duration: place.content = .value(.text(duration.workflowText))
    case let boolean as Bool: place.content = .value(.boolean(boolean))
    case let text as String: place.content = .value(.text(text))
    case let number as Double: place.content = .value(.number(try finite(number)))
    case let number as Float: place.content = .value(.number(try finite(Double(number))))
    case let number as any FixedWidthInteger: place.content = .value(whole(number))
    default:
      try value.encode(to: self)
      if let type = FoundationType(Swift.type(of: value)) {
        let text = "\(value)"
        guard text != "NaN" else { throw NumberIsNotFinite(codingPath) }
        if let found = type.value(of: place.value, description: text) {
          place.content = .value(found)
        }
      }
    }
  }

  private func finite(_ number: Double) throws -> Double {
    guard number.isFinite else { throw NumberIsNotFinite(codingPath) }
    return number
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .map = place.content {} else { place.content = .map([:]) }
    return KeyedEncodingContainer(KeyedPlaces<Key>(place: place, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list = place.content {} else { place.content = .list([]) }
    return ListedPlaces(place: place, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SinglePlace(place: place, codingPath: codingPath)
  }
}

/// The error for a value that contains NaN or an infinity, which JSON cannot represent.
private struct NumberIsNotFinite: Error, CustomStringConvertible {
  let codingPath: [any CodingKey]

  init(_ codingPath: [any CodingKey]) {
    self.codingPath = codingPath
  }

  var description: String {
    let keys = codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    let place = keys.isEmpty ? "" : " at \(keys.joined(separator: "."))"
    return "the number\(place) is not finite: NaN or an infinity"
  }
}

extension Value {
  fileprivate var isFinite: Bool {
    switch self {
    case .null, .boolean, .digits, .text: true
    case .number(let number): number.isFinite
    case .list(let values): values.allSatisfy(\.isFinite)
    case .map(let values): values.values.allSatisfy(\.isFinite)
    }
  }
}

private func whole(_ value: some FixedWidthInteger) -> Value {
  Value.number(String(value), Double(value))
}

private struct KeyedPlaces<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: ValueEncoder.Place
  let codingPath: [any CodingKey]

  private func encoder(_ key: Key) -> ValueEncoder {
    ValueEncoder(place: place.named(key.stringValue), codingPath: codingPath + [key])
  }

  func encodeNil(forKey key: Key) { place.named(key.stringValue).content = .value(.null) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder(key).write(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { ValueEncoder(place: place, codingPath: codingPath) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct ListedPlaces: UnkeyedEncodingContainer {
  let place: ValueEncoder.Place
  let codingPath: [any CodingKey]
  var count: Int { if case .list(let places) = place.content { places.count } else { 0 } }

  private func encoder() -> ValueEncoder {
    let key = Position(intValue: count)
    return ValueEncoder(place: place.appended(), codingPath: codingPath + [key])
  }

  func encodeNil() { place.appended().content = .value(.null) }

  func encode<T: Encodable>(_ value: T) throws { try encoder().write(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder() }
}

/// A position in a list.
private struct Position: CodingKey {
  let intValue: Int?
  var stringValue: String { intValue.map(String.init) ?? "" }

  init(intValue: Int) {
    self.intValue = intValue
  }

  init?(stringValue: String) { nil }
}

private struct SinglePlace: SingleValueEncodingContainer {
  let place: ValueEncoder.Place
  let codingPath: [any CodingKey]

  func encodeNil() { place.content = .value(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    try ValueEncoder(place: place, codingPath: codingPath).write(value)
  }

}
