// The name of a run. Knows nothing of where runs are kept.

/// Identifies one run of a workflow, across restarts and terminals.
///
/// Made of letters and digits only, so that it can be a file name, an argument and an environment
/// value without quoting.
public struct RunID: Hashable, Sendable, CustomStringConvertible {
  /// The text for people.
  public let description: String

  /// Makes an id from its text, or nil where the text could not be one.
  ///
  /// An id becomes part of paths, so nothing but `[A-Za-z0-9][A-Za-z0-9_-]{0,63}` is accepted.
  ///
  /// - Parameter text: What a user typed or a file held.
  public init?(_ text: String) {
    guard Self.isValid(text) else { return nil }
    description = text
  }

  /// Makes a new id from 50 random bits: ten characters of Crockford's base 32.
  ///
  /// - Parameter generator: Where the bits come from; tests pass a seeded one.
  public init(using generator: inout some RandomNumberGenerator) {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    description = String((0..<10).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
  }

  /// Makes a new random id.
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
  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = RunID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not the id of a run")
    }
    self = id
  }

  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
