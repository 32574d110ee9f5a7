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

  /// The row of an event.
  init(_ event: Event) throws {
    time = event.time.microseconds
    generation = event.generation
    switch event.kind {
    case .step(let id, let attempt, let stepEvent):
      step = id
      self.attempt = attempt
      switch stepEvent {
      case .ready: kind = "step-ready"
      case .waiting: kind = "step-waiting"
      case .approved: kind = "step-approved"
      case .started: kind = "step-started"
      case .progress: kind = "step-progress"
      case .succeeded(let outputs):
        kind = "step-succeeded"
        if !outputs.isEmpty { json = try Self.json(of: event) }
      case .retrying: kind = "step-retrying"
      case .failed: kind = "step-failed"
      case .cancelled: kind = "step-cancelled"
      case .skipped: kind = "step-skipped"
      case .output: kind = "step-output"
      }
      switch stepEvent {
      case .ready, .approved, .started, .succeeded: break
      case .waiting, .progress, .retrying, .failed, .cancelled, .skipped, .output:
        json = try Self.json(of: event)
      }
    case .runStarted: kind = "run-started"
    case .runResumed: kind = "run-resumed"
    case .runRestarting: kind = "run-restarting"
    case .generationStarted: kind = "generation-started"
    case .runCancelling: kind = "run-cancelling"
    case .runEnded: kind = "run-ended"
    }
    if step == nil { json = try Self.json(of: event) }
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
    guard let step, let attempt, let stepEvent = plainEvent else {
      throw JournalError("an event \"\(kind)\" cannot be read: it lacks what it needs")
    }
    return Event(
      time: Timestamp(microseconds: time), run: run, generation: generation,
      kind: .step(step, attempt: attempt, stepEvent))
  }

  private var plainEvent: Event.StepEvent? {
    switch kind {
    case "step-ready": .ready
    case "step-approved": .approved
    case "step-started": .started
    case "step-succeeded": .succeeded([:])
    default: nil
    }
  }

  private static func json(of event: Event) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(event), as: UTF8.self)
  }
}
