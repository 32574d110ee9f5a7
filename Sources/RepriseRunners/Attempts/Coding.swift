// JSON of the values that engines and hosts exchange.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Encodable {
  /// The value as one line of JSON.
  ///
  /// Only for values of this module, whose encoding cannot fail.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("BUG: a value of the host protocol cannot be encoded")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

extension Decodable {
  /// Decodes a value; the result is nil if the bytes are no such JSON.
  init?(json: [UInt8]) {
    guard let value = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
    self = value
  }
}
