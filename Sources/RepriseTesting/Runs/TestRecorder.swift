// Keeps the events of a run under test: what has happened, and what survives a crash.

import Reprise
import Synchronization
import Workflows

/// The record of a run under test, which survives the crashes of its engines.
final class TestRecord: Sendable {
  private struct Content {
    /// What was recorded, without output: the journal of the run.
    var durable: [Event] = []
    /// What observers have seen.
    var seen: [Event] = []
  }

  private let content = Mutex(Content())

  var seen: [Event] { content.withLock { $0.seen } }

  func append(durable events: [Event]) {
    content.withLock { $0.durable += events }
  }

  func append(seen event: Event) {
    content.withLock { $0.seen.append(event) }
  }

  /// Forgets what was not recorded, as a crash does, and notes what was recorded but not seen.
  func crash() {
    content.withLock { content in
      var left = content.durable[...]
      content.seen = Array(
        content.seen.prefix { event in
          guard !event.isTransient else { return true }
          return left.popFirst() != nil
        })
      content.seen += left
    }
  }

  /// The state of the run by its record.
  ///
  /// - Throws: `InvalidTransition` if the events do not form a run.
  func state() throws -> RunState {
    var state = RunState()
    for event in content.withLock({ $0.durable }) { try state.apply(event) }
    return state
  }
}

/// Records for one engine.
struct TestRecorder: Recorder {
  let record: TestRecord

  func record(_ events: [Event]) { record.append(durable: events) }

  func keep(_ output: Event) {}
}

/// Notes what happens in runs, and passes it to the observer of the engine under test.
struct TestObserver: EngineObserver {
  let record: TestRecord
  let disturbance: (any Disturbance)?
  let next: (any EngineObserver)?

  func runStarted(_ run: RunID, of workflow: Workflow) -> (any RunObserver)? {
    One(
      record: record, disturbance: disturbance, next: next?.runStarted(run, of: workflow))
  }

  private struct One: RunObserver {
    let record: TestRecord
    let disturbance: (any Disturbance)?
    let next: (any RunObserver)?

    func receive(_ event: Event) {
      record.append(seen: event)
      next?.receive(event)
    }

    func observe(_ context: StepContext, _ attempt: StepAttempt) async throws -> StepOutputs {
      try await disturbance?.begin(context)
      defer { disturbance?.end(context) }
      let outputs: StepOutputs
      if let next {
        outputs = try await next.observe(context, attempt)
      } else {
        outputs = try await attempt(context)
      }
      try await disturbance?.finish(context)
      return outputs
    }
  }
}

/// What a simulation does to attempts.
protocol Disturbance: Sendable {
  /// Called before an attempt; may wait and throw.
  func begin(_ context: StepContext) async throws
  /// Called after an attempt that succeeded; may wait and throw.
  func finish(_ context: StepContext) async throws
  /// Called at the end of an attempt, however it ends, after a `begin` that returned.
  func end(_ context: StepContext)
}

/// Refuses commands: a test starts no programs unless it asks for them.
struct RefusingExecutor: Executor {
  func execute(_ context: StepContext) async throws -> StepOutputs {
    throw FailureReason.notStarted(
      "a test starts no programs: replace the command, or pass an executor")
  }
}
