// Makes values of the language of Swift values. The counterpart of ValueDecoder; knows no files.

extension Value {
  /// Writes down any value.
  ///
  /// - Parameter value: What to write; whole numbers beyond 2^53 become texts, a `Duration` is written as in a
  ///   workflow file.
  /// - Throws: What the value throws.
  package init(encoding value: some Encodable) throws {
    let place = ValueEncoder.Place()
    try ValueEncoder(place: place, codingPath: []).write(value)
    self = place.value
  }
}

/// Writes into one place.
struct ValueEncoder: Encoder {
  /// Where a value is being put together.
  ///
  /// Not `Sendable`: an encoding stays in one thread.
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

    /// A new place at the end of its list.
    func appended() -> Place {
      let place = Place()
      if case .list(var places) = content {
        content = .value(.null)  // Gives up the list, so that it is changed in place.
        places.append(place)
        content = .list(places)
      }
      return place
    }

    /// A new place of its map.
    func named(_ name: String) -> Place {
      let place = Place()
      if case .map(var places) = content {
        content = .value(.null)  // Gives up the map, so that it is changed in place.
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
    case let value as Value: place.content = .value(value)
    case let duration as Duration: place.content = .value(.text(duration.workflowText))
    default: try value.encode(to: self)
    }
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

private func whole(_ value: some FixedWidthInteger) -> Value {
  // From 2^53 on not every whole number is a number of its own.
  value.magnitude < 9_007_199_254_740_992 ? .number(Double(value)) : .text(String(value))
}

private struct KeyedPlaces<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: ValueEncoder.Place
  let codingPath: [any CodingKey]

  private func put(_ value: Value, _ key: Key) {
    place.named(key.stringValue).content = .value(value)
  }

  private func encoder(_ key: Key) -> ValueEncoder {
    ValueEncoder(place: place.named(key.stringValue), codingPath: codingPath + [key])
  }

  func encodeNil(forKey key: Key) { put(.null, key) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder(key).write(value) }

  func encode(_ value: Bool, forKey key: Key) { put(.boolean(value), key) }
  func encode(_ value: String, forKey key: Key) { put(.text(value), key) }
  func encode(_ value: Double, forKey key: Key) { put(.number(value), key) }
  func encode(_ value: Float, forKey key: Key) { put(.number(Double(value)), key) }
  func encode(_ value: Int, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: Int8, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: Int16, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: Int32, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: Int64, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: UInt, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: UInt8, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: UInt16, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: UInt32, forKey key: Key) { put(whole(value), key) }
  func encode(_ value: UInt64, forKey key: Key) { put(whole(value), key) }

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

  private func put(_ value: Value) { place.appended().content = .value(value) }

  private func encoder() -> ValueEncoder {
    ValueEncoder(place: place.appended(), codingPath: codingPath)
  }

  func encodeNil() { put(.null) }

  func encode<T: Encodable>(_ value: T) throws { try encoder().write(value) }

  func encode(_ value: Bool) { put(.boolean(value)) }
  func encode(_ value: String) { put(.text(value)) }
  func encode(_ value: Double) { put(.number(value)) }
  func encode(_ value: Float) { put(.number(Double(value))) }
  func encode(_ value: Int) { put(whole(value)) }
  func encode(_ value: Int8) { put(whole(value)) }
  func encode(_ value: Int16) { put(whole(value)) }
  func encode(_ value: Int32) { put(whole(value)) }
  func encode(_ value: Int64) { put(whole(value)) }
  func encode(_ value: UInt) { put(whole(value)) }
  func encode(_ value: UInt8) { put(whole(value)) }
  func encode(_ value: UInt16) { put(whole(value)) }
  func encode(_ value: UInt32) { put(whole(value)) }
  func encode(_ value: UInt64) { put(whole(value)) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder() }
}

private struct SinglePlace: SingleValueEncodingContainer {
  let place: ValueEncoder.Place
  let codingPath: [any CodingKey]

  private func put(_ value: Value) { place.content = .value(value) }

  func encodeNil() { put(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    try ValueEncoder(place: place, codingPath: codingPath).write(value)
  }

  func encode(_ value: Bool) { put(.boolean(value)) }
  func encode(_ value: String) { put(.text(value)) }
  func encode(_ value: Double) { put(.number(value)) }
  func encode(_ value: Float) { put(.number(Double(value))) }
  func encode(_ value: Int) { put(whole(value)) }
  func encode(_ value: Int8) { put(whole(value)) }
  func encode(_ value: Int16) { put(whole(value)) }
  func encode(_ value: Int32) { put(whole(value)) }
  func encode(_ value: Int64) { put(whole(value)) }
  func encode(_ value: UInt) { put(whole(value)) }
  func encode(_ value: UInt8) { put(whole(value)) }
  func encode(_ value: UInt16) { put(whole(value)) }
  func encode(_ value: UInt32) { put(whole(value)) }
  func encode(_ value: UInt64) { put(whole(value)) }
}
