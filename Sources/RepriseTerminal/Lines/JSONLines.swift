// Renders events as JSON, one event per line.

import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Renders events as JSON lines, in the format of Documentation/events.md.
struct JSONLines {
  private let encoder = JSONEncoder()

  init() {
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// Returns an event, or another value, as one line, with a line feed; nothing if it cannot be encoded.
  func line(for value: some Encodable) -> TerminalSafe {
    guard let bytes = try? encoder.encode(value) else { return "" }
    return TerminalSafe(json: String(decoding: bytes, as: UTF8.self)) + "\n"
  }
}
