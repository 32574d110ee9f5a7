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

  /// Returns an event as one line, with a line feed.
  func line(for event: Event) -> TerminalSafe {
    do {
      return TerminalSafe(json: String(decoding: try encoder.encode(event), as: UTF8.self)) + "\n"
    } catch {
      preconditionFailure("BUG: an event cannot be encoded: \(error)")
    }
  }
}
