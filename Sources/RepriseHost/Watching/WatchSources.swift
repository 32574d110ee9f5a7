// Where the events of a watch come from. Each kind of trigger is a source of its own, in a file of its own.

import CombineOperators
import FileWatching
import Reprise
import RepriseJournal
import Synchronization

/// A kind of trigger that listens for its events.
protocol TriggerSource: TriggerKind {
  /// Begins to listen, and hands events to the inbox of the sources from now on.
  ///
  /// - Parameter sources: The sources of the watch, which keep what listens.
  /// - Throws: What cannot be listened to.
  func start(in sources: WatchSources) async throws
}

/// What starts runs of one workflow.
final class WatchSources: Sendable {
  private struct State {
    var tasks: [Task<Void, Never>] = []
    var folders: [FolderWatch] = []
    var listening: [AnyCancellable] = []
    var next: [String: Timestamp] = [:]
  }

  /// The workflow, with triggers.
  let workflow: Workflow
  /// Its triggers.
  let triggers: Triggers
  /// Where events go.
  let inbox: WatchInbox
  /// The record of the watch.
  let watch: RecordedWatch
  /// Where the successes of other workflows are found.
  let journal: Journal
  /// The descriptor of standard input.
  let input: Int32
  /// Called with what people have to know, and when ``next`` has changed.
  let report: @Sendable (WatchReport) -> Void
  let clock = SystemClock()
  private let state = Locked(State())

  init(
    of workflow: Workflow, _ triggers: Triggers, inbox: WatchInbox, watch: RecordedWatch,
    journal: Journal, input: Int32, report: @escaping @Sendable (WatchReport) -> Void
  ) {
    self.workflow = workflow
    self.triggers = triggers
    self.inbox = inbox
    self.watch = watch
    self.journal = journal
    self.input = input
    self.report = report
  }

  /// Begins to listen.
  ///
  /// - Throws: What cannot be listened to.
  func start() async throws {
    for trigger in triggers.sources {
      guard let source = trigger as? any TriggerSource else {
        preconditionFailure("BUG: nothing listens for \(trigger.words)")
      }
      try await source.start(in: self)
    }
  }

  /// Ends the listening.
  func cancel() {
    let dropped = state.withLock { state in
      defer { state = State() }
      return state
    }
    for task in dropped.tasks { task.cancel() }
    for folder in dropped.folders { folder.cancel() }
    for listening in dropped.listening { listening.cancel() }
  }

  // MARK: For sources

  /// The present moment, as triggers have it.
  var now: String { clock.now.description }

  /// Reports what people have to know.
  func say(_ text: String) { report(.said(text)) }

  /// When the next schedule is due.
  var next: Timestamp? {
    state.withLock { $0.next.values.min { $0.microseconds < $1.microseconds } }
  }

  /// Notes when a schedule is due next.
  func note(_ next: Timestamp?, of schedule: String) {
    state.withLock { $0.next[schedule] = next }
    report(.statusChanged)
  }

  /// Keeps a task until the end, which cancels it.
  func keep(_ task: Task<Void, Never>) {
    state.withLock { $0.tasks.append(task) }
  }

  /// Keeps what listens until the end.
  func keep(_ folder: FolderWatch?, _ listening: AnyCancellable?) {
    let kept = State(
      folders: folder.map { [$0] } ?? [], listening: listening.map { [$0] } ?? [])
    state.withLock { state in
      state.folders += kept.folders
      state.listening += kept.listening
    }
  }
}

extension Publisher where Output: Sendable {
  /// Folds what comes closely; a stream that is never quiet gets through after twenty times as long, and at
  /// least a second.
  func whenQuiet(
    for quiet: Duration, fold: @escaping @Sendable (inout Output, Output) -> Void
  ) -> some Publisher<Output, Failure> {
    debounce(
      for: quiet, atMost: Swift.max(quiet * 20, .seconds(1)), now: { ContinuousClock.now },
      sleep: { try await SystemClock().sleep(for: $0) }, fold: fold)
  }
}
