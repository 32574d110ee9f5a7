// The inbox of a watch: records each event, then publishes it.

import CombineOperators
import Dispatch
import Reprise
import RepriseJournal
import Synchronization

/// Records events in order of arrival, and publishes them once they are on disk.
///
/// Events that arrive during a write are written together in the next transaction. Thread-safe.
final class WatchInbox: Sendable {
  /// The result of an enqueued event.
  enum Answer: Sendable, Equatable {
    /// The recorded events, which are on disk; empty if there was nothing to record.
    case accepted([WatchEvent])
    /// Nothing was recorded, for the given reason.
    case refused(String)
  }

  /// What became of a recorded event.
  enum End: Sendable, Equatable {
    /// A run handles it.
    case handled(by: RunID)
    /// No run handles it.
    case dropped
    /// The watch has ended; the next watch handles the event.
    case left
  }

  private struct Entry: Sendable {
    /// Records the entry, and returns the recorded events.
    let record: @Sendable (WatchTransaction) throws(JournalError) -> [WatchEvent]
    let answer: @Sendable (Answer) -> Void
    /// Called with what became of the first recorded event.
    var onEnd: (@Sendable (End) -> Void)?
  }

  private struct State: Sendable {
    /// The descriptions of queued events, by number.
    var waiting: [Int64: String] = [:]
    /// Who wants to know the ends of events, by the number of the event.
    var listeners: [Int64: @Sendable (End) -> Void] = [:]
    var counts: WatchCounts
    var last: String?
    var isClosed = false
    var hasEndedWaits = false

    /// Removes a recorded event from the queue, and returns who wants to know its end.
    mutating func take(_ event: WatchEvent) -> [@Sendable (End) -> Void] {
      event.numbers.compactMap { number in
        waiting[number] = nil
        return listeners.removeValue(forKey: number)
      }
    }

    /// Returns the descriptions of the first queued events, without sorting all of them.
    func firstWaiting(_ count: Int) -> [String] {
      var first: [Int64] = []
      for number in waiting.keys where first.count < count || number < (first.last ?? .max) {
        let place = first.firstIndex { $0 > number } ?? first.count
        first.insert(number, at: place)
        if first.count > count { first.removeLast() }
      }
      return first.compactMap { waiting[$0] }
    }

    mutating func wait(for events: [WatchEvent], _ words: (Trigger) -> String) {
      for event in events {
        for number in event.numbers { waiting[number] = words(event.trigger) }
      }
    }
  }

  private let watch: RecordedWatch
  private let secrets: Secrets
  /// Publishes the events once they are on disk.
  ///
  /// The subject is not declared `Sendable`, but it is thread-safe; values are sent on one queue.
  private let subject = UncheckedSendable(PassthroughSubject<WatchEvent, Never>())
  private let state: Mutex<State>
  private let entries = Mutex<[Entry]>([])
  // A queue rather than a task, since writing blocks.
  private let queue = DispatchQueue(label: "reprise.watch.inbox")
  private let onChange: @Sendable () -> Void
  private let onFailure: @Sendable (JournalError) -> Void

  /// Creates an inbox.
  ///
  /// - Parameters:
  ///   - watch: The recorder of events.
  ///   - secrets: The secrets, which are hidden in descriptions.
  ///   - onChange: Called when the status has changed.
  ///   - onFailure: Called when events cannot be recorded.
  /// - Throws: ``JournalError``.
  init(
    _ watch: RecordedWatch, hiding secrets: Secrets, onChange: @escaping @Sendable () -> Void,
    onFailure: @escaping @Sendable (JournalError) -> Void
  ) throws(JournalError) {
    self.watch = watch
    self.secrets = secrets
    self.onChange = onChange
    self.onFailure = onFailure
    state = Mutex(State(counts: try watch.counts()))
  }

  /// Publishes events once they are on disk, in the order in which they were enqueued.
  var events: AnyPublisher<WatchEvent, Never> { subject.value.eraseToAnyPublisher() }

  /// Publishes the events that were queued when an earlier watch ended.
  func sendWaiting(_ events: [WatchEvent]) {
    state.withLock { $0.wait(for: events, words) }
    queue.async { [self] in
      for event in events { subject.value.send(event) }
    }
  }

  /// Enqueues an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - answer: Called with the result on the queue of the inbox.
  ///   - onEnd: Called on any thread, once a recorded event has been handled or dropped.
  func put(
    _ event: WatchEvent, answer: @escaping @Sendable (Answer) -> Void = { _ in },
    onEnd: (@Sendable (End) -> Void)? = nil
  ) {
    guard !state.withLock({ $0.isClosed }) else { return answer(.refused(Self.isClosing)) }
    enqueue(
      Entry(
        record: { transaction throws(JournalError) in try transaction.accept([event]) },
        answer: answer, onEnd: onEnd))
  }

  private static let isClosing = "the watch is shutting down"

  /// Enqueues a closure that records events.
  ///
  /// - Parameters:
  ///   - answer: Called with the result on the queue of the inbox.
  ///   - record: Records events and related changes; called on the queue of the inbox.
  func put(
    answer: @escaping @Sendable (Answer) -> Void = { _ in },
    recording record: @escaping @Sendable (WatchTransaction) throws(JournalError) -> [WatchEvent]
  ) {
    guard !state.withLock({ $0.isClosed }) else {
      return answer(.refused(Self.isClosing))
    }
    enqueue(Entry(record: record, answer: answer))
  }

  private func enqueue(_ entry: Entry) {
    let isFirst = entries.withLock { entries in
      entries.append(entry)
      return entries.count == 1
    }
    if isFirst { queue.async { self.write() } }
  }

  /// Completes the publisher of events.
  func close() {
    queue.async { [self] in
      let isOpen = state.withLock { state in
        defer { state.isClosed = true }
        return !state.isClosed
      }
      if isOpen { subject.value.send(completion: .finished) }
    }
  }

  private func write() {
    let batch = entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
    let recorded: [[WatchEvent]]
    do throws(JournalError) {
      recorded = try watch.together { transaction throws(JournalError) in
        var recorded: [[WatchEvent]] = []
        for entry in batch { recorded.append(try entry.record(transaction)) }
        return recorded
      }
    } catch {
      for entry in batch { entry.answer(.refused("\(error)")) }
      return onFailure(error)
    }
    let events = recorded.flatMap(\.self)
    let left = state.withLock { state in
      for event in events {
        state.counts.accepted += event.trigger.count
        state.counts.folded += event.trigger.count - 1
      }
      state.wait(for: events, words)
      state.last = events.last.map { words($0.trigger) } ?? state.last
      return zip(batch, recorded).compactMap { entry, events -> (@Sendable (End) -> Void)? in
        guard let onEnd = entry.onEnd, let number = events.first?.numbers.first else { return nil }
        if state.hasEndedWaits { return onEnd }
        state.listeners[number] = onEnd
        return nil
      }
    }
    onChange()
    // Answer before publishing, so that callers know as early as possible.
    for (entry, events) in zip(batch, recorded) { entry.answer(.accepted(events)) }
    for onEnd in left { onEnd(.left) }
    for event in events { subject.value.send(event) }
  }

  /// Describes what has happened, without secrets.
  func words(_ trigger: Trigger) -> String { trigger.hiding(secrets).words }

  /// The number of queued events.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Enqueues an event, and waits until a run handles it or it is dropped.
  func putAndWait(_ event: WatchEvent) async {
    await withCheckedContinuation { continuation in
      put(
        event,
        answer: { answer in
          if case .refused = answer { continuation.resume() }
        },
        onEnd: { _ in continuation.resume() })
    }
  }

  /// Ends the waits for the ends of events; the next watch handles queued events.
  func endWaits() {
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      state.hasEndedWaits = true
      return state.listeners.values.map(\.self)
    }
    for onEnd in listeners { onEnd(.left) }
  }

  // MARK: Results of events

  /// Records that an event was dropped.
  func dropped(_ event: WatchEvent) {
    end(event, as: .dropped) { $0.dropped += 1 }
    // Record the drop in the next batch, so that this call does not wait for the disk.
    enqueue(
      Entry(
        record: { transaction throws(JournalError) in
          try transaction.drop(event)
          return []
        }, answer: { _ in }))
  }

  /// Waits until all entries enqueued so far are on disk.
  func flush() async {
    await withCheckedContinuation { continuation in
      enqueue(
        Entry(record: { _ throws(JournalError) in [] }, answer: { _ in continuation.resume() }))
    }
  }

  /// Counts an event that a run handles.
  func handled(_ event: WatchEvent, by run: RunID, byRestart isRestart: Bool) {
    end(event, as: .handled(by: run)) { counts in
      if isRestart { counts.restarts += 1 } else { counts.runs += 1 }
    }
  }

  private func end(
    _ event: WatchEvent, as end: End, counting count: (inout WatchCounts) -> Void
  ) {
    let listeners = state.withLock { state in
      state.counts.folded += max(0, event.numbers.count - 1)
      count(&state.counts)
      return state.take(event)
    }
    for onEnd in listeners { onEnd(end) }
    onChange()
  }

  /// Sets the queue and the counts in a status.
  func describe(in status: inout WatchStatus) {
    state.withLock { state in
      status.waiting = state.waiting.count
      status.waitingFor = state.firstWaiting(3)
      status.last = state.last
      status.counts = state.counts
    }
  }
}
