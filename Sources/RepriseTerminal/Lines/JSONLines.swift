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

  /// Returns an event as one line, with a line feed; nothing if it cannot be encoded.
  func line(for event: Event) -> TerminalSafe {
    guard let bytes = try? encoder.encode(event) else { return "" }
    return TerminalSafe(json: String(decoding: bytes, as: UTF8.self)) + "\n"
  }
}
