// Converts values to and from JSON (RFC 8259).

extension Value {
  /// The maximum nesting of lists and maps in parsed JSON.
  package static let depthMax = 100

  /// The value as JSON on one line, with map keys in alphabetical order.
  public var json: String {
    var result = ""
    append(to: &result)
    return result
  }

  /// Returns a close lower bound for the size as JSON in bytes; stops counting above the limit.
  package func jsonBytes(atMost limit: Int) -> Int {
    var bytes = 2
    switch self {
    case .null, .boolean, .number, .digits: bytes += 2
    case .text(let text): bytes += text.utf8.count
    case .list(let values):
      for value in values where bytes <= limit {
        bytes += 1 + value.jsonBytes(atMost: limit - bytes)
      }
    case .map(let values):
      for (name, value) in values where bytes <= limit {
        bytes += name.utf8.count + 4 + value.jsonBytes(atMost: limit - bytes)
      }
    }
    return bytes
  }

  private func append(to result: inout String) {
    switch self {
    case .null: result += "null"
    case .boolean, .number, .digits: result += asText
    case .text(let text): result += Self.quoted(text)
    case .list(let values):
      result += "["
      for (position, value) in values.enumerated() {
        if position > 0 { result += "," }
        value.append(to: &result)
      }
      result += "]"
    case .map(let values):
      result += "{"
      for (position, pair) in values.sorted(by: { $0.key < $1.key }).enumerated() {
        if position > 0 { result += "," }
        result += Self.quoted(pair.key) + ":"
        pair.value.append(to: &result)
      }
      result += "}"
    }
  }

  /// The value as indented JSON, with map keys in alphabetical order.
  package var indentedJSON: String { indented("") }

  private func indented(_ margin: String) -> String {
    let inner = margin + "  "
    switch self {
    case .list(let values) where !values.isEmpty:
      let items = values.map { inner + $0.indented(inner) }
      return "[\n" + items.joined(separator: ",\n") + "\n" + margin + "]"
    case .map(let values) where !values.isEmpty:
      let items = values.sorted { $0.key < $1.key }
        .map { inner + Self.quoted($0.key) + ": " + $0.value.indented(inner) }
      return "{\n" + items.joined(separator: ",\n") + "\n" + margin + "}"
    case .null, .boolean, .number, .digits, .text, .list, .map: return json
    }
  }

  /// Returns a text as a JSON string literal.
  package static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return "\"" + escaped + "\""
  }

  /// Parses JSON.
  ///
  /// - Parameter text: The text; linear in its length.
  /// - Throws: ``JSONError`` for the first error.
  public init(json text: String) throws(JSONError) {
    var reader = JSONReader(bytes: Array(text.utf8))
    self = try reader.document()
  }
}

extension Value {
  /// Returns the members of a map in JSON as texts: numbers as they are written.
  ///
  /// - Parameter text: The text.
  /// - Returns: The texts; nil if it is not a map in JSON, has a key twice, or has a null.
  package static func texts(ofMap text: String) -> [String: String]? {
    var reader = JSONReader(bytes: Array(text.utf8))
    guard let members = try? reader.members(), !reader.repeatsKeys,
      !members.values.contains(where: { $0.value == .null })
    else { return nil }
    return members.mapValues { $0.value.asNumber == nil ? $0.value.asText : $0.text }
  }
}

/// An error in JSON text.
public struct JSONError: Error, Equatable, CustomStringConvertible {
  /// The error, as a clause.
  public let message: String
  /// The byte offset of the error, from 0.
  public let offset: Int

  /// The error and its position, as a clause.
  public var description: String { "\(message) at byte \(offset + 1)" }
}

private struct JSONReader {
  let bytes: [UInt8]
  private var position = 0
  /// Whether a map has a key twice.
  private(set) var repeatsKeys = false

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func document() throws(JSONError) -> Value {
    let value = try value(depth: 0)
    skipBlanks()
    guard position == bytes.count else { throw error("unexpected text after the value") }
    return value
  }

  /// Reads a map, and returns its values with the text of each.
  mutating func members() throws(JSONError) -> [String: (value: Value, text: String)] {
    var members: [String: (value: Value, text: String)] = [:]
    skipBlanks()
    guard byte == UInt8(ascii: "{") else { throw error("expected a map") }
    try items(closedBy: UInt8(ascii: "}")) { reader throws(JSONError) in
      let name = try reader.key()
      reader.skipBlanks()
      let start = reader.position
      let value = try reader.value(depth: 1)
      let text = String(decoding: reader.bytes[start..<reader.position], as: UTF8.self)
      if members.updateValue((value, text), forKey: name) != nil { reader.repeatsKeys = true }
    }
    skipBlanks()
    guard position == bytes.count else { throw error("unexpected text after the value") }
    return members
  }

  private func error(_ message: String) -> JSONError {
    JSONError(message: message, offset: position)
  }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func value(depth: Int) throws(JSONError) -> Value {
    guard depth <= Value.depthMax else {
      throw error("nested deeper than \(Value.depthMax) levels")
    }
    skipBlanks()
    switch byte {
    case UInt8(ascii: "{"): return try map(depth: depth)
    case UInt8(ascii: "["): return try list(depth: depth)
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"): return try number()
    case let digit? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
      return try number()
    case nil: throw error("unexpected end of text")
    default: throw error("expected a value")
    }
  }

  private mutating func word(_ word: String, _ value: Value) throws(JSONError) -> Value {
    guard bytes[position...].starts(with: word.utf8) else { throw error("expected a value") }
    position += word.utf8.count
    return value
  }

  private mutating func number() throws(JSONError) -> Value {
    let start = position
    while let byte, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    let digits = text.drop { $0 == "-" }
    let isWellFormed =
      digits.first?.isNumber == true && digits.last?.isNumber == true
      && !(digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true)
      && !digits.contains("..") && !text.contains(".e") && !text.contains(".E")
    guard isWellFormed, let number = Double(text), number.isFinite else {
      position = start
      // Do not quote the text: it could be part of a secret, which the masker would not recognize.
      throw error("invalid number")
    }
    return Value.number(text, number)
  }

  private mutating func list(depth: Int) throws(JSONError) -> Value {
    var values: [Value] = []
    try items(closedBy: UInt8(ascii: "]")) { reader throws(JSONError) in
      values.append(try reader.value(depth: depth + 1))
    }
    return .list(values)
  }

  private mutating func map(depth: Int) throws(JSONError) -> Value {
    var values: [String: Value] = [:]
    try items(closedBy: UInt8(ascii: "}")) { reader throws(JSONError) in
      let name = try reader.key()
      let value = try reader.value(depth: depth + 1)
      if values.updateValue(value, forKey: name) != nil { reader.repeatsKeys = true }
    }
    return .map(values)
  }

  /// Parses the key of a map, with the colon after it.
  private mutating func key() throws(JSONError) -> String {
    skipBlanks()
    guard byte == UInt8(ascii: "\"") else { throw error("expected a key") }
    let name = try text()
    skipBlanks()
    guard byte == UInt8(ascii: ":") else { throw error("expected a colon") }
    position += 1
    return name
  }

  /// Parses the items between brackets, separated by commas.
  private mutating func items(
    closedBy end: UInt8, _ item: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    position += 1
    skipBlanks()
    if byte == end {
      position += 1
      return
    }
    while true {
      try item(&self)
      skipBlanks()
      guard byte == UInt8(ascii: ",") else { break }
      position += 1
    }
    guard byte == end else {
      throw error("expected a comma or \(Character(Unicode.Scalar(end)))")
    }
    position += 1
  }

  private mutating func text() throws(JSONError) -> String {
    position += 1
    var result: [UInt8] = []
    while let byte {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
      case UInt8(ascii: "\\"): try result.append(contentsOf: escaped())
      case ..<0x20: throw error("unescaped control character in a string")
      default: result.append(byte)
      }
    }
    throw error("unterminated string")
  }

  private mutating func escaped() throws(JSONError) -> [UInt8] {
    let letter = byte ?? 0
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
    default: throw error("invalid escape")
    }
  }

  /// Parses the code of a `\u` escape; characters from U+10000 take two escapes.
  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard (0xD800..<0xDC00).contains(unit), bytes[position...].starts(with: "\\u".utf8) else {
      throw error("unpaired surrogate")
    }
    position += 2
    let low = try codeUnit()
    guard (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
    else { throw error("unpaired surrogate") }
    return scalar
  }

  private mutating func codeUnit() throws(JSONError) -> UInt32 {
    let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
    guard digits.utf8.count == 4, !digits.hasPrefix("+"), let unit = UInt32(digits, radix: 16)
    else { throw error("expected four hexadecimal digits") }
    position += 4
    return unit
  }
}

extension Value: Codable {
  /// Decodes a value of any kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let boolean = try? container.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let whole = try? container.decode(Int64.self) {
      self = Value.number(String(whole), Double(whole))
    } else if let whole = try? container.decode(UInt64.self) {
      self = Value.number(String(whole), Double(whole))
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let values = try? container.decode([Value].self) {
      self = .list(values)
    } else {
      self = .map(try container.decode([String: Value].self))
    }
  }

  /// Encodes the value; whole numbers are encoded as integers, and those of more than 64 bits as text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let boolean): try container.encode(boolean)
    case .number(let number):
      if let whole = Int(exactly: number) {
        try container.encode(whole)
      } else {
        try container.encode(number)
      }
    case .digits(let digits):
      if let whole = Int64(digits) {
        try container.encode(whole)
      } else if let whole = UInt64(digits) {
        try container.encode(whole)
      } else {
        try container.encode(digits)
      }
    case .text(let text): try container.encode(text)
    case .list(let values): try container.encode(values)
    case .map(let values): try container.encode(values)
    }
  }
}
