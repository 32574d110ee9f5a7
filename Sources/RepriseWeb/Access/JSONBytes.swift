// The one way in which this target writes JSON.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes a value as JSON.
func jsonBytes(_ value: some Encodable) -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  do {
    return Array(try encoder.encode(value))
  } catch {
    preconditionFailure("BUG: \(type(of: value)) cannot be encoded: \(error)")
  }
}
