// Encodes events as rows of the journal, and decodes them. Frequent events use only columns; others
// also store JSON.

import Reprise
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event as a row of the journal.
struct EventRow: Equatable {
  var time: Int64
  var generation: Int
  var kind: String
  var step: String?
  var attempt: Int?
  /// The event in the format of Documentation/events.md; nil if the columns are sufficient.
  var json: String?

  /// The frequent events, which need no JSON.
  private static let plain: [Event.StepEvent] = [
    .waiting, .approved([:]), .started(), .succeeded([:]),
  ]

  /// Encodes an event.
  init(_ event: Event) throws {
    time = event.time.microseconds
    generation = event.generation
    kind = event.kind.name
    if case .step(let id, let attempt, let stepEvent) = event.kind {
      step = id
      self.attempt = attempt
      if event.by == nil, Self.plain.contains(stepEvent) { return }
    }
    json = try Self.json(of: event)
  }

  init(
    time: Int64, generation: Int, kind: String, step: String?, attempt: Int?, json: String?
  ) {
    self.time = time
    self.generation = generation
    self.kind = kind
    self.step = step
    self.attempt = attempt
    self.json = json
  }

  /// The columns of an event.
  static let columns = "time, generation, kind, step, attempt, json"

  /// Reads a row with these columns.
  ///
  /// - Throws: ``JournalError`` if the row is invalid.
  init(_ row: Row, of run: RunID) throws(JournalError) {
    guard let time = row["time"].integer,
      let generation = row["generation"].integer.map(Int.init),
      let kind = row["kind"].text
    else { throw JournalError("an event of run \(run) cannot be read") }
    self.init(
      time: time, generation: generation, kind: kind, step: row["step"].text,
      attempt: row["attempt"].integer.map(Int.init), json: row["json"].text)
  }

  /// Decodes the event.
  ///
  /// - Parameter run: The id of the run.
  /// - Returns: The event.
  /// - Throws: ``JournalError`` if the row is invalid.
  func event(of run: RunID) throws(JournalError) -> Event {
    if let json {
      do {
        return try JSONDecoder().decode(Event.self, from: Data(json.utf8))
      } catch {
        throw JournalError("an event \"\(kind)\" cannot be read: \(error)")
      }
    }
    guard let step, let attempt, let stepEvent = Self.plain.first(where: { $0.name == kind })
    else {
      throw JournalError("an event \"\(kind)\" cannot be read: a value is missing")
    }
    return Event(
      time: Timestamp(microseconds: time), run: run, generation: generation,
      kind: .step(step, attempt: attempt, stepEvent))
  }

  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  private static func json(of event: Event) throws -> String {
    String(decoding: try encoder.encode(event), as: UTF8.self)
  }
}
