// `StepControl`: the state for stopping, killing and approving one step of a run.

import Masking
import Workflows

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

  /// Returns the result without secrets, also in the names of its outputs.
  func masked(by masker: Masker) -> SetResult {
    guard case .succeeded(let outputs) = result, !masker.isEmpty else { return self }
    let masked = outputs.map { (masker.masked($0), masker.masked($1)) }
    return SetResult(
      result: .succeeded(Dictionary(masked) { first, _ in first }),
      by: by?.masked(by: masker.masked))
  }
}

/// Why a step is being stopped, although the run continues.
enum StepStop: Sendable {
  /// It is cancelled, for this cause; if on request, by someone.
  case cancelled(CancellationCause, by: Requester? = nil)
  /// It fails: the time of this group around it is over.
  case failed(FailureReason, in: GroupIndex)
  /// It is a service that no step needs any more.
  case unused
  /// Its result was set by hand.
  case set(SetResult)

  /// Whether it was asked for by hand.
  var isRequested: Bool {
    switch self {
    case .cancelled(.request, _), .set: true
    case .cancelled, .failed, .unused: false
    }
  }

  /// Returns whether it takes the place of an earlier one: what was asked for by hand counts most, and
  /// that a step was cancelled because of another one least.
  func replaces(_ earlier: StepStop) -> Bool {
    switch (earlier, self) {
    case (.set, _): false
    case (_, .set): true
    case (.cancelled(.request, _), _): false
    case (_, .cancelled(.request, _)): true
    case (.unused, _): false
    case (.failed, .cancelled): false
    case (.failed, _), (.cancelled, _): true
    }
  }
}

/// The control state of one step, across all generations of a run.
///
/// A value guarded by the ledger's lock. Its methods change the state and return the futures,
/// tickets and handlers to act on; the caller does so after releasing the lock.
struct StepControl: Sendable {
  /// The connection of the step whose events are recorded; nil while it is not connected.
  ///
  /// This gate is closed before a step is cancelled or connected anew, so that no event of an old
  /// connection is recorded.
  private(set) var connection: Int?
  /// Why this step is being stopped although the run continues; nil if it is not.
  private(set) var stop: StepStop?
  /// The future of the step, from the moment its needs have succeeded until it ends.
  private(set) var future: StepFuture?
  /// The pending approval, if the step is waiting for one.
  private var approval: Ticket<Approval?>?
  /// The place of the step in the order in which steps became ready to be used; nil if it has not been
  /// ready in this generation.
  private(set) var readyNumber: Int?
  /// Whether the step was in progress when the engine before this one died, and goes on.
  var isAdopting = false
  private var kill = KillSwitch()
  /// Who asked for the service to be started again, until its attempt in progress has ended.
  private(set) var restarter: Requester?
  /// Answered when that is asked for.
  private var restartTicket: Ticket<Void>?

  /// Returns whether an event of this connection of the step may be recorded.
  func admits(_ connection: Int) -> Bool { self.connection == connection }

  /// Returns whether this connection of the step may continue: its gate is open, and the step is
  /// not being stopped.
  func mayContinue(_ connection: Int) -> Bool { admits(connection) && stop == nil }

  /// Whether the step has been ready to be used in this generation.
  var wasReady: Bool { readyNumber != nil }

  /// Whether the gate is open for some connection.
  var isOpen: Bool { connection != nil }

  /// The cause for which the step is being cancelled, if any.
  var cause: CancellationCause? {
    if case .cancelled(let cause, _) = stop { cause } else { nil }
  }

  /// Whether the step is a service that is being stopped because no step needs it any more.
  var isUnused: Bool { if case .unused = stop { true } else { false } }

  /// Opens the gate for a connection.
  mutating func open(for connection: Int) {
    self.connection = connection
  }

  /// Closes the gate.
  ///
  /// The caller then cancels running work by disconnecting its future.
  mutating func close() {
    connection = nil
  }

  /// Forgets how the step was stopped in the previous generation.
  mutating func reset() {
    stop = nil
    (isAdopting, readyNumber) = (false, nil)
    (restarter, restartTicket) = (nil, nil)
    kill.reset()
  }

  /// Stores the future of a step that waits from now on.
  mutating func startWaiting(_ future: StepFuture) {
    self.future = future
  }

  /// Records that the step is ready to be used while it runs.
  ///
  /// - Parameter number: Its place among the steps that became ready, if it has none yet.
  /// - Returns: The future by which the steps that wait for this are notified; nil if none may start.
  mutating func becomeReady(as number: Int) -> StepFuture? {
    guard isOpen, stop == nil else { return nil }
    readyNumber = readyNumber ?? number
    return future
  }

  /// Records that the step has ended.
  mutating func end() {
    future = nil
    isAdopting = false
    (approval, restarter, restartTicket) = (nil, nil, nil)
  }

  /// Stops this step only, unless it is being stopped for a reason that counts more.
  ///
  /// - Returns: The future to interrupt; nil if the step is still pending. What it is stopped for then
  ///   happens once it is not.
  mutating func stop(_ stop: StepStop) -> StepFuture? {
    if self.stop.map(stop.replaces) ?? true { self.stop = stop }
    return future
  }

  /// Stops a service because no step needs it any more.
  ///
  /// - Returns: The future to interrupt; nil if the service has not started, or is being stopped.
  mutating func windDown() -> StepFuture? {
    guard isOpen, stop == nil, future != nil else { return nil }
    return stop(.unused)
  }

  // MARK: Starting again

  /// Whether the service can be started again: it is not being stopped.
  var mayRestart: Bool { isOpen && stop == nil }

  /// Begins to wait for a request to start the service again.
  ///
  /// - Parameter countsEarlier: Whether a request since the end of the last attempt counts: before the next
  ///   one, but not during it, as it has started since.
  /// - Returns: The ticket, which is answered at the request.
  mutating func awaitRestart(countsEarlier: Bool = false) -> Ticket<Void> {
    let ticket = Ticket<Void>()
    if countsEarlier, restarter != nil {
      // The ticket is not returned yet, so no one can be called back while a lock is held.
      ticket.answer(())
    } else {
      (restarter, restartTicket) = (nil, ticket)
    }
    return ticket
  }

  /// Asks for the service to be started again.
  ///
  /// - Returns: The ticket to answer; nil if nothing waits for it: it is about to start.
  mutating func restart(by requester: Requester) -> Ticket<Void>? {
    guard mayRestart, let ticket = restartTicket else { return nil }
    (restarter, restartTicket) = (requester, nil)
    return ticket
  }

  /// Takes the request to start the service again, if there is one.
  mutating func takeRestart() -> Requester? {
    defer { (restarter, restartTicket) = (nil, nil) }
    return restarter
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
  mutating func takeKillHandlers() -> [@Sendable () -> Void] { kill.takeHandlers() }

  /// Registers a handler that kills the step.
  ///
  /// - Returns: The number with which to unregister it; nil if the step was already killed, in
  ///   which case the caller must call the handler itself.
  mutating func register(_ handler: @escaping @Sendable () -> Void) -> Int? {
    kill.register(handler)
  }

  /// Unregisters a handler; a call to it may still be in progress.
  mutating func unregister(_ number: Int) { kill.unregister(number) }
}

/// The handlers that kill a step, until it is killed.
private struct KillSwitch: Sendable {
  private var handlers: [Int: @Sendable () -> Void] = [:]
  private var count = 0
  private var isUsed = false

  mutating func reset() { isUsed = false }

  mutating func takeHandlers() -> [@Sendable () -> Void] {
    isUsed = true
    defer { handlers = [:] }
    return Array(handlers.values)
  }

  mutating func register(_ handler: @escaping @Sendable () -> Void) -> Int? {
    guard !isUsed else { return nil }
    count += 1
    handlers[count] = handler
    return count
  }

  mutating func unregister(_ number: Int) { handlers[number] = nil }
}
