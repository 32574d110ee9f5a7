// `StepControl`: the state for stopping, killing and approving one step of a run.

import WorkflowLanguage

/// The answer to a step that is waiting for approval.
struct Approval: Sendable {
  let isApproved: Bool
  let by: Requester
  /// The given values, as outputs.
  var values: StepOutputs = [:]
}

/// A result of a step that was set by hand.
struct SetResult: Sendable {
  let result: HandmadeResult
  let by: Requester?
}

/// The control state of one step, across all generations of a run.
///
/// A value guarded by the ledger's lock. Its methods change the state and return the futures,
/// tickets and handlers to act on; the caller does so after releasing the lock.
struct StepControl: Sendable {
  /// The generation whose events are recorded; nil while the step is not part of one.
  ///
  /// This gate is closed before a step is cancelled, so that no event of an old generation is
  /// recorded.
  private(set) var generation: Int?
  /// The cause for which this step is being stopped although the run continues.
  private(set) var cause: CancellationCause?
  /// The result that was set by hand while the step was in progress, to record when it has stopped.
  var setResult: SetResult?
  /// The reason for which this step is being stopped and fails: the time of its group is over.
  private(set) var failure: FailureReason?
  /// Who asked to cancel this step alone.
  private(set) var requester: Requester?
  /// The future of the step, from the moment it is ready until it ends.
  private var future: StepFuture?
  /// The pending approval, if the step is waiting for one.
  private var approval: Ticket<Approval?>?
  /// Whether the step has been ready to be used in this generation.
  private(set) var wasAvailable = false
  /// Whether the step is a service that is being stopped because no step needs it any more.
  private(set) var isWindingDown = false
  private var killHandlers: [Int: @Sendable () -> Void] = [:]
  private var nextHandler = 0
  private var isKilled = false
  /// Whether the step was in progress when the engine before this one died, and goes on.
  var isAdopting = false

  /// Returns whether an event of this generation of the step may be recorded.
  func admits(_ generation: Int) -> Bool { self.generation == generation }

  /// Returns whether this generation of the step may continue: its gate is open, and the step is
  /// not being stopped.
  func mayContinue(_ generation: Int) -> Bool {
    admits(generation) && cause == nil && failure == nil
  }

  /// Whether the gate is open for some generation.
  var isOpen: Bool { generation != nil }

  /// Opens the gate for a generation.
  mutating func admit(to generation: Int) {
    self.generation = generation
  }

  /// Closes the gate.
  ///
  /// The caller then cancels running work by disconnecting its future.
  mutating func close() {
    generation = nil
  }

  /// Forgets how the step was stopped in the previous generation.
  mutating func reset() {
    cause = nil
    failure = nil
    requester = nil
    setResult = nil
    isKilled = false
    isAdopting = false
    wasAvailable = false
    isWindingDown = false
  }

  /// Stores the future of a step that has become ready.
  mutating func becomeReady(_ future: StepFuture) {
    self.future = future
  }

  /// Records that the step is ready to be used while it runs.
  ///
  /// - Returns: The future by which the steps that wait for this are notified; nil if none may start.
  mutating func becomeAvailable() -> StepFuture? {
    guard isOpen, cause == nil else { return nil }
    wasAvailable = true
    return future
  }

  /// Stops a service because no step needs it any more.
  ///
  /// - Returns: The future to interrupt; nil if the service has not started.
  mutating func windDown() -> StepFuture? {
    guard isOpen, cause == nil, !isWindingDown, let future else { return nil }
    isWindingDown = true
    return future
  }

  /// Records that the step has ended.
  mutating func end() {
    future = nil
    isAdopting = false
    approval = nil
  }

  /// Stops this step only.
  ///
  /// - Returns: The future to interrupt; nil if the step is not ready yet. It then checks ``cause``
  ///   when it becomes ready.
  mutating func stop(
    _ cause: CancellationCause, by requester: Requester? = nil
  ) -> StepFuture? {
    // A step that is being cancelled on request stays so if `fail-fast` stops it, too.
    if self.cause != .request {
      self.cause = cause
      self.requester = requester
    }
    return future
  }

  /// Stops this step, which then counts as failed.
  ///
  /// - Returns: The future to interrupt; nil if the step is not ready yet. It fails when it becomes
  ///   ready.
  mutating func fail(because reason: FailureReason) -> StepFuture? {
    failure = reason
    return future
  }

  // MARK: Approval

  /// Makes the step wait for approval.
  ///
  /// - Returns: The ticket to wait on.
  mutating func ask() -> Ticket<Approval?> {
    let ticket = Ticket<Approval?>()
    approval = ticket
    return ticket
  }

  /// Takes the ticket of a step that is waiting for approval; nil if it is not.
  mutating func takeApproval() -> Ticket<Approval?>? {
    defer { approval = nil }
    return approval
  }

  // MARK: Killing

  /// Marks the step as killed, so that later registrations are refused.
  ///
  /// - Returns: The handlers to call.
  mutating func kill() -> [@Sendable () -> Void] {
    isKilled = true
    defer { killHandlers = [:] }
    return Array(killHandlers.values)
  }

  /// Registers a handler that kills the step.
  ///
  /// - Returns: The number with which to unregister it; nil if the step was already killed, in
  ///   which case the caller must call the handler itself.
  mutating func register(_ handler: @escaping @Sendable () -> Void) -> Int? {
    guard !isKilled else { return nil }
    nextHandler += 1
    killHandlers[nextHandler] = handler
    return nextHandler
  }

  /// Unregisters a handler; a call to it may still be in progress.
  mutating func unregister(_ number: Int) {
    killHandlers[number] = nil
  }
}
