// An event as a row of the journal, and back. What happens a thousand times a run needs columns alone;
// what is rare keeps its JSON. Knows nothing of the database's connection.

import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One event as the journal holds it.
struct EventRow: Equatable {
  var time: Int64
  var generation: Int
  var kind: String
  var step: String?
  var attempt: Int?
  /// The event in the shape of Documentation/events.md, unless the columns say it all.
  var json: String?

  /// What happens a thousand times a run: the columns say it all.
  private static let plain: [Event.StepEvent] = [.ready, .approved, .started, .succeeded([:])]

  /// The row of an event.
  init(_ event: Event) throws {
    time = event.time.microseconds
    generation = event.generation
    kind = event.kind.name
    if case .step(let id, let attempt, let stepEvent) = event.kind {
      step = id
      self.attempt = attempt
      if Self.plain.contains(stepEvent) { return }
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

  /// The event of a row.
  ///
  /// - Parameter run: The run that it belongs to.
  /// - Returns: The event.
  /// - Throws: ``JournalError`` when the row makes no sense.
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
      throw JournalError("an event \"\(kind)\" cannot be read: it lacks what it needs")
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
