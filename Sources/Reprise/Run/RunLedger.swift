// The one place where a live run's state changes: events are decided, stamped and folded under one
// lock, then delivered in that order on a queue of the run's own. Knows nothing of steps' actions.

import Synchronization
import WorkflowLanguage

/// Keeps the state of a live run and tells its listeners of every event.
final class RunLedger: Sendable {
  /// Undelivered pieces of output beyond which whoever reads more output is asked to wait.
  static let outputBacklogMax = 64

  /// What a decision sees and may change while it holds the ledger.
  struct Page: ~Copyable {
    fileprivate(set) var state: RunState
    /// How each step is stopped, killed and answered, by position.
    var controls: [StepControl] = []
    /// How many steps do not stand under `finally`.
    var mainCount = 0
    /// How the steps ended that do not stand under `finally`, once they have.
    var ending: RunEnding?
    fileprivate let run: RunID
    fileprivate let clock: any RunClock
    fileprivate var deliveries: [Delivery] = []
    fileprivate var isDelivering = false
    fileprivate var hasListeners = false
    /// Whether output is delivered although nothing listens to other events: to what records it.
    fileprivate var keepsOutput = false
    fileprivate var listeners: [any EventListener] = []
    fileprivate var outputBacklog = 0
    fileprivate var waitingForRoom = Waiters()
    fileprivate var waitingForOutput = Waiters()
    fileprivate var record: RecordQueue?
    /// The numbers of the events that told the last success of each step, for those who wait for their
    /// record; empty where nobody records.
    fileprivate var successNumbers: [Int] = []
  }

  fileprivate enum Delivery: Sendable {
    case event(Event)
    case join(any EventListener, recap: [Event])
  }

  /// The run that this is about.
  let run: RunID
  private let page: Mutex<Page>
  private let recording: Recording?
  // Not a task: a listener may block, and the threads that tasks share must not.
  private let queue: any WorkQueue

  /// Opens a ledger.
  ///
  /// - Parameters:
  ///   - run: The run that it is about.
  ///   - state: Where the run stands; `RunState()` for a new one.
  ///   - clock: Whose time counts.
  ///   - recorder: Who makes the events durable, if anybody does.
  ///   - runtime: The queues on which it delivers and records.
  ///   - observer: Who is told every event from now on, and nothing of what was before.
  ///   - onFailure: Told once when that is no longer possible.
  init(
    run: RunID, state: RunState = RunState(), clock: any RunClock, recorder: (any Recorder)? = nil,
    runtime: Runtime = Runtime(), observer: (any EventListener)? = nil,
    onFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.run = run
    recording = recorder.map {
      Recording(recorder: $0, runtime: runtime, onFailure: onFailure)
    }
    queue = runtime.makeQueue("reprise.events")
    page = Mutex(
      Page(state: state, run: run, clock: clock, record: recorder.map { _ in RecordQueue() }))
    let keeper = recorder.map { OutputKeeper(recorder: $0, onFailure: onFailure) }
    page.withLock { page in
      if let keeper { page.listeners.append(keeper) }
      if let observer { page.listeners.append(observer) }
      page.hasListeners = observer != nil
      page.keepsOutput = keeper != nil
    }
  }

  /// The present state.
  var state: RunState { page.withLock { $0.state } }

  /// Looks at the state and tells events, as one indivisible step.
  ///
  /// - Parameter decision: Runs under the lock: it must not call out.
  /// - Returns: What the decision returns; act on it afterwards.
  func decide<Result: Sendable>(_ decision: (inout Page) -> Result) -> Result {
    let (result, mustDeliver, recordTime) = page.withLock { page in
      let result = decision(&page)
      let mustDeliver = !page.deliveries.isEmpty && !page.isDelivering
      if mustDeliver { page.isDelivering = true }
      return (result, mustDeliver, page.record?.nextTime())
    }
    if mustDeliver { queue.enqueue { self.deliver() } }
    if let recordTime = recordTime ?? nil { recording?.schedule(recordTime) { self.record() } }
    return result
  }

  /// Waits until everything that has been told by now is durable, or the successes of some steps.
  ///
  /// Returns at once where nobody records.
  ///
  /// - Parameter steps: The steps; nil for everything.
  /// - Returns: Why it is not and never will be, or nil when it is.
  @discardableResult
  func recorded(successesOf steps: (some Sequence<StepIndex>)? = [StepIndex]?.none) async -> String?
  {
    guard recording != nil else { return nil }
    return await withCheckedContinuation { continuation in
      let (answer, mustStart) = page.withLock { page in
        let number = steps.map { page.lastSuccessNumber(of: $0) }
        return page.record?.wait(upTo: number, continuation) ?? (.durable, false)
      }
      if mustStart { recording?.schedule(.now) { self.record() } }
      switch answer {
      case .durable: continuation.resume(returning: nil)
      case .failed(let problem): continuation.resume(returning: problem)
      case .wait: break
      }
    }
  }

  /// Ends the run: makes its end durable first, and publishes it then.
  ///
  /// The other way round a display would say that the run has succeeded, and the disk that it has not.
  ///
  /// - Parameter decision: Says how the run ends; runs under the lock.
  /// - Returns: How it ended: abandoned where its end could not be recorded.
  func end(_ decision: (inout Page) -> RunOutcome) async -> RunOutcome {
    let (outcome, end) = decide { page in
      let outcome = decision(&page)
      let end = page.event(.runEnded(outcome))
      page.record?.append(end)
      return (outcome, end)
    }
    guard let problem = await recorded() else {
      decide { $0.publish(end) }
      return outcome
    }
    decide { $0.publish($0.event(.runEnded(.abandoned(problem)))) }
    return .abandoned(problem)
  }

  /// Records until nothing is left, a batch at a time.
  ///
  /// Runs on the queue of the recording, in at most one call at a time.
  private func record() {
    guard let recording else { return }
    while let batch = page.withLock({ $0.record?.takeBatch() }) {
      var problem: String?
      do {
        try recording.recorder.record(batch)
      } catch {
        problem = String(describing: error)
      }
      let ready = page.withLock { [problem] in
        $0.record?.finishBatch(of: batch.count, problem: problem) ?? []
      }
      if let problem { recording.onFailure(problem) }
      for continuation in ready { continuation.resume(returning: problem) }
    }
  }

  /// Adds a listener: it is told first what brings it to the present state, then every event.
  func join(_ listener: any EventListener) {
    decide { page in
      page.hasListeners = true
      page.deliveries.append(.join(listener, recap: page.state.recap))
    }
  }

  /// Removes a listener; an event that is being delivered at this moment may still reach it.
  func leave(_ listener: any EventListener) {
    page.withLock { page in
      page.listeners.removeAll { $0 === listener }
    }
  }

  /// Runs something on the queue on which events are delivered.
  func onDeliveryQueue(_ work: @escaping @Sendable () -> Void) {
    queue.enqueue(work)
  }

  /// Runs something on the queue on which events are delivered, after a delay.
  func onDeliveryQueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    queue.enqueue(after: delay, work)
  }

  /// Waits until the listeners have caught up with the output.
  func roomForOutput() async {
    await page.wait(
      until: { $0.hasRoomForOutput }, among: { $0.waitingForRoom.add($1) })
  }

  /// Waits until all output that has been told by now is with whoever records.
  ///
  /// Returns at once where nobody records.
  func outputKept() async {
    guard recording != nil else { return }
    await page.wait(until: { $0.outputBacklog == 0 }, among: { $0.waitingForOutput.add($1) })
  }

  /// Waits until the listeners have received what has been reported by now, as far as they want it.
  ///
  /// - Returns: Whether they have: not when the waiting task was cancelled first.
  func delivered() async -> Bool {
    let ticket = Ticket<Void>()
    // The queue is serial, and what there is to deliver has been enqueued.
    queue.enqueue { ticket.answer(()) }
    return await ticket.value() != nil
  }

  /// Delivers until nothing is left.
  ///
  /// Runs on the queue, in at most one call at a time.
  private func deliver() {
    while let deliveries = nextDeliveries() {
      for delivery in deliveries {
        switch delivery {
        case .event(let event):
          for listener in page.withLock({ $0.listeners }) { listener.receive(event) }
          if event.isOutput { makeRoom() }
          if case .runEnded = event.kind { finish() }
        case .join(let listener, let recap):
          page.withLock { $0.listeners.append(listener) }
          for event in recap { listener.receive(event) }
          if case .runEnded = recap.last?.kind { finish() }
        }
      }
    }
  }

  private func nextDeliveries() -> [Delivery]? {
    page.withLock { page in
      guard !page.deliveries.isEmpty else {
        page.isDelivering = false
        return nil
      }
      let deliveries = page.deliveries
      page.deliveries = []
      return deliveries
    }
  }

  private func makeRoom() {
    let (room, output) = page.withLock { page in
      page.outputBacklog -= 1
      return (
        page.outputBacklog <= Self.outputBacklogMax / 2 ? page.waitingForRoom.takeAll() : Waiters(),
        page.outputBacklog == 0 ? page.waitingForOutput.takeAll() : Waiters()
      )
    }
    room.wake()
    output.wake()
  }

  private func finish() {
    let listeners = page.withLock { page in
      let listeners = page.listeners
      page.listeners = []
      return listeners
    }
    for listener in listeners { listener.finish() }
  }
}

extension RunLedger.Page {
  /// Tells one event, stamped with the present time and generation, or with the generation given.
  ///
  /// For an event of a step, its position makes that cheaper.
  mutating func tell(_ kind: Event.Kind, generation: Int? = nil, ofStepAt step: Int? = nil) {
    let event = event(kind, generation: generation)
    if !event.isTransient { record?.append(event) }
    publish(event, ofStepAt: step)
  }

  /// Stamps an event with the present time and generation, or with the generation given.
  fileprivate func event(_ kind: Event.Kind, generation: Int? = nil) -> Event {
    Event(time: clock.now, run: run, generation: generation ?? state.generation, kind: kind)
  }

  /// Folds an event into the state and delivers it.
  fileprivate mutating func publish(_ event: Event, ofStepAt step: Int? = nil) {
    do {
      try state.apply(event, ofStepAt: step)
    } catch {
      preconditionFailure("BUG: \(error)")
    }
    guard hasListeners || keepsOutput && event.isOutput else { return }
    if event.isOutput { outputBacklog += 1 }
    deliveries.append(.event(event))
  }

  /// Tells something about one step.
  mutating func tell(_ event: Event.StepEvent, of step: Int, attempt: Int) {
    tell(.step(state.steps[step].id, attempt: attempt, event), ofStepAt: step)
    guard let record, case .succeeded = event else { return }
    if successNumbers.isEmpty { successNumbers = Array(repeating: 0, count: state.steps.count) }
    successNumbers[step] = record.toldCount
  }

  /// The number of the event that told the last success of some steps.
  fileprivate func lastSuccessNumber(of steps: some Sequence<StepIndex>) -> Int {
    guard !successNumbers.isEmpty else { return 0 }
    var last = 0
    for step in steps { last = max(last, successNumbers[step.position]) }
    return last
  }

  /// Whether more output may be reported, or else waits until the listeners have caught up.
  var hasRoomForOutput: Bool { outputBacklog < RunLedger.outputBacklogMax }
}
