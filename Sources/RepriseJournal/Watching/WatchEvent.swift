// An event of a watch, and its stored form.

package import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event that starts or restarts a run of a watched workflow.
package struct WatchEvent: Sendable, Equatable {
  /// The trigger.
  package var trigger: Trigger
  /// The parameter values for the run, in addition to those of the watch, by name.
  package var parameters: [String: String]
  /// The numbers of its records; several if events were folded into one.
  package internal(set) var numbers: [Int64]
  /// Whether the event was read from the journal, which lacks its secrets, so no run can handle it.
  package internal(set) var lacksSecrets = false

  /// Creates an event that has not been recorded.
  package init(_ trigger: Trigger, parameters: [String: String] = [:]) {
    self.trigger = trigger
    self.parameters = parameters
    numbers = []
  }

  /// Folds a later event into this one.
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
    /// Nil if nothing was hidden.
    var lacksSecrets: Bool?
  }

  /// Returns the stored form of the event, without secrets.
  func json(hiding secrets: Secrets) -> String {
    let hidden = trigger.hiding(secrets)
    var stored = Stored(
      trigger: hidden.json, parameters: parameters.mapValues(secrets.hidden))
    if hidden != trigger || stored.parameters != parameters { stored.lacksSecrets = true }
    guard let data = try? JSONEncoder().encode(stored)
    else { preconditionFailure("BUG: an event cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }

  /// Decodes the stored form; nil if it is invalid.
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
