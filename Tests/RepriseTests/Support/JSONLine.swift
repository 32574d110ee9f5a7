// Encodes events as JSON and decodes them.

import Foundation
import Reprise

enum JSONLine {
  /// Returns the events after encoding and decoding.
  static func decoded(_ events: [Event]) throws -> [Event] {
    try events.map { try JSONDecoder().decode(Event.self, from: JSONEncoder().encode($0)) }
  }

  /// Returns an event as JSON with sorted keys.
  static func text(_ event: Event) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(event), as: UTF8.self)
  }
}
