// `AttemptToken`: the name by which an attempt is found again, wherever it runs.

/// The name of one attempt, chosen by the engine and recorded before the attempt is begun.
///
/// It names a folder, a container or a job. Its random part keeps it unique even where a scheduler
/// uses its own numbers again.
public struct AttemptToken: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The text: letters, digits, `.`, `_` and `-`, at most 120 characters.
  public let text: String

  /// Creates a token from its text.
  ///
  /// - Parameter text: The text of a token; the result is nil if it is none.
  public init?(_ text: String) {
    guard (1...120).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "."),
      text.utf8.first != UInt8(ascii: "-"), text.utf8.allSatisfy(Self.isPlain)
    else { return nil }
    self.text = text
  }

  /// The run of the attempt; nil if the text does not begin with one.
  package var run: RunID? { text.split(separator: ".").first.flatMap { RunID(String($0)) } }

  /// What attempts of one step of a run have in common, besides the run.
  package var step: String {
    text.split(separator: ".").dropFirst().dropLast(3).joined(separator: ".")
  }

  /// Creates the token of an attempt.
  package init(
    run: RunID, step: String, generation: Int, attempt: Int,
    random: UInt64 = .random(in: .min ... .max)
  ) {
    // Ids of expanded steps contain other characters; the random part tells them apart.
    let plain = step.utf8.prefix(40).map { Self.isPlain($0) ? $0 : UInt8(ascii: "-") }
    let id = String(decoding: plain, as: UTF8.self)
    text = "\(run).\(id).\(generation).\(attempt).\(String(random, radix: 36))"
  }

  /// Decodes a token.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let token = AttemptToken(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\"\(text)\" is no token"))
    }
    self = token
  }

  /// Encodes the token as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// The text.
  public var description: String { text }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
