// Records the attempts of in-process steps and the events of a run.

import CombineOperators
import Reprise
import Synchronization
import TestSupport

/// Records the attempts in progress and all started attempts; thread-safe.
final class Witness: Sendable {
  struct Attempt: Sendable, Equatable {
    let step: String
    let generation: Int
  }

  struct Notes: Sendable {
    var alive: [Attempt] = []
    var begun: [Attempt] = []
    /// Attempts that overlapped with another generation of the same step.
    var overlaps: [Attempt] = []
  }

  private let notes = Protected(Notes())

  var current: Notes { notes.value }

  /// Records an attempt while `body` runs.
  func watch<Result>(
    _ context: StepContext, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let attempt = Attempt(step: context.step.id, generation: context.generation)
    notes.withLock { notes in
      let clashes = notes.alive.contains {
        $0.step == attempt.step && $0.generation != attempt.generation
      }
      if clashes { notes.overlaps.append(attempt) }
      notes.alive.append(attempt)
      notes.begun.append(attempt)
    }
    defer { notes.withLock { notes in notes.alive.removeAll { $0 == attempt } } }
    return try await body()
  }
}

/// Collects the events of a run.
final class EventCollector: Sendable {
  private let listening: Task<[Event], Never>
  private let subscription: Mutex<AnyCancellable>

  /// Subscribes synchronously, because a task could start only after the run has made progress.
  init(_ run: Run) {
    let (events, continuation) = AsyncStream<Event>.makeStream()
    subscription = Mutex(
      run.events.sink(
        receiveCompletion: { _ in continuation.finish() },
        receiveValue: { continuation.yield($0) }))
    listening = Task {
      var collected: [Event] = []
      for await event in events { collected.append(event) }
      return collected
    }
  }

  /// Waits for the last event and returns all of them.
  func all() async -> [Event] { await listening.value }
}
