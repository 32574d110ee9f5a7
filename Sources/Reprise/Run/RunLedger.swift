// `RunLedger`: the state of a live run, and the ordered delivery of its events.

import Synchronization
import Workflows

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
    /// The steps of the run.
    var plan: Plan
    /// The control state of each step, by index.
    var controls: [StepControl] = []
    /// The ending that decides which `finally` steps run; nil until all other steps have ended.
    var ending: RunEnding?
    /// The slots that follow which steps have ended, for items of several steps.
    var slots: Slots?
    /// The steps that have set variables for others in some generation.
    var variableSetters: Set<StepIndex>
    /// The services of the workflow.
    var services: ServiceUsers
    /// The time limits and retries of groups.
    var groups: GroupRuns
    /// The first event that the state has refused, because of which the run is abandoned.
    fileprivate(set) var problem: String?
    fileprivate var mustReportProblem = false
    /// The number of times that steps were connected.
    var connectionCount = 0
    /// The steps that waited for groups to run again which now do not.
    var released: [StepIndex] = []
    /// Whether a step has ended since the last look at the services.
    var mustCheckServices = false
    /// The services that are being stopped and are not asked to end yet, each with what ends first.
    var heldServices: [StepIndex: [StepIndex]] = [:]
    /// The number of times that a step became ready to be used.
    var readyCount = 0
    /// The steps that wait because one that they use is between two of its attempts.
    var waitingUsers: [Ticket<Void>] = []
    /// The approvals that were answered.
    var answeredApprovals: [AnsweredApproval] = []
    /// Whether a step has become ready to be used, or has ended, since these steps were woken.
    var mustWakeUsers = false
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
    fileprivate(set) var record: RecordQueue?
    /// The number of the last `succeeded` event of each step, to wait for its record.
    ///
    /// Empty without a recorder.
    var successNumbers: [Int] = []
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
  let recording: Recording?
  private let onFailure: @Sendable (String) -> Void
  private let onRelease: @Sendable ([StepIndex]) -> Void
  // A queue, not a task: listeners may block, and the threads of the concurrency pool must not.
  private let queue: any WorkQueue
  let groupTimers: GroupTimers

  /// Creates a ledger.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - plan: The steps of the run.
  ///   - state: The initial state; `RunState()` for a new run.
  ///   - clock: The source of timestamps.
  ///   - recorder: Makes the events durable, if set.
  ///   - runtime: Provides the queues for delivery and recording.
  ///   - observer: Receives every event from now on, without a recap.
  ///   - onFailure: Called with the problem when recording has failed, or when an event was refused.
  ///   - onRelease: Called with steps that waited for groups to run again which now do not.
  init(
    run: RunID, of plan: Plan, state: RunState = RunState(), clock: any RunClock,
    recorder: (any Recorder)? = nil,
    runtime: Runtime = Runtime(), observer: (any EventListener)? = nil,
    onFailure: @escaping @Sendable (String) -> Void = { _ in },
    onRelease: @escaping @Sendable ([StepIndex]) -> Void = { _ in }
  ) {
    self.run = run
    (self.onFailure, self.onRelease) = (onFailure, onRelease)
    recording = recorder.map {
      Recording(recorder: $0, runtime: runtime, onFailure: onFailure)
    }
    queue = runtime.makeQueue("reprise.events")
    groupTimers = GroupTimers(clock: clock, runtime: runtime)
    page = Mutex(
      Page(
        state: state, plan: plan, variableSetters: StepVariables.setters(in: state),
        services: ServiceUsers(of: plan), groups: GroupRuns(of: plan), run: run, clock: clock,
        record: recorder.map { _ in RecordQueue() }))
    let keeper = recorder.map { OutputRecorder(recorder: $0, onFailure: onFailure) }
    page.withLock { page in
      if let keeper { page.listeners.append(keeper) }
      if let observer { page.listeners.append(observer) }
      page.hasListeners = observer != nil
      page.recordsOutput = keeper != nil
    }
  }

  /// The steps of the run, as of now.
  var plan: Plan { page.withLock { $0.plan } }

  /// The current state.
  var state: RunState { page.withLock { $0.state } }

  /// Reads the state and publishes events, atomically.
  ///
  /// - Parameter decision: Runs under the lock, so it must not invoke callbacks or block.
  /// - Returns: The result of the decision; act on it after the call.
  @discardableResult
  func decide<Result: Sendable>(_ decision: (inout Page) -> Result) -> Result {
    let (result, mustDeliver, time, unneeded, timers, users, released, problem) = page.withLock {
      page in
      let result = decision(&page)
      let users = page.takeUsersToWake() + page.takeApprovalsInEffect()
      let unneeded = page.windDownServices()
      let mustDeliver = !page.deliveries.isEmpty && !page.isDelivering
      if mustDeliver { page.isDelivering = true }
      return (
        result, mustDeliver, page.record?.nextTime(), unneeded, page.groups.takeTimerChanges(),
        users, page.takeReleased(), page.takeProblem()
      )
    }
    for user in users { user.answer(()) }
    if mustDeliver { queue.enqueue { self.deliver() } }
    if let time = time ?? nil { recording?.schedule(time) { self.record() } }
    for service in unneeded { service.interrupt() }
    if !timers.isEmpty { groupTimers.apply(timers, self) }
    if !released.isEmpty { onRelease(released) }
    if let problem { onFailure(problem) }
    return result
  }

  /// Waits until all events published so far are durable, or only the successes of some steps.
  ///
  /// Returns immediately without a recorder.
  ///
  /// - Parameter step: The step whose needs' successes to wait for; nil for all events.
  /// - Returns: The problem if they can never become durable; nil once they are.
  @discardableResult
  func recorded(successesOfNeedsOf step: StepIndex? = nil) async -> String? {
    guard recording != nil else { return nil }
    return await withCheckedContinuation { continuation in
      let (answer, mustStart) = page.withLock { page in
        let number = step.map { page.lastSuccessNumber(of: page.plan.graph.needs(of: $0)) }
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
      let decided = decision(&page)
      let outcome = page.problem.map(RunOutcome.abandoned) ?? decided
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
  /// For an event of a step, passing the step avoids a lookup.
  ///
  /// - Returns: Whether the state has accepted the event. If not, the run is abandoned.
  @discardableResult
  mutating func record(
    _ kind: Event.Kind, generation: Int? = nil, of step: StepIndex? = nil,
    by requester: Requester? = nil
  ) -> Bool {
    var event = event(kind, generation: generation)
    event.by = requester
    guard publish(event, of: step) else { return false }
    if !event.isTransient { record?.append(event) }
    return true
  }

  /// Creates an event stamped with the current time and, by default, the current generation.
  fileprivate func event(_ kind: Event.Kind, generation: Int? = nil) -> Event {
    Event(time: clock.now, run: run, generation: generation ?? state.generation, kind: kind)
  }

  /// Folds an event into the state and queues it for delivery.
  ///
  /// An event that the state refuses has no effect: the run is abandoned instead, because the order
  /// of its events can no longer be trusted.
  ///
  /// - Returns: Whether the state has accepted the event.
  fileprivate mutating func publish(_ event: Event, of step: StepIndex? = nil) -> Bool {
    do {
      try state.apply(event, of: step)
    } catch {
      if problem == nil {
        (problem, mustReportProblem) = ("unexpected order of events: \(error)", true)
      }
      return false
    }
    slots?.follow(event, of: step, in: state)
    if !groups.isEmpty { groups.follow(event, of: step, in: state) }
    guard hasListeners || recordsOutput && event.isOutput else { return true }
    if event.isOutput { outputBacklog += 1 }
    deliveries.append(.event(event))
    return true
  }

  /// Takes the problem of a refused event, to report it once.
  fileprivate mutating func takeProblem() -> String? {
    guard mustReportProblem else { return nil }
    mustReportProblem = false
    return problem
  }

  /// Returns the number of the latest `succeeded` event among some steps; 0 if there is none.
  fileprivate func lastSuccessNumber(of steps: some Sequence<StepIndex>) -> Int {
    guard !successNumbers.isEmpty else { return 0 }
    return steps.reduce(0) { max($0, successNumbers[$1]) }
  }

  /// Whether more output may be reported now; otherwise the caller must wait for the listeners.
  var hasRoomForOutput: Bool { outputBacklog < RunLedger.outputBacklogMax }
}
