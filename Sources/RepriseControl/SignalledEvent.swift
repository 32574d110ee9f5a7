// An event as sent to clients: the last one includes the signal that cancelled the run, which
// determines the exit status of `reprise attach`.

import Reprise

/// An event; the last one includes the signal that cancelled the run.
struct SignalledEvent: Codable {
  private enum CodingKeys: String, CodingKey {
    case signal
  }

  let event: Event
  /// The number of the signal; nil if no signal cancelled the run.
  let signal: Int32?

  /// Adds the signal to the event if it reports the end of a cancelled run.
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
