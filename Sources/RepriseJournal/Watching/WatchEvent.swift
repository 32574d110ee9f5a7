// An event that waits to be handled, as the journal keeps it. Knows nothing of the database.

package import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Something that happened and is to start a run of a watched workflow.
package struct WatchEvent: Sendable, Equatable {
  /// What happened.
  package var trigger: Trigger
  /// What the run is given beside what the watch was given, by the names of the parameters.
  package var parameters: [String: String]
  /// Under which numbers it is recorded; several where events were folded into one.
  package internal(set) var numbers: [Int64]
  /// Whether it comes from the journal, which did not keep the secrets in it: no run can be given it.
  package internal(set) var lacksSecrets = false

  /// Describes an event that has not been recorded.
  package init(_ trigger: Trigger, parameters: [String: String] = [:]) {
    self.trigger = trigger
    self.parameters = parameters
    numbers = []
  }

  /// Takes in a later event, so that both become one.
  package mutating func fold(_ later: WatchEvent) {
    trigger.fold(later.trigger)
    parameters.merge(later.parameters) { $1 }
    numbers += later.numbers
    lacksSecrets = lacksSecrets || later.lacksSecrets
  }
}

extension WatchEvent {
  private struct Stored: Codable {
    let trigger: String
    let parameters: [String: String]
    /// Nil where nothing was hidden.
    var lacksSecrets: Bool?
  }

  /// What is kept of it, without the secrets in it.
  func json(hiding secrets: Secrets) -> String {
    let hidden = trigger.hiding(secrets)
    var stored = Stored(
      trigger: hidden.json, parameters: parameters.mapValues(secrets.hidden))
    if hidden != trigger || stored.parameters != parameters { stored.lacksSecrets = true }
    guard let data = try? JSONEncoder().encode(stored)
    else { preconditionFailure("BUG: an event cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }

  /// Reads what was kept; nil where it makes no sense.
  init?(json: String, number: Int64) {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json.utf8)),
      let trigger = Trigger(json: stored.trigger)
    else { return nil }
    self.trigger = trigger
    parameters = stored.parameters
    numbers = [number]
    lacksSecrets = stored.lacksSecrets ?? false
  }
}
