// What in-process steps write down while they run, and what a run told.

import CombineOperators
import Reprise
import Synchronization
import TestSupport

/// Notes which attempts are under way and which have been, from any thread.
final class Witness: Sendable {
  struct Attempt: Sendable, Equatable {
    let step: String
    let generation: Int
  }

  struct Notes: Sendable {
    var alive: [Attempt] = []
    var begun: [Attempt] = []
    /// Attempts that met one of another generation of the same step.
    var overlaps: [Attempt] = []
  }

  private let notes = Protected(Notes())

  var current: Notes { notes.value }

  /// Notes an attempt for as long as `body` takes.
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

  /// Subscribes at once: a task that did might get its turn only when the run has gone on.
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

  /// All events, once the last one has come.
  func all() async -> [Event] { await listening.value }
}
