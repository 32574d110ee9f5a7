// The last event of a run as a client gets it: with the signal that made the run end, by which its command
// ends, too.

import Reprise

/// An event, and the signal that made the run end where it is the last event.
struct SignalledEvent: Codable {
  private enum CodingKeys: String, CodingKey {
    case signal
  }

  let event: Event
  /// The number of the signal; nil where none made the run end.
  let signal: Int32?

  /// Adds the signal to an event that tells of the end.
  init(_ event: Event, stopSignal: Int32?) {
    self.event = event
    if case .runEnded(.cancelled) = event.kind { signal = stopSignal } else { signal = nil }
  }

  init(from decoder: any Decoder) throws {
    event = try Event(from: decoder)
    signal = try decoder.container(keyedBy: CodingKeys.self)
      .decodeIfPresent(Int32.self, forKey: .signal)
  }

  func encode(to encoder: any Encoder) throws {
    try event.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(signal, forKey: .signal)
  }
}
