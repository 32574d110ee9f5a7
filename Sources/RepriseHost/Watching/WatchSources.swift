// The sources of events of a watch. Each kind of trigger is a source, in a file in Sources.

import CombineOperators
import FileWatching
import Reprise
import RepriseJournal
import Synchronization

/// A kind of trigger that produces events.
protocol TriggerSource: TriggerKind {
  /// Starts listening; hands events to the inbox of the sources from now on.
  ///
  /// - Parameter sources: The sources of the watch, which retain subscriptions and tasks.
  /// - Throws: The error if listening fails.
  func start(in sources: WatchSources) async throws
}

/// The sources of events of one workflow.
final class WatchSources: Sendable {
  private struct State {
    var tasks: [Task<Void, Never>] = []
    var folders: [FolderWatch] = []
    var files: [ListeningToFiles] = []
    var listening: [AnyCancellable] = []
    var next: [String: Timestamp] = [:]
    var ownChanges = OwnChanges()
  }

  /// The workflow, with triggers.
  let workflow: Workflow
  /// The triggers of the workflow.
  let triggers: Triggers
  /// The inbox that receives the events.
  let inbox: WatchInbox
  /// The recorder of the watch.
  let watch: RecordedWatch
  /// The journal, with the runs of other workflows.
  let journal: Journal
  /// The descriptor of standard input.
  let input: Int32
  /// What the steps of the workflow have learnt about their files.
  let learnt: LearntUses
  /// What the runs of the watch are doing.
  private let activity: @Sendable () -> WatchRuns.Activity
  /// Called with messages to the user, and when ``next`` has changed.
  let report: @Sendable (WatchReport) -> Void
  let clock = SystemClock()
  private let state = Locked(State())

  init(
    of workflow: Workflow, _ triggers: Triggers, inbox: WatchInbox, watch: RecordedWatch,
    journal: Journal, learnt: LearntUses, input: Int32,
    activity: @escaping @Sendable () -> WatchRuns.Activity,
    report: @escaping @Sendable (WatchReport) -> Void
  ) {
    self.activity = activity
    self.workflow = workflow
    self.triggers = triggers
    self.inbox = inbox
    self.watch = watch
    self.journal = journal
    self.learnt = learnt
    self.input = input
    self.report = report
  }

  /// Starts all sources.
  ///
  /// - Throws: The error if a source fails to start.
  func start() async throws {
    for trigger in triggers.sources {
      guard let source = trigger as? any TriggerSource else {
        preconditionFailure("BUG: nothing listens for \(trigger.words)")
      }
      try await source.start(in: self)
    }
  }

  /// Stops all sources.
  func cancel() {
    let dropped = state.withLock { state in
      defer { state = State() }
      return state
    }
    for task in dropped.tasks { task.cancel() }
    for folder in dropped.folders { folder.cancel() }
    for files in dropped.files { files.cancel() }
    for listening in dropped.listening { listening.cancel() }
  }

  // MARK: For sources

  /// The current time, in the format of triggers.
  var now: String { clock.now.description }

  /// Reports a message to the user.
  func say(_ text: String) { report(.message(text)) }

  /// Reports a warning if runs keep changing the files that start them.
  func checkOwnChanges(_ paths: Set<String>) {
    let activity = activity()
    if let warning = state.withLock({ $0.ownChanges.warning(after: paths, activity) }) {
      say("warning: \(warning)")
    }
  }

  /// The next time that a schedule is due.
  var next: Timestamp? {
    state.withLock { $0.next.values.min { $0.microseconds < $1.microseconds } }
  }

  /// Sets the next time that a schedule is due.
  func note(_ next: Timestamp?, of schedule: String) {
    state.withLock { $0.next[schedule] = next }
    report(.statusChanged)
  }

  /// Retains a task until `cancel()`, which cancels it.
  func keep(_ task: Task<Void, Never>) {
    state.withLock { $0.tasks.append(task) }
  }

  /// Retains a watch of files until `cancel()`, which cancels it.
  func keep(_ files: ListeningToFiles) {
    state.withLock { $0.files.append(files) }
  }

  /// Retains a folder watch and a subscription until `cancel()`, which cancels them.
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
  /// Debounces and folds values; emits from a stream that is never quiet after 20 times `quiet`.
  ///
  /// That maximum delay is at least one second.
  func whenQuiet(
    for quiet: Duration, fold: @escaping @Sendable (inout Output, Output) -> Void
  ) -> some Publisher<Output, Failure> {
    debounce(
      for: quiet, atMost: Swift.max(quiet * 20, .seconds(1)), now: { ContinuousClock.now },
      sleep: { try await SystemClock().sleep(for: $0) }, fold: fold)
  }
}
