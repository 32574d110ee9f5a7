// Where the events of a watch come from: files, the clock, standard input, other runs. Hands them to the
// inbox; knows nothing of runs.

import CombineOperators
import Dispatch
import FileWatching
import Reprise
import RepriseControl
import RepriseJournal
import Synchronization

/// What starts runs of one workflow.
final class WatchSources: Sendable {
  /// How long it has to be quiet after a change of a file where the workflow does not say it: as long as
  /// an editor takes for all that it does to save one.
  static let filesQuiet: Duration = .milliseconds(30)
  /// How many paths an event names at most; what is more is known by its count only.
  static let pathsMax = 1000
  /// How many lines of standard input may be on their way to the disk.
  private static let linesMax = 1000

  private struct State {
    var tasks: [Task<Void, Never>] = []
    var folders: [FolderWatch] = []
    var listening: [AnyCancellable] = []
    var next: [String: Timestamp] = [:]
  }

  private let inbox: WatchInbox
  private let journal: Journal
  private let input: Int32
  private let triggers: Triggers
  private let report: @Sendable (WatchReport) -> Void
  private let clock = SystemClock()
  private let state = Locked(State())

  /// Prepares the sources; nothing happens before ``start(files:dealtWith:onInputEnd:)``.
  ///
  /// - Parameters:
  ///   - triggers: What they are.
  ///   - inbox: Where events go.
  ///   - journal: Where the successes of other workflows are found.
  ///   - input: The descriptor of standard input.
  ///   - report: Called with what people have to know, and when ``next`` has changed.
  init(
    _ triggers: Triggers, inbox: WatchInbox, journal: Journal, input: Int32,
    report: @escaping @Sendable (WatchReport) -> Void
  ) {
    self.triggers = triggers
    self.inbox = inbox
    self.journal = journal
    self.input = input
    self.report = report
  }

  /// When the next schedule is due.
  var next: Timestamp? {
    state.withLock { $0.next.values.min { $0.microseconds < $1.microseconds } }
  }

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - files: Which files matter; nil for none.
  ///   - dealtWith: Up to which moments schedules have been dealt with, in seconds since 1970.
  ///   - onInputEnd: Called when standard input has come to its end, if it is read.
  /// - Throws: ``FileWatchError``.
  func start(
    files: WatchedFiles?, dealtWith: [String: Int64], onInputEnd: @escaping @Sendable () -> Void
  ) throws(FileWatchError) {
    if let files { try listen(to: files) }
    if !triggers.after.isEmpty { try listenToRuns() }
    for schedule in triggers.schedules {
      let task = Task { await follow(schedule, dealtWith: dealtWith[schedule.text]) }
      state.withLock { $0.tasks.append(task) }
    }
    if let format = triggers.standardInput { readInput(format, onEnd: onInputEnd) }
    if triggers.atStart { inbox.put(WatchEvent(Trigger(kind: .start, time: now))) }
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

  private func say(_ text: String) { report(.said(text)) }

  private var now: String { clock.now.description }

  // MARK: Files

  private struct Changes: Sendable {
    var paths: Set<String>
    var count: Int
  }

  private func listen(to files: WatchedFiles) throws(FileWatchError) {
    // Not Sendable as declared, though any thread may use it: the watch of the folder calls it from one
    // queue.
    let subject = UncheckedSendable(PassthroughSubject<Changes, Never>())
    let listening = subject.value
      .whenQuiet(for: triggers.debounce ?? Self.filesQuiet) { changes, later in
        changes.paths.formUnion(later.paths)
        changes.count += later.count
      }
      // What changes while an event waits becomes part of the next one.
      .sinkOneByOne { [weak self] changes in await self?.hand(changes, files) }
    let honours = triggers.files?.honoursGitignore ?? true
    let folder = try FolderWatch(
      ".",
      filter: FileWatchFilter(
        honoursGitignore: honours, entersFolder: { files.enters($0) },
        wantsFile: { files.wants($0) })
    ) { [weak self] event in
      switch event {
      case .changed(let path): subject.value.send(Changes(paths: [path], count: 1))
      case .problem(let text): self?.say("warning: \(text)")
      }
    }
    keep(folder, listening)
  }

  private func keep(_ folder: FolderWatch?, _ listening: AnyCancellable?) {
    let kept = State(
      folders: folder.map { [$0] } ?? [], listening: listening.map { [$0] } ?? [])
    state.withLock { state in
      state.folders += kept.folders
      state.listening += kept.listening
    }
  }

  private func hand(_ changes: Changes, _ files: WatchedFiles) async {
    let paths = changes.paths.sorted()
    // What matters to no step neither cancels nor starts anything.
    if triggers.restartsAffected, files.steps(affectedBy: paths)?.isEmpty == true { return }
    await inbox.putAndWait(
      WatchEvent(
        Trigger(
          kind: .files, time: now, count: changes.count, paths: Array(paths.prefix(Self.pathsMax)))
      ))
  }

  // MARK: The clock

  private func follow(_ schedule: Schedule, dealtWith: Int64?) async {
    let times = ScheduleTimes(schedule)
    var dealtWith = dealtWith
    while !Task.isCancelled {
      let now = clock.wallTime.microseconds / 1_000_000
      // A schedule that is new has missed nothing.
      let plan = times.plan(dealtWith: dealtWith ?? now, now: now)
      if plan.missed > 0 {
        say("\(plan.missed) times of the schedule \"\(schedule.text)\" were missed")
      }
      if plan.dealtWith != dealtWith {
        let event = plan.due.map {
          WatchEvent(
            Trigger(kind: .schedule, time: Timestamp(microseconds: $0 * 1_000_000).description))
        }
        inbox.put { transaction throws(JournalError) in
          let accepted = try transaction.accept(
            event, of: schedule.text, dealtWithUntil: plan.dealtWith)
          return accepted.map { [$0] } ?? []
        }
      }
      dealtWith = plan.dealtWith
      let next = plan.next.map { Timestamp(microseconds: $0 * 1_000_000) }
      state.withLock { $0.next[schedule.text] = next }
      report(.statusChanged)
      guard let next, (try? await clock.sleep(untilWallTime: next)) != nil else { return }
    }
  }

  // MARK: Standard input

  private func readInput(_ format: InputFormat, onEnd: @escaping @Sendable () -> Void) {
    // Not Sendable as declared, though any thread may use it: only the reading thread sends.
    let subject = UncheckedSendable(PassthroughSubject<WatchEvent, Never>())
    // The disk decides how fast is read.
    let room = DispatchSemaphore(value: 0)
    // One that is freed with less than it began with ends the process: at the end nobody gives room back.
    for _ in 0..<Self.linesMax { room.signal() }
    let put = { [inbox] (event: WatchEvent) in inbox.put(event, answer: { _ in room.signal() }) }
    // Behind the last line.
    let end = { [inbox] in
      inbox.put(answer: { _ in onEnd() }, recording: { _ throws(JournalError) in [] })
    }
    let listening: AnyCancellable
    if let quiet = triggers.debounce, quiet > .zero {
      listening = subject.value.whenQuiet(for: quiet) { event, later in
        event.fold(later)
        // What is folded needs no room of its own.
        room.signal()
      }.sink(receiveCompletion: { _ in end() }, receiveValue: put)
    } else {
      listening = subject.value.sink(receiveCompletion: { _ in end() }, receiveValue: put)
    }
    keep(nil, listening)
    // A thread of its own: it waits for input.
    DispatchQueue(label: "reprise.watch.input").async { [self] in
      var number = 0
      var lines = LineReader(input, bytesMax: .max)
      while let bytes = lines.nextText() {
        number += 1
        guard let line = String(validating: bytes, as: UTF8.self) else {
          say("warning: line \(number) of standard input is left out: it is not UTF-8")
          continue
        }
        guard let event = event(of: line, number, format) else { continue }
        room.wait()
        subject.value.send(event)
      }
      subject.value.send(completion: .finished)
    }
  }

  private func event(of line: String, _ number: Int, _ format: InputFormat) -> WatchEvent? {
    var trigger = Trigger(kind: .stdin, time: now, line: line)
    guard format == .json else { return WatchEvent(trigger) }
    guard !line.isEmpty else { return nil }
    do {
      trigger.data = try Value(json: line)
      return WatchEvent(trigger)
    } catch {
      say("warning: line \(number) of standard input is left out: it is no JSON: \(error)")
      return nil
    }
  }

  // MARK: Other runs

  private func listenToRuns() throws(FileWatchError) {
    // A run lets go of its lock when it ends, however that comes about.
    let folder = try FolderWatch(
      journal.directory.livePath,
      filter: FileWatchFilter(wantsFile: { $0.hasSuffix(".lock") })
    ) { [weak self] event in
      switch event {
      case .changed: self?.lookForSuccesses()
      case .problem(let text): self?.say("warning: \(text)")
      }
    }
    keep(folder, nil)
    lookForSuccesses()
  }

  private func lookForSuccesses() {
    inbox.put { [now, triggers] transaction throws(JournalError) in
      try transaction.acceptSuccesses(of: triggers.after) { workflow, run in
        WatchEvent(Trigger(kind: .after, time: now, workflow: workflow, run: run))
      }
    }
  }
}

extension Publisher where Output: Sendable {
  /// Folds what comes closely; a stream that is never quiet gets through after twenty times as long, and at
  /// least a second.
  fileprivate func whenQuiet(
    for quiet: Duration, fold: @escaping @Sendable (inout Output, Output) -> Void
  ) -> some Publisher<Output, Failure> {
    debounce(
      for: quiet, atMost: Swift.max(quiet * 20, .seconds(1)), now: { ContinuousClock.now },
      sleep: { try await SystemClock().sleep(for: $0) }, fold: fold)
  }
}

extension LineReader {
  /// The next line, also the last one where that did not end; without the carriage return of Windows.
  fileprivate mutating func nextText() -> [UInt8]? {
    guard case .text(let bytes)? = nextLine() else { return takeRest() }
    return bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
  }
}
