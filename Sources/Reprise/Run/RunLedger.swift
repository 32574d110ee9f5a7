// `RunLedger`: the state of a live run, and the ordered delivery of its events.

import Synchronization
import WorkflowLanguage

/// Holds the state of a live run and delivers every event to its listeners.
///
/// The state changes here only: events are stamped and folded under one lock, then delivered in
/// that order on the run's own queue.
final class RunLedger: Sendable {
  /// The number of undelivered output events at which readers of output must wait.
  static let outputBacklogMax = 64

  /// The ledger's contents, as a decision reads and changes them under the lock.
  struct Page: ~Copyable {
    fileprivate(set) var state: RunState
    /// The workflow of the current generation.
    var workflow: Workflow
    /// The control state of each step, by position.
    var controls: [StepControl] = []
    /// The number of steps that are not under `finally`; they come first.
    var mainCount = 0
    /// The number of steps under `finally` that ended by request before all others had ended.
    var earlyFinallyCount = 0
    /// The ending that decides which `finally` steps run; nil until all other steps have ended.
    var ending: RunEnding?
    /// The slots that follow which steps have ended, for items of several steps.
    var slots: Slots?
    /// The services of the workflow.
    var services: ServiceUsers
    /// The time limits and retries of groups.
    var groups: GroupRuns
    /// Whether a step has ended since the last look at the services.
    var mustCheckServices = false
    fileprivate let run: RunID
    fileprivate let clock: any RunClock
    fileprivate var deliveries: [Delivery] = []
    fileprivate var isDelivering = false
    fileprivate var hasListeners = false
    /// Whether output events are delivered even without listeners, for the recorder.
    fileprivate var recordsOutput = false
    fileprivate var listeners: [any EventListener] = []
    fileprivate var outputBacklog = 0
    fileprivate var waitingForRoom = Waiters()
    fileprivate var waitingForOutput = Waiters()
    fileprivate var record: RecordQueue?
    /// The number of the last `succeeded` event of each step, to wait for its record.
    ///
    /// Empty without a recorder.
    fileprivate var successNumbers: [Int] = []
  }

  fileprivate enum Delivery: Sendable {
    case event(Event)
    case join(any EventListener, recap: [Event])
    /// Answered after everything that was published before.
    case mark(Ticket<Void>)
  }

  /// The id of the run.
  let run: RunID
  private let page: Mutex<Page>
  private let recording: Recording?
  // A queue, not a task: listeners may block, and the threads of the concurrency pool must not.
  private let queue: any WorkQueue
  let groupTimers: GroupTimers

  /// Creates a ledger.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - workflow: The workflow.
  ///   - state: The initial state; `RunState()` for a new run.
  ///   - clock: The source of timestamps.
  ///   - recorder: Makes the events durable, if set.
  ///   - runtime: Provides the queues for delivery and recording.
  ///   - observer: Receives every event from now on, without a recap.
  ///   - onFailure: Called with the problem when recording has failed.
  init(
    run: RunID, of workflow: Workflow, state: RunState = RunState(), clock: any RunClock,
    recorder: (any Recorder)? = nil,
    runtime: Runtime = Runtime(), observer: (any EventListener)? = nil,
    onFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.run = run
    recording = recorder.map {
      Recording(recorder: $0, runtime: runtime, onFailure: onFailure)
    }
    queue = runtime.makeQueue("reprise.events")
    groupTimers = GroupTimers(clock: clock, runtime: runtime)
    page = Mutex(
      Page(
        state: state, workflow: workflow, services: ServiceUsers(of: workflow),
        groups: GroupRuns(of: workflow), run: run, clock: clock,
        record: recorder.map { _ in RecordQueue() }))
    let keeper = recorder.map { OutputRecorder(recorder: $0, onFailure: onFailure) }
    page.withLock { page in
      if let keeper { page.listeners.append(keeper) }
      if let observer { page.listeners.append(observer) }
      page.hasListeners = observer != nil
      page.recordsOutput = keeper != nil
    }
  }

  /// The current state.
  var state: RunState { page.withLock { $0.state } }

  /// Reads the state and publishes events, atomically.
  ///
  /// - Parameter decision: Runs under the lock, so it must not invoke callbacks or block.
  /// - Returns: The result of the decision; act on it after the call.
  func decide<Result: Sendable>(_ decision: (inout Page) -> Result) -> Result {
    let (result, mustDeliver, recordTime, unneeded, timers) = page.withLock { page in
      let result = decision(&page)
      let unneeded = page.mustCheckServices ? page.windDownServices() : []
      page.mustCheckServices = false
      let mustDeliver = !page.deliveries.isEmpty && !page.isDelivering
      if mustDeliver { page.isDelivering = true }
      return (
        result, mustDeliver, page.record?.nextTime(), unneeded, page.groups.takeTimerChanges()
      )
    }
    if mustDeliver { queue.enqueue { self.deliver() } }
    if let recordTime = recordTime ?? nil { recording?.schedule(recordTime) { self.record() } }
    for service in unneeded { service.interrupt() }
    if !timers.isEmpty { groupTimers.apply(timers, self) }
    return result
  }

  /// Waits until all events published so far are durable, or only the successes of some steps.
  ///
  /// Returns immediately without a recorder.
  ///
  /// - Parameter place: The step whose needs' successes to wait for; nil for all events.
  /// - Returns: The problem if they can never become durable; nil once they are.
  @discardableResult
  func recorded(successesOfNeedsOf place: StepPlace? = nil) async -> String? {
    guard recording != nil else { return nil }
    return await withCheckedContinuation { continuation in
      let (answer, mustStart) = page.withLock { page in
        let number = place.map { place in
          guard place.isPresent else { return 0 }
          return page.lastSuccessNumber(of: page.workflow.graph.needs(of: place.index))
        }
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

  /// Ends the run: first makes its end durable, then publishes it.
  ///
  /// In the opposite order, a display could report a success that was never recorded.
  ///
  /// - Parameter decision: Returns the outcome of the run; runs under the lock.
  /// - Returns: The outcome; ``RunOutcome/abandoned(_:)`` if the end could not be recorded.
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

  /// Records batch by batch until nothing is left.
  ///
  /// Runs on the recording queue, in at most one call at a time.
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

  /// Adds a listener, which receives a recap of the current state and then every event.
  func join(_ listener: any EventListener) {
    decide { page in
      page.hasListeners = true
      page.deliveries.append(.join(listener, recap: page.state.recap))
    }
  }

  /// Removes a listener; an event whose delivery is in progress may still reach it.
  func leave(_ listener: any EventListener) {
    page.withLock { page in
      page.listeners.removeAll { $0 === listener }
    }
  }

  /// Runs a closure on the delivery queue.
  func onDeliveryQueue(_ work: @escaping @Sendable () -> Void) {
    queue.enqueue(work)
  }

  /// Runs a closure on the delivery queue after a delay.
  func onDeliveryQueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    queue.enqueue(after: delay, work)
  }

  /// Waits until the listeners have caught up enough for more output.
  func roomForOutput() async {
    await page.wait(
      until: { $0.hasRoomForOutput }, among: { $0.waitingForRoom.add($1) })
  }

  /// Waits until all output published so far has been passed to the recorder.
  ///
  /// Returns immediately without a recorder.
  func outputRecorded() async {
    guard recording != nil else { return }
    await page.wait(until: { $0.outputBacklog == 0 }, among: { $0.waitingForOutput.add($1) })
  }

  /// Waits until the listeners have received all events published so far, as their demand allows.
  ///
  /// - Returns: True once they have; false if the waiting task is cancelled first.
  func delivered() async -> Bool {
    let ticket = Ticket<Void>()
    // Not a closure on the queue: the thread that starts the delivery of earlier events may not have
    // reached the queue yet.
    decide { $0.deliveries.append(.mark(ticket)) }
    return await ticket.value() != nil
  }

  /// Delivers events until none is left.
  ///
  /// Runs on the delivery queue, in at most one call at a time.
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
        case .mark(let ticket):
          ticket.answer(())
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
  /// Records and publishes one event, stamped with the current time and generation by default.
  ///
  /// For an event of a step, passing the step's position avoids a lookup.
  mutating func record(
    _ kind: Event.Kind, generation: Int? = nil, ofStepAt step: Int? = nil,
    by requester: Requester? = nil
  ) {
    var event = event(kind, generation: generation)
    event.by = requester
    if !event.isTransient { record?.append(event) }
    publish(event, ofStepAt: step)
  }

  /// Creates an event stamped with the current time and, by default, the current generation.
  fileprivate func event(_ kind: Event.Kind, generation: Int? = nil) -> Event {
    Event(time: clock.now, run: run, generation: generation ?? state.generation, kind: kind)
  }

  /// Folds an event into the state and queues it for delivery.
  fileprivate mutating func publish(_ event: Event, ofStepAt step: Int? = nil) {
    do {
      try state.apply(event, ofStepAt: step)
    } catch {
      preconditionFailure("BUG: \(error)")
    }
    slots?.follow(event, ofStepAt: step, in: state)
    if !groups.isEmpty { groups.follow(event, ofStepAt: step, in: state) }
    guard hasListeners || recordsOutput && event.isOutput else { return }
    if event.isOutput { outputBacklog += 1 }
    deliveries.append(.event(event))
  }

  /// Records and publishes an event of one step.
  mutating func record(
    _ event: Event.StepEvent, of step: Int, attempt: Int, by requester: Requester? = nil
  ) {
    record(
      .step(state.steps[step].id, attempt: attempt, event), ofStepAt: step, by: requester)
    if !services.isEmpty, state.steps[step].phase.isFinal { mustCheckServices = true }
    guard let record, case .succeeded = event else { return }
    if successNumbers.isEmpty { successNumbers = Array(repeating: 0, count: state.steps.count) }
    successNumbers[step] = record.appendedCount
  }

  /// Takes another workflow for the next generation; the steps of `origins` are kept.
  ///
  /// - Parameters:
  ///   - workflow: The new workflow.
  ///   - origins: For each step of the new workflow, the step of the old one if it is kept.
  mutating func replaceWorkflow(with workflow: Workflow, origins: [StepIndex?]) {
    let old = controls
    controls = origins.map { origin in origin.map { old[$0.position] } ?? StepControl() }
    if !successNumbers.isEmpty {
      let old = successNumbers
      successNumbers = origins.map { origin in origin.map { old[$0.position] } ?? 0 }
    }
    mainCount = workflow.graph.count - workflow.finallyCount
    self.workflow = workflow
    services = ServiceUsers(of: workflow)
    groups.replace(with: workflow)
  }

  /// Returns the number of the latest `succeeded` event among some steps; 0 if there is none.
  fileprivate func lastSuccessNumber(of steps: some Sequence<StepIndex>) -> Int {
    guard !successNumbers.isEmpty else { return 0 }
    var last = 0
    for step in steps { last = max(last, successNumbers[step.position]) }
    return last
  }

  /// Whether more output may be reported now; otherwise the caller must wait for the listeners.
  var hasRoomForOutput: Bool { outputBacklog < RunLedger.outputBacklogMax }
}
