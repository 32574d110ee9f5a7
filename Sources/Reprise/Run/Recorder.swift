// Who makes a run durable, and how events wait for it: in batches, so that many share one
// transaction. Knows nothing of where they are written.

import Synchronization

/// Makes the events of a run durable.
///
/// The engine waits for it at three places only: before the first step of a generation starts; before
/// a step starts, for the successes of all that it needs; and before a run is over. What nobody waits for
/// is recorded some milliseconds after it happened, together with what has happened meanwhile.
public protocol Recorder: Sendable {
  /// Makes events durable.
  ///
  /// Called by one thread at a time, which it may block, with the next events in their order, all of
  /// one run and without output. When it returns they are durable, all of them; when it throws, the
  /// run is abandoned and it is not called again.
  ///
  /// - Parameter events: What has happened since the last call, at least one event.
  /// - Throws: Any error; its text becomes the reason of the outcome ``RunOutcome/abandoned(_:)``.
  func record(_ events: [Event]) throws

  /// Keeps a piece of output.
  ///
  /// Called by one thread at a time, which it may block: steps are then held up, so that memory stays
  /// flat. Not durable before the success of its step is, nor need it be.
  ///
  /// - Parameter output: An event of a step that tells of output, whole lines or not.
  /// - Throws: Any error: the run is abandoned, and it is not called again.
  func keep(_ output: Event) throws
}

/// Hands the output of a run to its recorder, from the very first line.
final class OutputKeeper: EventListener {
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

/// When the next batch is to be recorded.
enum RecordTime {
  case now
  /// Soon: together with what others may tell until then.
  case soon
}

/// Who records for a ledger, and on which thread.
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
}

/// The events that wait to be recorded, and who waits for that.
///
/// Pure: whoever holds it says what has been recorded.
struct RecordQueue {
  enum Answer {
    case durable
    case failed(String)
    case wait
  }

  typealias Waiter = CheckedContinuation<String?, Never>

  private var unrecorded: [Event] = []
  /// How many events have been told; the last one has this number.
  private(set) var toldCount = 0
  private var recordedCount = 0
  private var waiters: [(upTo: Int, waiter: Waiter)] = []
  private var problem: String?
  private var isRecording = false
  private var isScheduled = false

  /// Adds an event.
  mutating func append(_ event: Event) {
    toldCount += 1
    guard problem == nil else { return }
    unrecorded.append(event)
  }

  /// When a batch has to be recorded that nothing would record otherwise; nil when none has to.
  mutating func nextTime() -> RecordTime? {
    guard !unrecorded.isEmpty, !isRecording, !isScheduled else { return nil }
    isScheduled = true
    return .soon
  }

  /// Lets somebody wait for the events up to one, by its number; for all when it is nil.
  ///
  /// - Returns: What is known already, and whether recording has to be started.
  mutating func wait(upTo number: Int?, _ waiter: Waiter) -> (Answer, mustStart: Bool) {
    if let problem { return (.failed(problem), false) }
    let number = number ?? toldCount
    guard recordedCount < number else { return (.durable, false) }
    // Everything that is there is recorded at once, so nobody waits longer for being in this order.
    waiters.append((max(number, waiters.last?.upTo ?? 0), waiter))
    return (.wait, !isRecording)
  }

  /// Takes what is to be recorded next; nil when nothing is, or when somebody is at it.
  mutating func takeBatch() -> [Event]? {
    isScheduled = false
    guard !unrecorded.isEmpty, !isRecording, problem == nil else { return nil }
    isRecording = true
    defer { unrecorded = [] }
    return unrecorded
  }

  /// Notes what became of the last batch.
  ///
  /// - Returns: Those whose waiting is over.
  mutating func finishBatch(of count: Int, problem: String?) -> [Waiter] {
    isRecording = false
    recordedCount += count
    self.problem = problem
    if problem != nil { unrecorded = [] }
    // They came in the order of what they wait for.
    let readyCount =
      problem == nil
      ? waiters.firstIndex { $0.upTo > recordedCount } ?? waiters.count : waiters.count
    defer { waiters.removeFirst(readyCount) }
    return waiters.prefix(readyCount).map(\.waiter)
  }
}
