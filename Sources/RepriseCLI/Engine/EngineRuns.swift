// The runs of an engine: begins them as they are asked for, has them steered, and tells their events.
// Knows neither where requests come from nor where lines go.

import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// Begins and steers runs for requests.
///
/// All members may be called from any thread.
final class EngineRuns: SignalTarget {
  typealias Answer = @Sendable (EngineReply) -> Void

  private struct Start: Sendable {
    let source: EngineRequest.Source
    let parameters: [String: String]
    let answer: Answer
  }

  private struct State {
    var isEnding = false
    /// What is being begun at this moment.
    var beginning: Task<Void, Never>?
    /// Runs whose end could not be recorded.
    ///
    /// Who finds one without an engine ends what shares a control group with it, so they are held as long
    /// as there may be others.
    var unrecorded: [RecordedRun] = []
  }

  private let journal: Journal?
  private let rerunsUpToDateSteps: Bool
  private let tell: @Sendable (Event) -> Void
  private let live = LiveRuns()
  private let state = Mutex(State())
  private let starts: AsyncStream<Start>
  private let start: AsyncStream<Start>.Continuation

  /// Prepares for requests.
  ///
  /// - Parameters:
  ///   - journal: Where runs are recorded, if they are.
  ///   - rerunsUpToDateSteps: Whether steps run even when they are up to date.
  ///   - tell: Told of every event of every run, those of one run by one thread at a time.
  init(_ journal: Journal?, rerunsUpToDateSteps: Bool, tell: @escaping @Sendable (Event) -> Void) {
    self.journal = journal
    self.rerunsUpToDateSteps = rerunsUpToDateSteps
    self.tell = tell
    (starts, start) = AsyncStream.makeStream(of: Start.self)
  }

  /// Carries out a request.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - answer: Called once; before the first event of a run that is started.
  func carryOut(_ request: EngineRequest, answer: @escaping Answer) {
    switch request {
    case .start(let source, let parameters):
      let result = start.yield(Start(source: source, parameters: parameters, answer: answer))
      if case .terminated = result { answer(Self.isOver) }
    case .steer(let run, let request):
      guard let steering = RunID(run).flatMap({ live[$0] }), !steering.isOver else {
        return answer(.refused("no run \"\(run)\" of this engine is under way"))
      }
      steering.carryOut(request) { answer(EngineReply($0)) }
    }
  }

  // MARK: Beginning

  /// Begins runs as they are asked for, until the end.
  ///
  /// One after the other: the order of requests is that of their turns in a concurrency group.
  func takeStarts() async {
    for await start in starts {
      let beginning = Task { await begin(start) }
      let isEnding = state.withLock { state in
        state.beginning = beginning
        return state.isEnding
      }
      if isEnding { beginning.cancel() }
      await beginning.value
    }
  }

  private func begin(_ start: Start) async {
    guard !isEnding else { return start.answer(Self.isOver) }
    do {
      let loaded = try load(start)
      if journal == nil { try checkNeedsNoJournal(loaded.workflow) }
      let settings = RunSettings(
        progress: .none, secrets: try await gatherSecrets(of: loaded.workflow),
        rerunsUpToDateSteps: rerunsUpToDateSteps)
      guard !isEnding else { return start.answer(Self.isOver) }
      let steering = Steering()
      if let journal {
        let request = try loaded.request(hiding: settings.secrets)
        let isAlone = loaded.workflow.concurrency?.policy == .reject
        let held = HeldRun(
          recorded: try journal.begin(request, isAlone: isAlone),
          workflow: loaded.workflow, file: loaded.path, state: nil)
        add(held.recorded.id, steering)
        Task { await host(held, in: journal, settings, steering, start.answer) }
      } else {
        let id = RunID()
        add(id, steering)
        Task { await run(loaded.workflow, as: id, settings, steering, start.answer) }
      }
    } catch {
      start.answer(EngineReply(error))
    }
  }

  private func load(_ start: Start) throws(Problem) -> LoadedWorkflow {
    let arguments = Arguments(
      start.parameters, trigger: Trigger(kind: .manual, time: SystemClock().now.description))
    switch start.source {
    case .file(let name):
      return try LoadedWorkflow(path: try WorkflowFiles.path(of: name)) { _ throws(Problem) in
        arguments
      }
    case .text(let text): return try LoadedWorkflow(text: text, arguments)
    }
  }

  private func add(_ id: RunID, _ steering: Steering) {
    live.add(id, steering)
    // Whoever ends the others may not have seen this one.
    if isEnding { steering.cancel(now: false) }
  }

  // MARK: Under way

  /// Drives a recorded run to its end.
  private func host(
    _ held: HeldRun, in journal: Journal, _ settings: RunSettings, _ steering: Steering,
    _ answer: Answer
  ) async {
    let id = held.recorded.id
    var isAnswered = false
    live.hold(held.recorded)
    do {
      let hosted = try await HostedRun.begin(
        held, in: journal, settings, steering: steering,
        onReachable: {
          isAnswered = true
          answer(.started(id))
        })
      if let hosted {
        await show(hosted.run)
        if let problem = await hosted.finish() { printError("error: run \(id): \(problem)") }
      } else {
        live.letGo(of: id)
        tellEnd(.cancelled, of: id)
      }
    } catch {
      try? held.recorded.end(as: .abandoned)
      live.letGo(of: id)
      let reply = EngineReply(error)
      if isAnswered {
        tellEnd(.abandoned(reply.problem), of: id)
      } else {
        answer(reply)
      }
    }
    if held.recorded.lockDescriptor != nil {
      state.withLock { $0.unrecorded.append(held.recorded) }
    }
    live.remove(id)
  }

  /// Drives a run that is not recorded to its end.
  private func run(
    _ workflow: Workflow, as id: RunID, _ settings: RunSettings, _ steering: Steering,
    _ answer: Answer
  ) async {
    answer(.started(id))
    let run = Engine().start(workflow, id: id, secrets: settings.secrets)
    steering.begin(run)
    await show(run)
    live.remove(id)
  }

  /// Tells the events of a run, until nothing of it is left.
  private func show(_ run: Run) async {
    let last = Mutex(Event?.none)
    var subscription: AnyCancellable?
    await withCheckedContinuation { continuation in
      subscription = run.events.sink(
        receiveCompletion: { _ in continuation.resume() },
        receiveValue: { [tell] event in
          if case .runEnded = event.kind { last.withLock { $0 = event } } else { tell(event) }
        })
    }
    withExtendedLifetime(subscription) {}
    // Whoever reads of the end may start the next run of the group, or resume this one: the end must have
    // been recorded by then.
    _ = await run.ended()
    live.letGo(of: run.id)
    if let last = last.withLock({ $0 }) { tell(last) }
  }

  /// Tells the end of a run that has never begun: whoever has started it waits for that.
  private func tellEnd(_ outcome: RunOutcome, of id: RunID) {
    tell(Event(time: SystemClock().now, run: id, generation: 1, kind: .runEnded(outcome)))
  }

  // MARK: The end

  private var isEnding: Bool { state.withLock { $0.isEnding } }

  private static let isOver = EngineReply.refused("the engine is ending")

  /// Begins no more runs, and cancels those that are under way.
  func end() {
    noteEnd()
    for steering in live.steerings { steering.cancel(now: false) }
  }

  private func noteEnd() {
    let beginning = state.withLock { state in
      state.isEnding = true
      return state.beginning
    }
    start.finish()
    beginning?.cancel()
  }

  /// Waits until nothing of any run is left.
  func finish() async { await live.finish() }

  func receive(_ signal: Int32) {
    if signal != SignalListener.restarting { noteEnd() }
    live.receive(signal)
  }

  func freeze() { live.freeze() }
}

extension EngineReply {
  /// The reply to a request that has been carried out, or not.
  fileprivate init(_ reply: ControlReply) {
    switch reply {
    case .ok: self = .ok
    case .refused(let text): self = .refused(text)
    case .status: preconditionFailure("BUG: a run is no watch")
    }
  }

  /// Says why a run could not be begun.
  fileprivate init(_ error: any Error) {
    let problem =
      error as? Problem ?? (error as? GroupIsBusy).map(Problem.init) ?? Problem("\(error)")
    let prefix = "error: "
    let text = problem.text.string
    self = .refused(
      text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text,
      diagnostics: problem.diagnostics)
  }

  fileprivate var problem: String {
    if case .refused(let text, _) = self { text } else { "" }
  }
}
