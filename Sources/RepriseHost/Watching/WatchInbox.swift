// Where the events of a watch arrive: each is recorded, then sent on. Knows neither where events come from
// nor what is done with them.

import CombineOperators
import Dispatch
import Reprise
import RepriseJournal
import Synchronization

/// Records events in the order in which they come and sends them on when they are on the disk.
///
/// Events that come while others are being written are written together, so that the disk decides how many
/// go in one transaction. All members may be called from any thread.
final class WatchInbox: Sendable {
  /// What becomes of an event that was handed in.
  enum Answer: Sendable, Equatable {
    /// It is on the disk, as this event; none where nothing was to be started.
    case accepted([WatchEvent])
    /// Nothing of it is kept, for this reason.
    case refused(String)
  }

  private struct Entry: Sendable {
    /// Writes it; gives the events as they are recorded.
    let record: @Sendable (WatchTransaction) throws(JournalError) -> [WatchEvent]
    let answer: @Sendable (Answer) -> Void
  }

  private struct State: Sendable {
    /// What waits, in words, by its number.
    var waiting: [Int64: String] = [:]
    var taking: [Int64: CheckedContinuation<Void, Never>] = [:]
    var counts: WatchCounts
    var last: String?
    var isClosed = false
    var hasEndedWaits = false

    /// The first of what waits, in words; not sorted, since much may wait.
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
  /// Sends the events once they are on the disk.
  ///
  /// Not Sendable as declared, though any thread may use it: values are sent from one queue.
  private let subject = UncheckedSendable(PassthroughSubject<WatchEvent, Never>())
  private let state: Mutex<State>
  private let entries = Mutex<[Entry]>([])
  // Not a task: the disk may hold it up.
  private let queue = DispatchQueue(label: "reprise.watch.inbox")
  private let onChange: @Sendable () -> Void
  private let onFailure: @Sendable (JournalError) -> Void

  /// Opens the inbox.
  ///
  /// - Parameters:
  ///   - watch: Where events are recorded.
  ///   - secrets: What no event is shown with.
  ///   - onChange: Told when something of ``status`` has changed.
  ///   - onFailure: Told when events cannot be recorded any more.
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

  /// The events, once they are on the disk, in the order in which they were handed in.
  var events: AnyPublisher<WatchEvent, Never> { subject.value.eraseToAnyPublisher() }

  /// Sends on the events that waited when an earlier watch ended.
  func sendWaiting(_ events: [WatchEvent]) {
    state.withLock { $0.wait(for: events, words) }
    queue.async { [self] in
      for event in events { subject.value.send(event) }
    }
  }

  /// Hands in an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - answer: Called, from the inbox's queue, when it is known what becomes of it.
  func put(_ event: WatchEvent, answer: @escaping @Sendable (Answer) -> Void = { _ in }) {
    put(answer: answer) { transaction throws(JournalError) in try transaction.accept([event]) }
  }

  /// Hands in what a closure records.
  ///
  /// - Parameters:
  ///   - answer: Called, from the inbox's queue, when it is on the disk.
  ///   - record: Records events, and what belongs to them; called on the inbox's queue.
  func put(
    answer: @escaping @Sendable (Answer) -> Void = { _ in },
    recording record: @escaping @Sendable (WatchTransaction) throws(JournalError) -> [WatchEvent]
  ) {
    guard !state.withLock({ $0.isClosed }) else { return answer(.refused("the watch is ending")) }
    enqueue(Entry(record: record, answer: answer))
  }

  private func enqueue(_ entry: Entry) {
    let isFirst = entries.withLock { entries in
      entries.append(entry)
      return entries.count == 1
    }
    if isFirst { queue.async { self.write() } }
  }

  /// Sends nothing on any more; completes the events.
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
    // Before they are sent on, so that whoever asked knows as early as it is true.
    for (entry, events) in zip(batch, recorded) { entry.answer(.accepted(events)) }
    for event in events { subject.value.send(event) }
  }

  private func words(_ trigger: Trigger) -> String { trigger.hiding(secrets).words }

  /// How many events wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Hands in an event, and waits until it has been dropped or is being handled.
  func putAndWait(_ event: WatchEvent) async {
    let answer = await withCheckedContinuation { continuation in
      put(event) { continuation.resume(returning: $0) }
    }
    guard case .accepted(let events) = answer, let number = events.first?.numbers.first else {
      return
    }
    await state.wait(
      until: { $0.waiting[number] == nil || $0.hasEndedWaits },
      among: { $0.taking[number] = $1 })
  }

  /// Ends the waits of ``putAndWait(_:)``: what waits is for the next watch.
  func endWaits() {
    let waits = state.withLock { state in
      defer { state.taking = [:] }
      state.hasEndedWaits = true
      return state.taking.values.map(\.self)
    }
    for wait in waits { wait.resume() }
  }

  // MARK: What becomes of them

  /// Notes that an event was dropped.
  func dropped(_ event: WatchEvent) {
    take(event) { $0.dropped += 1 }
    // In turn and together with what is accepted, so that the disk is never waited for here.
    enqueue(
      Entry(
        record: { transaction throws(JournalError) in
          try transaction.drop(event)
          return []
        }, answer: { _ in }))
  }

  /// Waits until everything that was handed in is on the disk.
  func flush() async {
    await withCheckedContinuation { continuation in
      enqueue(
        Entry(record: { _ throws(JournalError) in [] }, answer: { _ in continuation.resume() }))
    }
  }

  /// Notes that a run handles an event.
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
        return state.taking.removeValue(forKey: number)
      }
    }
    for continuation in taken { continuation.resume() }
    onChange()
  }

  /// Puts what is known here into a status.
  func describe(in status: inout WatchStatus) {
    state.withLock { state in
      status.waiting = state.waiting.count
      status.waitingFor = state.firstWaiting(3)
      status.last = state.last
      status.counts = state.counts
    }
  }
}
