// Watches one workflow: connects sources, inbox, policy and runs, and shuts them down.

import ChildProcesses
import CombineOperators
package import Reprise
import RepriseControl
package import RepriseJournal
import RepriseTerminal
import Synchronization

/// The watch of one workflow.
///
/// Thread-safe.
package final class Watch: Sendable {
  /// The reason why a watch ended.
  package enum Ending: Sendable, Equatable {
    /// A signal.
    case signal(Int32)
    /// The end of all sources.
    case exhausted
    /// An error, which was reported.
    case failed
    /// The output has been closed.
    case outputClosed
    /// It was asked to end when no run was live, because its file has changed.
    case withdrawn
  }

  private struct State {
    var isPaused = false
    var pauseWaiters = Waiters()
    var isEnding = false
    /// Whether events are delivered to runs.
    var isReady = false
  }

  let triggers: Triggers
  let watch: RecordedWatch
  private let journal: Journal
  let inbox: WatchInbox
  let runs: WatchRuns
  let sources: WatchSources
  /// The reports for displays.
  package let reports: WatchReports
  private let state = Mutex(State())
  private let endings: AsyncStream<Ending>
  private let end: AsyncStream<Ending>.Continuation
  /// Holds the lock of the watch if this process is killed.
  private let guardian: LaterKeptDescriptors?

  /// Creates the watch of a workflow, which starts with `run()`.
  ///
  /// - Parameters:
  ///   - loaded: The workflow, with triggers.
  ///   - triggers: The triggers of the workflow.
  ///   - secrets: The values of the secrets.
  ///   - watch: The recorder of the watch, whose lock this process holds.
  ///   - host: The host of the runs.
  ///   - input: The descriptor of standard input.
  /// - Throws: ``JournalError``.
  package init(
    _ loaded: LoadedWorkflow, _ triggers: Triggers, _ secrets: Secrets, watch: RecordedWatch,
    in host: RunHost, input: Int32 = 0
  ) throws(JournalError) {
    self.triggers = triggers
    self.watch = watch
    journal = host.journal
    let (endings, end) = AsyncStream.makeStream(of: Ending.self)
    (self.endings, self.end) = (endings, end)
    let reports = WatchReports()
    self.reports = reports
    let report: @Sendable (WatchReport) -> Void = { reports.send($0) }
    var host = host
    host.say = { report(.message($0.string)) }
    inbox = try WatchInbox(
      watch, hiding: secrets, onChange: { report(.statusChanged) },
      onFailure: { error in
        report(.message("error: \(error)"))
        end.yield(.failed)
      })
    runs = WatchRuns(
      loaded, secrets: secrets, host: host, watch: watch, inbox: inbox,
      restartsAffected: triggers.restartsAffected, report: report)
    sources = WatchSources(
      of: loaded.workflow, triggers, inbox: inbox, watch: watch, journal: host.journal,
      learnt: LearntUses(host, file: loaded.path), input: input,
      activity: { [runs] in runs.activity }, report: report)
    guardian = host.guardian.map(LaterKeptDescriptors.init)
  }

  private func report(_ report: WatchReport) { reports.send(report) }

  /// Watches until it is asked to end, or all sources have ended.
  ///
  /// - Returns: The reason for the end.
  /// - Throws: ``Problem`` or ``JournalError``.
  package func run() async throws -> Ending {
    var place: PlaceOfWatch?
    let lockCopy = guardian?.keep(watch.lockDescriptor)
    defer {
      place?.cancel()
      watch.release()
      if let lockCopy { guardian?.release(lockCopy) }
    }
    let (interrupted, waiting) = try await blocking { [self] in
      (try runsToResume(), try watch.waiting())
    }
    let work = PassthroughSubject<WatchWork, Never>()
    let subscription = pipeline(work, room: interrupted.count + waiting.count)
    let listening = inbox.events.sink { _ in
      work.send(completion: .finished)
    } receiveValue: {
      work.send(.event($0))
    }
    // From now on, events from keys are delivered.
    state.withLock { $0.isReady = true }
    for run in interrupted { work.send(.resume(run)) }
    inbox.sendWaiting(waiting)
    do {
      place = try await blocking { [self] in
        try PlaceOfWatch(watch) { [self] reason in fail("error: \(reason)") }
      }
      try await sources.start()
    } catch { fail("error: \(error)") }
    // Serve clients only now: once a client gets an answer, every later change is detected.
    let server = serve()
    report(.statusChanged)
    let ending = await finish(subscription)
    listening.cancel()
    await server?.finish()
    await reports.flush()
    return ending
  }

  /// Whether any run has not succeeded, or an event was dropped because the buffer was full.
  package var hasFailed: Bool { runs.hasFailed }

  /// Starts the control server; ends the watch if that fails.
  private func serve() -> ControlServer? {
    do {
      let server = try ControlServer(
        at: journal.directory.watchSocketPath(of: watch.workflow), serving: self)
      watch.announce()
      return server
    } catch {
      fail("error: \(error)")
      return nil
    }
  }

  private func fail(_ problem: String) {
    report(.message(problem))
    end.yield(.failed)
  }

  /// Subscribes to events, and starts runs by the policy of the workflow.
  ///
  /// - Parameters:
  ///   - work: The events.
  ///   - room: The number of events left by an earlier watch, for which the queue must have room.
  /// - Returns: The subscription, which retains the runs.
  private func pipeline(
    _ work: PassthroughSubject<WatchWork, Never>, room: Int
  ) -> AnyCancellable {
    work.runs(
      RunsPolicy(
        whenBusy: WhenBusy(triggers, room: room),
        onDrop: { [self] work in
          switch work {
          case .event(let event): dropped(event)
          case .resume(let run):
            report(
              .message("run \(run.id) stays interrupted; resume it with: reprise resume \(run.id)"))
          }
        },
        fold: { earlier, later in
          guard case .event(var event) = earlier, case .event(let next) = later else {
            earlier = later
            return
          }
          event.fold(next)
          earlier = .event(event)
        },
        begin: { [self] in
          await permission()
          return await runs.begin($0)
        },
        restart: { [self] in
          await permission()
          return await runs.restart($0, for: $1)
        })
    ).sink { [self] completion in
      switch completion {
      case .finished: end.yield(.exhausted)
      case .failure(.queueIsFull): fail("error: the buffer is full, and when-full is fail")
      case .failure(.events): preconditionFailure("BUG: the events of a watch cannot fail")
      }
    } receiveValue: { [self] run in
      report(.began(run))
    }
  }

  private func dropped(_ event: WatchEvent) {
    inbox.dropped(event)
    let reason: String
    switch triggers.whenBusy {
    case .queue:
      reason = "the buffer is full"
      // A source that ends on its own, such as a pipe, ends the watch with a status for the loss.
      runs.recordFailure()
    case .ignore: reason = "a run is in progress, and when-busy is ignore"
    case .restart, .parallel: reason = "no run takes it"
    }
    reports.dropped(inbox.words(event.trigger), because: reason)
  }

  /// Returns the interrupted runs of an earlier watch to resume, or queues their events again.
  private func runsToResume() throws -> [RunRecord] {
    let interrupted = try journal.interruptedRuns(ofWatch: watch.workflow).filter { run in
      let isWhole = run.request.hiddenParameters.isEmpty && !run.request.hidesTrigger
      if !isWhole {
        report(
          .message(
            "run \(run.id) stays interrupted: it was given a secret, which is not recorded"
          ))
      }
      return isWhole
    }
    guard triggers.whenBusy == .restart else { return interrupted }
    // Under `restart`, a new run is equivalent to resuming and restarting the old one.
    try watch.requeueEvents(interrupted)
    return []
  }

  private func finish(_ subscription: AnyCancellable) async -> Ending {
    var iterator = endings.makeAsyncIterator()
    let ending = await iterator.next() ?? .exhausted
    state.withLock { $0.isEnding = true }
    runs.end()
    sources.cancel()
    inbox.endWaits()
    go()
    subscription.cancel()
    await runs.finish()
    await inbox.flush()
    return ending
  }

  /// Whether a run is live or starting.
  var isBusy: Bool { runs.isBusy }

  /// Ends the watch if no run is live; events that are queued stay so for the next watch.
  ///
  /// - Returns: Whether it ends.
  func withdrawIfIdle() -> Bool {
    guard runs.endIfIdle() else { return false }
    end(because: .withdrawn)
    return true
  }

  /// Ends the watch: starts no more runs, and cancels live ones.
  package func end(because ending: Ending) {
    end.yield(ending)
  }

  // MARK: Pausing

  /// Whether events are delivered to runs.
  var isReady: Bool { state.withLock { $0.isReady } }

  /// Whether the watch is paused.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Pauses the watch, so that it starts no runs, or continues it.
  package func togglePause() {
    let mustGo = state.withLock { state in
      state.isPaused.toggle()
      return !state.isPaused
    }
    if mustGo { go() }
    report(.statusChanged)
  }

  private func go() {
    let waiting = state.withLock { state in
      state.isPaused = false
      return state.pauseWaiters.takeAll()
    }
    waiting.wake()
  }

  private func permission() async {
    await state.wait(until: { !$0.isPaused || $0.isEnding }, among: { $0.pauseWaiters.add($1) })
  }
}
