// The runs of an engine: starts them, controls them, and reports their events. Independent of the
// transport of requests and events.

import Platform
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// Starts and controls runs for requests.
///
/// Thread-safe.
final class EngineRuns: SignalTarget {
  typealias Answer = @Sendable (EngineReply) -> Void

  private struct Start: Sendable {
    let source: EngineRequest.Source
    let parameters: [String: String]
    let answer: Answer
  }

  private struct State {
    /// The start in progress, if any.
    var beginning: Task<Void, Never>?
  }

  private let host: RunHost?
  private let settings: EngineSettings
  private let report: @Sendable (Event) -> Void
  private let say: @Sendable (TerminalSafe) -> Void
  private let group = RunGroup<RunControls>()
  private let locks: GuardedLocks
  private let state = Mutex(State())
  private let starts: AsyncStream<Start>
  private let start: AsyncStream<Start>.Continuation

  /// Creates an empty set of runs.
  ///
  /// - Parameters:
  ///   - host: The host of recorded runs; nil to record no runs.
  ///   - settings: The settings of engines for runs that are not recorded.
  ///   - say: Prints a message for people.
  ///   - report: Called with each event of each run; never concurrently for the same run.
  init(
    _ host: RunHost?, _ settings: EngineSettings,
    say: @escaping @Sendable (TerminalSafe) -> Void = { _ in },
    report: @escaping @Sendable (Event) -> Void
  ) {
    self.say = host?.say ?? say
    self.host = host
    self.settings = settings
    self.report = report
    locks = GuardedLocks(host?.guardian)
    (starts, start) = AsyncStream.makeStream(of: Start.self)
  }

  /// Performs a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - answer: Called once; for a start, before the first event of the run.
  func carryOut(_ request: EngineRequest, answer: @escaping Answer) {
    switch request {
    case .start(let source, let parameters):
      let result = start.yield(Start(source: source, parameters: parameters, answer: answer))
      if case .terminated = result { answer(Self.shuttingDown) }
    case .control(let run, let request):
      guard let controls = RunID(run).flatMap({ group[$0] }), !controls.isOver else {
        return answer(.refused("no run \"\(run)\" of this engine is live"))
      }
      controls.carryOut(request, of: nil) { answer(EngineReply($0)) }
    }
  }

  // MARK: Starting runs

  /// Handles start requests until shutdown.
  ///
  /// Handles them one after the other, so that runs of a concurrency group get their turns in the
  /// order of the requests.
  func handleStarts() async {
    for await start in starts {
      let beginning = Task { await begin(start) }
      state.withLock { $0.beginning = beginning }
      if group.isClosed { beginning.cancel() }
      await beginning.value
    }
  }

  private func begin(_ start: Start) async {
    guard !group.isClosed else { return start.answer(Self.shuttingDown) }
    do {
      let loaded = try await blocking { [self] in try load(start) }
      if host == nil { try loaded.workflow.expectNeedsNoJournal() }
      let secrets = try await Secrets.gathered(for: loaded.workflow)
      guard group.begin() else { return start.answer(Self.shuttingDown) }
      defer { group.reservationEnded() }
      let controls = RunControls()
      if let host {
        let recorded = try await blocking {
          try host.journal.begin(
            try loaded.request(hiding: secrets),
            isAlone: loaded.workflow.concurrency?.policy == .reject)
        }
        add(recorded.id, controls)
        Task { await drive(recorded, loaded, secrets, in: host, controls, start.answer) }
      } else {
        let id = RunID()
        add(id, controls)
        Task { await drive(loaded, as: id, secrets, controls, start.answer) }
      }
    } catch {
      start.answer(EngineReply(Problem(error)))
    }
  }

  private func load(_ start: Start) throws(Problem) -> LoadedWorkflow {
    let arguments = Arguments(
      start.parameters, trigger: Trigger(.manual, time: SystemClock().now.description))
    switch start.source {
    case .file(let name):
      return try LoadedWorkflow(path: try WorkflowFiles.path(of: name)) { _ throws(Problem) in
        arguments
      }
    case .text(let text): return try LoadedWorkflow(text: text, arguments)
    }
  }

  private func add(_ id: RunID, _ controls: RunControls) {
    if group.add(id, controls) { controls.cancel(now: false) }
  }

  // MARK: Live runs

  /// Drives a recorded run to its end.
  private func drive(
    _ recorded: RecordedRun, _ loaded: LoadedWorkflow, _ secrets: Secrets, in host: RunHost,
    _ controls: RunControls, _ answer: Answer
  ) async {
    let id = recorded.id
    var isAnswered = false
    locks.share(recorded)
    do {
      let hosted = try await host.begin(
        recorded, loaded, secrets, controls: controls,
        onReachable: {
          isAnswered = true
          answer(.started(id))
        })
      if let hosted {
        await show(hosted.run, recorded)
        if let problem = await hosted.finish() { host.say("error: run \(id): \(problem)") }
        await performEndCommand(of: hosted.run, controls, secrets)
      } else {
        locks.release(recorded)
        reportEnd(.cancelled, of: id)
      }
    } catch {
      _ = try? await blocking { try recorded.end(as: .abandoned) }
      locks.release(recorded)
      let reply = EngineReply(Problem(error))
      if isAnswered {
        reportEnd(.abandoned(reply.problem), of: id)
      } else {
        answer(reply)
      }
    }
    group.remove(id)
  }

  /// Drives an unrecorded run to its end.
  private func drive(
    _ loaded: LoadedWorkflow, as id: RunID, _ secrets: Secrets, _ controls: RunControls,
    _ answer: Answer
  ) async {
    answer(.started(id))
    let folders = TemporaryRunFolders()
    defer { folders.remove() }
    let run = settings.makeEngine(folders: folders.path).start(
      loaded.workflow, id: id, secrets: secrets)
    controls.setWorkflow(loaded)
    controls.begin(run)
    await show(run)
    await performEndCommand(of: run, controls, secrets)
    group.remove(id)
  }

  private func performEndCommand(
    of run: Run, _ controls: RunControls, _ secrets: Secrets
  ) async {
    let outcome = await run.ended()
    if let warning = await controls.performEndCommand(after: outcome, secrets: secrets) {
      say("run \(run.id): " + warning)
    }
  }

  /// Reports the events of a run until all its processes have ended, and releases its lock.
  private func show(_ run: Run, _ recorded: RecordedRun? = nil) async {
    let last = Mutex(Event?.none)
    var subscription: AnyCancellable?
    await withCheckedContinuation { continuation in
      subscription = run.events.sink(
        receiveCompletion: { _ in continuation.resume() },
        receiveValue: { [report] event in
          if case .runEnded = event.kind { last.withLock { $0 = event } } else { report(event) }
        })
    }
    withExtendedLifetime(subscription) {}
    // Report the last event only after the end is recorded: the client may then start the next run
    // of the group, or resume this one.
    _ = await run.ended()
    if let recorded { locks.release(recorded) }
    if let last = last.withLock({ $0 }) { report(last) }
  }

  /// Reports the end of a run that never started; its client waits for an end.
  private func reportEnd(_ outcome: RunOutcome, of id: RunID) {
    report(Event(time: SystemClock().now, run: id, generation: 1, kind: .runEnded(outcome)))
  }

  // MARK: Shutdown

  private static let shuttingDown = EngineReply.refused("the engine is shutting down")

  /// Starts no more runs, and cancels live ones.
  func end() {
    for controls in close() { controls.cancel(now: false) }
  }

  private func close() -> [RunControls] {
    let live = group.closeToCancel()
    start.finish()
    state.withLock { $0.beginning }?.cancel()
    return live
  }

  /// Waits until all runs have ended.
  func finish() async { await group.finish() }

  func receive(_ signal: Int32) {
    let live = signal == SignalNumber.user1 ? group.controls : close()
    for controls in live { controls.receive(signal) }
  }

  func freeze() {
    for controls in group.controls { controls.freeze() }
  }
}

extension EngineReply {
  /// Converts the reply of a run.
  fileprivate init(_ reply: ControlReply) {
    switch reply {
    case .ok: self = .ok
    case .accepted(let answer): self = .accepted(answer)
    case .refused(let text): self = .refused(text)
    case .handled, .status: self = .refused("a run is not a watch")
    }
  }

  /// Creates the reply for a run that could not be started.
  fileprivate init(_ problem: Problem) {
    self = .refused(
      problem.text.string.withoutErrorPrefix, diagnostics: problem.diagnostics)
  }

  fileprivate var problem: String {
    if case .refused(let text, _) = self { text } else { "" }
  }
}
