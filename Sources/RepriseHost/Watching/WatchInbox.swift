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

  private struct Entry: Sendable {
    /// Records the entry, and returns the recorded events.
    let record: @Sendable (WatchTransaction) throws(JournalError) -> [WatchEvent]
    let answer: @Sendable (Answer) -> Void
  }

  private struct State: Sendable {
    /// The descriptions of queued events, by number.
    var waiting: [Int64: String] = [:]
    /// The callers of `putAndWait`, by the number of their event.
    var waiters: [Int64: CheckedContinuation<Void, Never>] = [:]
    var counts: WatchCounts
    var last: String?
    var isClosed = false
    var hasEndedWaits = false

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
  func put(_ event: WatchEvent, answer: @escaping @Sendable (Answer) -> Void = { _ in }) {
    put(answer: answer) { transaction throws(JournalError) in try transaction.accept([event]) }
  }

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
      return answer(.refused("the watch is shutting down"))
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
    state.withLock { state in
      for event in events {
        state.counts.accepted += event.trigger.count
        state.counts.folded += event.trigger.count - 1
      }
      state.wait(for: events, words)
      state.last = events.last.map { words($0.trigger) } ?? state.last
    }
    onChange()
    // Answer before publishing, so that callers know as early as possible.
    for (entry, events) in zip(batch, recorded) { entry.answer(.accepted(events)) }
    for event in events { subject.value.send(event) }
  }

  private func words(_ trigger: Trigger) -> String { trigger.hiding(secrets).words }

  /// The number of queued events.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Enqueues an event, and waits until a run handles it or it is dropped.
  func putAndWait(_ event: WatchEvent) async {
    let answer = await withCheckedContinuation { continuation in
      put(event) { continuation.resume(returning: $0) }
    }
    guard case .accepted(let events) = answer, let number = events.first?.numbers.first else {
      return
    }
    await state.wait(
      until: { $0.waiting[number] == nil || $0.hasEndedWaits },
      among: { $0.waiters[number] = $1 })
  }

  /// Ends the waits in ``putAndWait(_:)``; the next watch handles queued events.
  func endWaits() {
    let waits = state.withLock { state in
      defer { state.waiters = [:] }
      state.hasEndedWaits = true
      return state.waiters.values.map(\.self)
    }
    for wait in waits { wait.resume() }
  }

  // MARK: Results of events

  /// Records that an event was dropped.
  func dropped(_ event: WatchEvent) {
    take(event) { $0.dropped += 1 }
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
  func handled(_ event: WatchEvent, byRestart isRestart: Bool) {
    take(event) { counts in
      if isRestart { counts.restarts += 1 } else { counts.runs += 1 }
    }
  }

  private func take(_ event: WatchEvent, _ count: (inout WatchCounts) -> Void) {
    let taken = state.withLock { state in
      state.counts.folded += max(0, event.numbers.count - 1)
      count(&state.counts)
      return event.numbers.compactMap { number in
        state.waiting[number] = nil
        return state.waiters.removeValue(forKey: number)
      }
    }
    for continuation in taken { continuation.resume() }
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
