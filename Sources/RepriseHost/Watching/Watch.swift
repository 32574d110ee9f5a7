// Watches one workflow: puts sources, inbox, policy and runs together, and takes care of the end. What each
// of them does is its own business.

import ChildProcesses
import CombineOperators
package import Reprise
import RepriseControl
package import RepriseJournal
import RepriseTerminal
import Synchronization

/// The watch of one workflow.
///
/// All members may be called from any thread.
package final class Watch: Sendable {
  /// Why it ended.
  package enum Ending: Sendable, Equatable {
    /// A signal asked for it.
    case signal(Int32)
    /// Nothing more will come.
    case exhausted
    /// It cannot go on, as was reported.
    case failed
    /// Its output is not read any more.
    case outputClosed
  }

  private struct State {
    var isPaused = false
    var waitingForGo = Waiters()
    var isEnding = false
    /// Whether what is handed in is sent on.
    var isReady = false
  }

  let triggers: Triggers
  let watch: RecordedWatch
  private let journal: Journal
  let inbox: WatchInbox
  let runs: WatchRuns
  let sources: WatchSources
  /// What happens, for displays.
  package let reports: WatchReports
  private let state = Mutex(State())
  private let endings: AsyncStream<Ending>
  private let end: AsyncStream<Ending>.Continuation

  /// Prepares the watch of a workflow; nothing begins yet.
  ///
  /// - Parameters:
  ///   - loaded: The workflow, with triggers.
  ///   - triggers: Its triggers.
  ///   - secrets: The values of its secrets.
  ///   - watch: The record, which this process holds.
  ///   - host: What carries out its runs.
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
    host.say = { report(.said($0.string)) }
    inbox = try WatchInbox(
      watch, hiding: secrets, onChange: { report(.statusChanged) },
      onFailure: { error in
        report(.said("error: \(error)"))
        end.yield(.failed)
      })
    runs = WatchRuns(
      loaded, secrets: secrets, host: host, watch: watch, inbox: inbox,
      restartsAffected: triggers.restartsAffected, report: report)
    sources = WatchSources(
      of: loaded.workflow, triggers, inbox: inbox, watch: watch, journal: host.journal,
      input: input, report: report)
    host.guardian?.keep(watch.lockDescriptor, run: "")
  }

  private func report(_ report: WatchReport) { reports.send(report) }

  /// Watches until it is asked to end, or nothing more will come.
  ///
  /// - Returns: Why it ended.
  /// - Throws: ``Problem`` or ``JournalError``.
  package func run() async throws -> Ending {
    let (interrupted, waiting) = try await blocking { [self] in
      (try takeUp(), try watch.waiting())
    }
    let work = PassthroughSubject<WatchWork, Never>()
    let subscription = pipeline(work, room: interrupted.count + waiting.count)
    let listening = inbox.events.sink { _ in
      work.send(completion: .finished)
    } receiveValue: {
      work.send(.event($0))
    }
    // From now on what a key hands in is sent on.
    state.withLock { $0.isReady = true }
    for run in interrupted { work.send(.resume(run)) }
    inbox.sendWaiting(waiting)
    do { try await sources.start() } catch { fail("error: \(error)") }
    // A client that is answered may count on it that a change from now on is seen.
    let server = serve()
    report(.statusChanged)
    let ending = await finish(subscription)
    listening.cancel()
    await server?.finish()
    await reports.flush()
    return ending
  }

  /// Whether a run has not succeeded.
  package var hasFailed: Bool { runs.hasFailed }

  /// Serves those who ask; where that cannot be, ends what has begun.
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
    report(.said(problem))
    end.yield(.failed)
  }

  /// The pipeline: what happens to events that come while a run is under way.
  ///
  /// - Parameters:
  ///   - work: The events.
  ///   - room: How many of them come at once, from an earlier watch: that many may always wait.
  /// - Returns: The subscription, which holds the runs.
  private func pipeline(
    _ work: PassthroughSubject<WatchWork, Never>, room: Int
  ) -> AnyCancellable {
    work.runs(
      RunsPolicy(
        whenBusy: WhenBusy(triggers, room: room),
        onDrop: { [self] work in
          switch work {
          case .event(let event): inbox.dropped(event)
          case .resume(let run):
            report(
              .said("run \(run.id) stays interrupted; take it up with: reprise resume \(run.id)"))
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
        again: { [self] in
          await permission()
          return await runs.again($0, $1)
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

  /// The runs of an earlier watch that are to be taken up.
  private func takeUp() throws -> [RunRecord] {
    let interrupted = try journal.interruptedRuns(ofWatch: watch.workflow).filter { run in
      let isWhole = run.request.hiddenParameters.isEmpty && !run.request.hidesTrigger
      if !isWhole {
        report(
          .said(
            "run \(run.id) stays interrupted: it was given a secret, which the journal does not keep"
          ))
      }
      return isWhole
    }
    guard triggers.whenBusy == .restart else { return interrupted }
    // A run that is taken again from the top is as good as a new one.
    try watch.handAgain(interrupted)
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

  /// Ends the watch: no run begins any more, and those under way are cancelled.
  package func end(because ending: Ending) {
    end.yield(ending)
  }

  // MARK: Pausing

  /// Whether what is handed in is sent on to runs.
  var isReady: Bool { state.withLock { $0.isReady } }

  /// Whether no run begins until ``togglePause()`` is called.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Lets no run begin until it is called again.
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
      return state.waitingForGo.takeAll()
    }
    waiting.wake()
  }

  private func permission() async {
    await state.wait(until: { !$0.isPaused || $0.isEnding }, among: { $0.waitingForGo.add($1) })
  }
}
