// What happens in a project, read from its journal: one feed for all pages.

import CombineOperators
import Dispatch
import FileWatching
import Platform
import Reprise
import RepriseControl
import RepriseHost
package import RepriseJournal
import Synchronization

/// Follows the journal of a project: its list of runs, its watches, and the runs that pages show.
///
/// The journal is the only source of what is recorded: it is read again when a file event says that
/// somebody has written to it, and once more a moment later, since the event precedes the end of the
/// transaction. So nothing depends on when this process was started or how long it lives, and runs
/// do not notice it. Thread-safe.
package final class ProjectFeed: Sendable {
  /// The minimum time between two reads: at most 20 frames a second.
  static let interval: Duration = .milliseconds(50)
  /// The minimum time between two reads of the list of runs.
  private static let listInterval: Duration = .milliseconds(250)
  /// The number of the newest runs whose changes are reported.
  static let listedRunsMax = 50

  /// What has been read so far.
  struct Contents: Sendable {
    var lines: [RunLine] = []
    var watches: [WatchLine] = []
    var runs: [RunID: FollowedRun] = [:]
    /// The number of readers of each run, besides the feed itself.
    var readers: [RunID: Int] = [:]
    var error: String?

    /// Takes what has been read since an earlier state.
    mutating func merge(_ contents: Contents, since before: Contents) {
      // Readers may have come, gone and reported progress in the meantime.
      let current = self
      lines = contents.lines
      watches = contents.watches
      error = contents.error
      for (id, run) in contents.runs {
        guard let known = current.runs[id] else {
          runs[id] = run
          continue
        }
        var run = run
        (run.outputs, run.outputVersion) = (known.outputs, known.outputVersion)
        if known.progressVersion != before.runs[id]?.progressVersion {
          (run.progress, run.progressVersion) = (known.progress, known.progressVersion)
        }
        runs[id] = run
      }
      let live = Set(contents.lines.filter(\.status.isLive).map(\.id))
      for id in runs.keys
      where readers[id] == nil && !live.contains(id.description) {
        runs[id] = nil
      }
    }
  }

  private struct State {
    var contents = Contents()
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0
    var listReadAt: ContinuousClock.Instant?
    var attached: [RunID: Task<Void, Never>] = [:]
  }

  /// The name of the project on the page.
  let name: String
  /// The journal of the project.
  let journal: Journal
  private let state = Mutex(State())
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation
  private let watches: [FolderWatch]

  /// Starts watching a journal.
  ///
  /// - Parameters:
  ///   - journal: The journal.
  ///   - name: The name of the project.
  /// - Throws: ``FileWatchError`` if its folder cannot be watched.
  package init(_ journal: Journal, of name: String) throws {
    self.name = name
    self.journal = journal
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.change) = (changes, change)
    let written = FileWatchFilter(
      seesWriting: true, entersFolder: { _ in false }, wantsFile: { $0.hasPrefix("journal.db") })
    let locked = FileWatchFilter(wantsFile: { $0.hasSuffix(".lock") })
    watches = [
      try FolderWatch(journal.directory.path, filter: written) { _ in change.yield() },
      try FolderWatch(journal.directory.livePath, filter: locked) { _ in
        change.yield()
        // The kernel reports a closed file before it releases the lock of a process that died.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { change.yield() }
      },
    ]
  }

  /// Reads the journal after each change, until the task is cancelled.
  package func run() async {
    change.yield()
    let ticks = Task { [weak self] in
      while (try? await SystemClock().sleep(for: FeedReader.silenceMax)) != nil { self?.wake() }
    }
    defer { ticks.cancel() }
    for await _ in changes {
      var isRepeated = false
      while true {
        let begun = ContinuousClock.now
        let isMoreDue = await read()
        // At most half of the time goes into reading, however large the runs are.
        let took = ContinuousClock.now - begun
        try? await SystemClock().sleep(for: max(Self.interval - took, took))
        if Task.isCancelled { return }
        // The change may have been announced before it could be read.
        if isRepeated && !isMoreDue { break }
        isRepeated = true
      }
    }
  }

  /// Wakes all readers, so that connections are not silent for long.
  private func wake() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }

  /// Wakes all readers after some time, although nothing has changed.
  func wake(after time: Duration) {
    Task { [weak self] in
      try? await SystemClock().sleep(for: time)
      self?.wake()
    }
  }

  /// Makes the feed look for changes now.
  func look() { change.yield() }

  // MARK: Reading

  /// Reads what is new.
  ///
  /// - Returns: Whether something is left to be read soon.
  private func read() async -> Bool {
    let now = ContinuousClock.now
    let readsList = state.withLock { state in
      let isDue = state.listReadAt.map { now - $0 >= Self.listInterval } ?? true
      if isDue { state.listReadAt = now }
      return isDue
    }
    let before = state.withLock { $0.contents }
    var contents = before
    do {
      contents = try await blocking { [journal] in
        var contents = before
        if readsList { try Self.readList(&contents, journal) }
        try Self.readRuns(&contents, journal)
        return contents
      }
      if readsList { contents.watches = try await WatchList(of: journal, nil).lines }
      contents.error = nil
    } catch {
      contents.error = "\(error)"
    }
    let listeners = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      state.contents.merge(contents, since: before)
      return Array(state.listeners.values)
    }
    attachToLiveRuns()
    for listener in listeners { listener.yield() }
    return !readsList
  }

  private static func readList(_ contents: inout Contents, _ journal: Journal) throws {
    let now = SystemClock().now
    contents.lines = try journal.runs(limit: listedRunsMax).map { record in
      if record.status == .running, contents.runs[record.id] == nil {
        contents.runs[record.id] = FollowedRun(record)
      }
      if var run = contents.runs[record.id] {
        run.record = record
        _ = try? run.readNew(in: journal)
        contents.runs[record.id] = run
      }
      let state = record.status == .running ? contents.runs[record.id]?.state : nil
      return RunLine(record, state: state, now: now)
    }
  }

  private static func readRuns(_ contents: inout Contents, _ journal: Journal) throws {
    for id in contents.runs.keys where contents.readers[id] != nil {
      guard var run = contents.runs[id] else { continue }
      let isNew = try run.readNew(in: journal)
      if isNew { run.record = try journal.run(with: id) }
      contents.runs[id] = run
    }
  }

  // MARK: What is not recorded

  /// Attaches to the live runs that pages show, for their progress and the growth of their output.
  private func attachToLiveRuns() {
    let missing = state.withLock { state in
      state.contents.runs.values.filter { run in
        run.record.status == .running && state.contents.readers[run.record.id] != nil
          && state.attached[run.record.id] == nil
      }.map(\.record)
    }
    for record in missing {
      let task = Task { [weak self] in
        await self?.follow(record)
        self?.ended(record.id)
      }
      state.withLock { $0.attached[record.id] = task }
    }
  }

  private func ended(_ run: RunID) {
    state.withLock { $0.attached[run] = nil }
    look()
  }

  private func follow(_ record: RunRecord) async {
    if let client = try? journal.client(of: record),
      (try? await client.ask(.attach, within: .seconds(10))) == .ok
    {
      for await event in client.events.values {
        let isRead = state.withLock { state in
          state.contents.runs[record.id]?.note(event)
          return state.contents.readers[record.id] != nil
        }
        guard isRead else { return }
        look()
      }
    }
    // The socket may not be there yet, or no more: try again at the next change, not at once.
    try? await SystemClock().sleep(for: .seconds(1))
  }

  // MARK: Readers

  /// What has been read so far.
  var contents: Contents { state.withLock { $0.contents } }

  /// Adds a reader, which is woken by everything that happens from now on.
  ///
  /// - Parameters:
  ///   - signal: What wakes it.
  ///   - runs: The runs to follow; those of other projects are ignored.
  /// - Returns: What removes the reader.
  func addReader(
    _ signal: AsyncStream<Void>.Continuation, following runs: [RunID]
  ) -> @Sendable () -> Void {
    let number = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = signal
      for run in runs { state.contents.readers[run, default: 0] += 1 }
      return state.nextListener
    }
    Task { await follow(runs) }
    return { [self] in
      state.withLock { state in
        state.listeners[number] = nil
        for run in runs {
          let count = (state.contents.readers[run] ?? 1) - 1
          state.contents.readers[run] = count > 0 ? count : nil
        }
      }
    }
  }

  /// Reads runs that are not followed yet.
  private func follow(_ ids: [RunID]) async {
    for id in ids where contents.runs[id] == nil {
      let run = try? await blocking { [journal] in
        var run = FollowedRun(try journal.run(with: id))
        _ = try run.readNew(in: journal)
        return run
      }
      guard let run else { continue }
      state.withLock { state in
        if state.contents.runs[id] == nil { state.contents.runs[id] = run }
      }
    }
    look()
  }
}
