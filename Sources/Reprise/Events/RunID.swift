// `RunID`: the id of a run.

/// The id of one run of a workflow; restarts keep it.
///
/// Contains only characters that need no quoting in file names, arguments and environment
/// variables.
public struct RunID: Hashable, Sendable, CustomStringConvertible {
  /// The id as text.
  public let description: String

  /// Creates an id from text; nil if the text is not a valid id.
  ///
  /// Ids become parts of paths, so only `[A-Za-z0-9][A-Za-z0-9_-]{0,63}` is valid.
  ///
  /// - Parameter text: Text from user input or a file.
  public init?(_ text: String) {
    guard Self.isValid(text) else { return nil }
    description = text
  }

  /// Creates a new id from 50 random bits: ten characters of Crockford's base 32.
  ///
  /// - Parameter generator: The source of randomness; tests pass a seeded one.
  public init(using generator: inout some RandomNumberGenerator) {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    description = String((0..<10).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
  }

  /// Creates a new random id.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  private static func isValid(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
    return isAlphanumeric(first)
      && text.utf8.allSatisfy {
        isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      false
    }
  }
}

extension RunID: Codable {
  /// Decodes an id from a string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = RunID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a valid run id")
    }
    self = id
  }

  /// Encodes the id as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
