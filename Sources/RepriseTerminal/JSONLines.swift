// Events as JSON, one a line. Knows nothing of where the lines go.

import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes JSON lines of events, in the shape of Documentation/events.md.
struct JSONLines {
  private let encoder = JSONEncoder()

  init() {
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// One event as one line, with its line feed.
  func line(for event: Event) -> TerminalSafe {
    do {
      return TerminalSafe(json: String(decoding: try encoder.encode(event), as: UTF8.self)) + "\n"
    } catch {
      preconditionFailure("BUG: an event cannot be encoded: \(error)")
    }
  }
}
