// How one step of a run is stopped, killed and answered. Plain value, guarded by the ledger's lock.

import WorkflowLanguage

/// The control state of one step, through all generations of a run.
///
/// A decision about a step changes this value under the lock of the ledger and returns what has to
/// be done about it, which is then done without the lock.
struct StepControl: Sendable {
  /// The generation whose events count; nil while the step is out of the run.
  ///
  /// The gate that is closed before a step is cancelled, so that nothing of an old generation is
  /// recorded.
  private(set) var generation: Int?
  /// Why the step alone is to end, though the run goes on.
  private(set) var cause: CancellationCause?
  /// The future of the step, from the moment it is ready until it ends.
  private var future: StepFuture?
  /// The question that the step waits to have answered.
  private var approval: Ticket<Bool>?
  private var killHandlers: [Int: @Sendable () -> Void] = [:]
  private var nextHandler = 0
  private var isKilled = false

  /// Whether an event of this generation of the step may be recorded.
  func admits(_ generation: Int) -> Bool { self.generation == generation }

  /// Whether this generation of the step may begin something.
  func mayGoOn(_ generation: Int) -> Bool { admits(generation) && cause == nil }

  /// Opens the gate for a generation.
  mutating func admit(to generation: Int) {
    self.generation = generation
  }

  /// Closes the gate.
  ///
  /// What runs is cancelled by disconnecting its future, afterwards.
  mutating func close() {
    generation = nil
  }

  /// Forgets why the step was stopped in the generation before.
  mutating func reset() {
    cause = nil
  }

  /// Notes the future of a step that is ready.
  mutating func becomeReady(_ future: StepFuture) {
    self.future = future
  }

  /// Notes that the step has ended.
  mutating func end() {
    future = nil
    approval = nil
  }

  /// Stops the step alone.
  ///
  /// - Returns: The future to interrupt; nil when the step has not become ready: it will find out.
  mutating func stop(_ cause: CancellationCause) -> StepFuture? {
    self.cause = cause
    return future
  }

  // MARK: Approval

  /// Lets the step be approved or rejected.
  ///
  /// - Returns: The ticket to wait with: whether the step is approved.
  mutating func ask() -> Ticket<Bool> {
    let ticket = Ticket<Bool>()
    approval = ticket
    return ticket
  }

  /// Takes the ticket of a step that waits for approval; nil when it does not.
  mutating func takeApproval() -> Ticket<Bool>? {
    defer { approval = nil }
    return approval
  }

  // MARK: Killing

  /// Kills the step, and whatever of it registers later.
  ///
  /// - Returns: The handlers to call.
  mutating func kill() -> [@Sendable () -> Void] {
    isKilled = true
    defer { killHandlers = [:] }
    return Array(killHandlers.values)
  }

  /// Registers what kills the step.
  ///
  /// - Returns: The number with which to unregister it; nil when the step was killed before: the
  ///   caller must then call the handler itself.
  mutating func register(_ handler: @escaping @Sendable () -> Void) -> Int? {
    guard !isKilled else { return nil }
    nextHandler += 1
    killHandlers[nextHandler] = handler
    return nextHandler
  }

  /// Unregisters a handler; a call of it may be in progress.
  mutating func unregister(_ number: Int) {
    killHandlers[number] = nil
  }
}
