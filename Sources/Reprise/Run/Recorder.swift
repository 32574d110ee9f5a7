// `Recorder`, which makes the events of a run durable, and the batching of events for it.

import Synchronization

/// Makes the events of a run durable.
///
/// The engine waits for it in three places only: before the first step of a generation starts;
/// before any step starts, for the successes of the steps that it needs; and before a run ends.
/// Other events are recorded in batches, a few milliseconds later.
public protocol Recorder: Sendable {
  /// Makes events durable.
  ///
  /// Receives the next events of one run in order, without output. Calls are serialized and may
  /// block their thread. All events must be durable on return. If it throws, the run is abandoned
  /// and the recorder is not called again.
  ///
  /// - Parameter events: The events since the last call, at least one.
  /// - Throws: Any error; its description becomes the reason of ``RunOutcome/abandoned(_:)``.
  func record(_ events: [Event]) throws

  /// Records a piece of output.
  ///
  /// Calls are serialized and may block their thread: steps that write output are then suspended,
  /// so that memory use stays bounded. The output need not be durable until the success of its
  /// step is recorded.
  ///
  /// - Parameter output: An output event of a step: whole lines, or a line that has not ended.
  /// - Throws: Any error; the run is then abandoned and the recorder is not called again.
  func keep(_ output: Event) throws

  /// Takes note of another version of the workflow, with which a restart begins the next generation.
  ///
  /// Called before the events of the restart. A recorder that stores the workflow stores this one together
  /// with the start of that generation. The default does nothing.
  ///
  /// - Parameters:
  ///   - workflow: The workflow of the next generation.
  ///   - secrets: Its secrets, which must not be stored.
  /// - Throws: Any error; the restart is refused then.
  func workflowWillChange(to workflow: Workflow, hiding secrets: Secrets) throws
}

extension Recorder {
  /// Does nothing.
  public func workflowWillChange(to workflow: Workflow, hiding secrets: Secrets) throws {}
}

/// Passes the output of a run to its recorder, from the first line on.
final class OutputRecorder: EventListener {
  private let recorder: any Recorder
  private let onFailure: @Sendable (String) -> Void
  private let hasFailed = Mutex(false)

  init(recorder: any Recorder, onFailure: @escaping @Sendable (String) -> Void) {
    self.recorder = recorder
    self.onFailure = onFailure
  }

  func receive(_ event: Event) {
    guard event.isOutput, !hasFailed.withLock({ $0 }) else { return }
    do {
      try recorder.keep(event)
    } catch {
      hasFailed.withLock { $0 = true }
      onFailure(String(describing: error))
    }
  }

  func finish() {}
}

/// When to record the next batch.
enum RecordTime {
  case now
  /// After a short delay, so that events that follow share the batch.
  case soon
}

/// The recorder of a ledger, with the queue on which it is called.
struct Recording: Sendable {
  let recorder: any Recorder
  let onFailure: @Sendable (String) -> Void
  private let queue: any WorkQueue

  init(
    recorder: any Recorder, runtime: Runtime, onFailure: @escaping @Sendable (String) -> Void
  ) {
    self.recorder = recorder
    self.onFailure = onFailure
    queue = runtime.makeQueue("reprise.recorder")
  }

  func schedule(_ time: RecordTime, _ work: @escaping @Sendable () -> Void) {
    switch time {
    case .now: queue.enqueue(work)
    case .soon: queue.enqueue(after: .milliseconds(5), work)
    }
  }

  /// Returns whether the recorder has taken note of the workflow of the next generation.
  func takesNote(of workflow: Workflow, hiding secrets: Secrets) async -> Bool {
    await queue.result { [recorder] in
      (try? recorder.workflowWillChange(to: workflow, hiding: secrets)) != nil
    }
  }
}

/// The events that are not recorded yet, and the tasks that wait for them.
///
/// A pure value: the ledger does the recording and reports the result.
struct RecordQueue {
  enum Answer {
    case durable
    case failed(String)
    case wait
  }

  typealias Waiter = CheckedContinuation<String?, Never>

  private var unrecorded: [Event] = []
  /// The number of events appended so far, which is also the number of the last event.
  private(set) var appendedCount = 0
  private var recordedCount = 0
  private var waiters: [(upTo: Int, waiter: Waiter)] = []
  private var problem: String?
  private var isRecording = false
  private var isScheduled = false

  /// Adds an event.
  mutating func append(_ event: Event) {
    appendedCount += 1
    guard problem == nil else { return }
    unrecorded.append(event)
  }

  /// Returns when to schedule the next batch; nil if none is needed, scheduled, or in progress.
  mutating func nextTime() -> RecordTime? {
    guard !unrecorded.isEmpty, !isRecording, !isScheduled else { return nil }
    isScheduled = true
    return .soon
  }

  /// Adds a waiter for all events up to a number; nil for all events so far.
  ///
  /// - Returns: The answer if it is already known, and whether the caller must start recording.
  mutating func wait(upTo number: Int?, _ waiter: Waiter) -> (Answer, mustStart: Bool) {
    if let problem { return (.failed(problem), false) }
    let number = number ?? appendedCount
    guard recordedCount < number else { return (.durable, false) }
    // Keep the waiters sorted by number. This delays none of them, because all pending events are
    // recorded in one batch.
    waiters.append((max(number, waiters.last?.upTo ?? 0), waiter))
    return (.wait, !isRecording)
  }

  /// Takes the next batch; nil if there is nothing to record or a batch is in progress.
  mutating func takeBatch() -> [Event]? {
    isScheduled = false
    guard !unrecorded.isEmpty, !isRecording, problem == nil else { return nil }
    isRecording = true
    defer { unrecorded = [] }
    return unrecorded
  }

  /// Records the result of the last batch.
  ///
  /// - Returns: The waiters to resume.
  mutating func finishBatch(of count: Int, problem: String?) -> [Waiter] {
    isRecording = false
    recordedCount += count
    self.problem = problem
    if problem != nil { unrecorded = [] }
    // The waiters are sorted by number.
    let readyCount =
      problem == nil
      ? waiters.firstIndex { $0.upTo > recordedCount } ?? waiters.count : waiters.count
    defer { waiters.removeFirst(readyCount) }
    return waiters.prefix(readyCount).map(\.waiter)
  }
}
