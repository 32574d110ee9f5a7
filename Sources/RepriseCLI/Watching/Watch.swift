// Watches one workflow: puts sources, inbox, policy and runs together, and takes care of the end. What each
// of them does is its own business.

import ChildProcesses
import CombineOperators
import FileWatching
import Paths
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// The watch of one workflow.
final class Watch: Sendable {
  /// Why it ends.
  private enum Ending: Sendable {
    case signal(Int32)
    /// Nothing more will come.
    case exhausted
    case failed(String)
    case outputClosed
  }

  private struct State {
    var isPaused = false
    var waitingForGo = Waiters()
    var isEnding = false
  }

  private let workflow: Workflow
  let triggers: Triggers
  let watch: RecordedWatch
  private let journal: Journal
  let inbox: WatchInbox
  let runs: WatchRuns
  let sources: WatchSources
  let display: WatchDisplay
  private let link: WatchLink
  private let state = Mutex(State())
  private let endings: AsyncStream<Ending>
  private let end: AsyncStream<Ending>.Continuation

  /// Prepares the watch of a workflow; nothing begins yet.
  ///
  /// - Parameters:
  ///   - loaded: The workflow, with triggers.
  ///   - triggers: Its triggers.
  ///   - settings: How its runs are carried out.
  ///   - watch: The record, which this process holds.
  ///   - journal: Where runs are recorded.
  /// - Throws: ``JournalError``.
  init(
    _ loaded: LoadedWorkflow, _ triggers: Triggers, _ settings: RunSettings, watch: RecordedWatch,
    journal: Journal
  ) throws(JournalError) {
    workflow = loaded.workflow
    self.triggers = triggers
    self.watch = watch
    self.journal = journal
    let (endings, end) = AsyncStream.makeStream(of: Ending.self)
    (self.endings, self.end) = (endings, end)
    // The display asks for the status when it is drawn, from the watch that is not there yet.
    let link = WatchLink()
    display = WatchDisplay(
      style: settings.progress, environment: inheritedEnvironment(),
      isParallel: triggers.whenBusy == .parallel,
      controls: link.controls(end: { end.yield(.outputClosed) }))
    let onChange: @Sendable () -> Void = { link.watch?.showStatus() }
    let say: @Sendable (String) -> Void = { [display] in display.say($0) }
    inbox = try WatchInbox(
      watch, hiding: settings.secrets, onChange: onChange,
      onFailure: { end.yield(.failed("error: \($0)")) })
    runs = WatchRuns(
      file: loaded.path, parameters: loaded.arguments, settings: settings, journal: journal,
      watch: watch, inbox: inbox, restartsAffected: triggers.restartsAffected, say: say,
      announce: { [display] in display.announce($0, $0.words, run: $1) }, onChange: onChange)
    sources = WatchSources(
      triggers, inbox: inbox, journal: journal, say: say, onChange: onChange)
    self.link = link
  }

  /// Watches until it is told to end, or nothing more will come.
  ///
  /// - Returns: The exit status of the command.
  /// - Throws: ``Problem`` or ``JournalError``.
  func run() async throws -> ExitStatus {
    hearSignals(self)
    ProcessLinks.current.withLock { $0.guardian }?.keep(
      watch.lockDescriptor, run: "")
    var dealtWith: [String: Int64] = [:]
    for schedule in triggers.schedules {
      dealtWith[schedule.text] = try watch.lastMoment(of: schedule.text)
    }
    let work = PassthroughSubject<WatchWork, Never>()
    let interrupted = try takeUp()
    let waiting = try watch.waiting()
    let subscription = pipeline(work, room: interrupted.count + waiting.count)
    let listening = inbox.events.sink { _ in
      work.send(completion: .finished)
    } receiveValue: {
      work.send(.event($0))
    }
    // From now on what a key hands in is sent on.
    link.watch = self
    for run in interrupted { work.send(.resume(run)) }
    inbox.sendWaiting(waiting)
    try startSources(dealtWith)
    // Whoever is answered may count on it that a change from now on is seen.
    let server = serve()
    showStatus()
    let status = await finish(subscription)
    listening.cancel()
    await server?.finish()
    await display.finish()
    if inbox.waitingCount > 0, display.isForPeople {
      printError("\(inbox.waitingCount) events wait: the next reprise watch takes them up")
    }
    return status
  }

  /// Serves those who ask; where that cannot be, ends what has begun.
  private func serve() -> ControlServer? {
    do {
      return try ControlServer(
        at: journal.directory.watchSocketPath(of: watch.workflow), serving: self)
    } catch {
      end.yield(.failed("error: \(error)"))
      return nil
    }
  }

  private func startSources(_ dealtWith: [String: Int64]) throws(Problem) {
    do {
      let files = try triggers.files.map { trigger throws(GlobError) in
        try WatchedFiles(trigger, of: workflow, sources: WatchRuns.sources(of: workflow))
      }
      try sources.start(files: files, dealtWith: dealtWith) { [self] in
        // Standard input is over; with it everything, where there is nothing else.
        if !triggers.goesOnWithoutInput { inbox.close() }
      }
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
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
        onDrop: { [inbox, display] work in
          switch work {
          case .event(let event): inbox.dropped(event)
          case .resume(let run):
            display.say(
              "run \(run.id) stays interrupted; take it up with: reprise resume \(run.id)")
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
    ).sink { [end] completion in
      switch completion {
      case .finished: end.yield(.exhausted)
      case .failure(.queueIsFull):
        end.yield(.failed("error: the buffer is full, and when-full is fail"))
      case .failure(.events): preconditionFailure("BUG: the events of a watch cannot fail")
      }
    } receiveValue: { [display] run in
      display.show(run)
    }
  }

  /// The runs of an earlier watch that are to be taken up.
  private func takeUp() throws -> [RunRecord] {
    let interrupted = try journal.interruptedRuns(ofWatch: watch.workflow).filter { run in
      let isWhole = run.request.hiddenParameters.isEmpty && !run.request.hidesTrigger
      if !isWhole {
        display.say(
          "run \(run.id) stays interrupted: it was given a secret, which the journal does not keep")
      }
      return isWhole
    }
    guard triggers.whenBusy == .restart else { return interrupted }
    // A run that is taken again from the top is as good as a new one.
    try watch.handAgain(interrupted)
    return []
  }

  private func finish(_ subscription: AnyCancellable) async -> ExitStatus {
    var status = ExitStatus.succeeded
    for await ending in endings {
      switch ending {
      case .exhausted: break
      case .signal(let number): status = .stopped(by: number)
      case .outputClosed: status = .outputClosed
      case .failed(let problem):
        display.say(problem)
        status = .cannotGoOn
      }
      break
    }
    state.withLock { $0.isEnding = true }
    runs.noteEnd()
    sources.cancel()
    go()
    subscription.cancel()
    await runs.finish()
    await inbox.flush()
    // Only now is it known how the last run ended.
    return status == .succeeded && runs.hasFailed ? .stepFailed : status
  }

  /// Asks for the end because of a signal.
  func stop(_ signal: Int32) {
    end.yield(.signal(signal))
  }

  // MARK: Pausing

  /// Whether no run begins until somebody says so.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Lets no run begin until it is called again.
  func togglePause() {
    let mustGo = state.withLock { state in
      state.isPaused.toggle()
      return !state.isPaused
    }
    if mustGo { go() }
    showStatus()
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
