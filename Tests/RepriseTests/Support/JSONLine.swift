// Events to JSON and back.

import Foundation
import Reprise

enum JSONLine {
  /// What is left of events after a trip through JSON.
  static func decoded(_ events: [Event]) throws -> [Event] {
    try events.map { try JSONDecoder().decode(Event.self, from: JSONEncoder().encode($0)) }
  }

  /// One event as text with sorted keys.
  static func text(_ event: Event) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(event), as: UTF8.self)
  }
}
