// `QueuedRun`: a recorded run of a `RunHost`, from its record to its end.

public import CombineOperators
public import Reprise
import Synchronization

/// A run of a ``RunHost`` that is recorded, and begins when its turn in its concurrency group has
/// come.
///
/// The host retains it until the run has ended. Thread-safe; no member waits except ``begun()`` and
/// ``perform(_:by:)``.
public final class QueuedRun: Sendable, Identifiable {
  /// The id of the run.
  public let id: RunID

  private struct State {
    var run: Run?
    /// What waits for the turn.
    var waiting: Task<Void, Never>?
    var isInterrupted = false
  }

  private let state = Mutex(State())
  private let controls: RunControls
  private let beginning = SharedAnswer<Result<Run, HostError>>()

  init(_ id: RunID, _ controls: RunControls) {
    self.id = id
    self.controls = controls
  }

  /// The run; nil while it waits for its turn, and if it never begins.
  public var run: Run? { state.withLock { $0.run } }

  /// Whether the run has ended, or never begins.
  ///
  /// The host still finishes it, for example with its `on-end` command.
  var isOver: Bool { controls.isOver || controls.endBeforeStart != nil }

  /// Waits until the run has begun.
  ///
  /// Cancelling the task ends the wait, not the run.
  ///
  /// - Returns: The run.
  /// - Throws: ``HostError`` if the run never begins, such as ``HostError/cancelled(_:)``, or
  ///   ``HostError/interrupted(_:)`` if it begins when it is resumed; `CancellationError` if the task
  ///   was cancelled.
  public func begun() async throws -> Run {
    guard let result = await beginning.value() else { throw CancellationError() }
    return try result.get()
  }

  /// The events of the run, from its first one, also for a subscriber that comes before its turn.
  ///
  /// Fails with ``HostError`` if the run never begins. Each subscriber gets all events; cancelling a
  /// subscription does not affect the run.
  public var events: AnyPublisher<Event, HostError> { onceBegun { $0.events } }

  /// The events of the run, each with the state that it leads to; the rest as with ``events``.
  public var changes: AnyPublisher<RunChange, HostError> { onceBegun { $0.changes } }

  /// The states of the run, from its beginning or, for a later subscriber, the current one.
  ///
  /// Fails as ``events`` does. Nothing is published while the run waits for its turn.
  public var states: AnyPublisher<RunState, HostError> { onceBegun { $0.states } }

  private func onceBegun<Values: Publisher>(
    _ values: @escaping @Sendable (Run) -> Values
  ) -> AnyPublisher<Values.Output, HostError> where Values.Failure == Never {
    Just(()).setFailureType(to: HostError.self)
      .task { [beginning] () throws(HostError) -> Run? in try await beginning.value()?.get() }
      .concatMap { run in
        (run.map { values($0).eraseToAnyPublisher() } ?? Empty().eraseToAnyPublisher())
          .setFailureType(to: HostError.self)
      }
      .eraseToAnyPublisher()
  }

  /// Cancels the run: a run that waits for its turn never begins, and one that has begun is cancelled
  /// as by ``Reprise/Run/cancel()``.
  ///
  /// This is final: a program that starts does not resume the run. Returns immediately, before the
  /// cancel is recorded. To confirm it to a user, use `try await queued.perform(.cancel())`, which
  /// returns when it is.
  public func cancel() {
    controls.cancel(now: false)
  }

  /// Intervenes in the run as ``Reprise/Run/perform(_:by:)`` does, also in one that waits for its turn,
  /// which can only be cancelled.
  ///
  /// When this returns, the intervention is recorded: the death of the process does not undo it.
  ///
  /// - Parameters:
  ///   - intervention: The request.
  ///   - requester: Who makes it, for the record.
  /// - Returns: What the run does now; it may not have happened yet.
  /// - Throws: `InterventionRefusal` if the run cannot do it, has not begun, or cannot record it.
  @discardableResult
  public func perform(
    _ intervention: Intervention, by requester: Requester = .api
  ) async throws(InterventionRefusal) -> InterventionAnswer {
    try await withCheckedContinuation { continuation in
      controls.request(intervention, by: requester) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Stops the run so that it can be resumed, because the program stops: a run that waits for its turn
  /// is recorded as interrupted, and one that has begun is stopped as by ``Reprise/Run/interrupt()``.
  public func interrupt() {
    let (run, waiting) = state.withLock { state in
      state.isInterrupted = true
      return (state.run, state.waiting)
    }
    run?.interrupt()
    waiting?.cancel()
  }

  /// Sets what waits for the turn.
  func wait(in task: Task<Void, Never>) {
    let isInterrupted = state.withLock { state in
      state.waiting = task
      return state.isInterrupted
    }
    if isInterrupted { task.cancel() }
  }

  /// Sets the run, or the reason that it never begins.
  ///
  /// Must be called once.
  func begin(_ result: Result<Run, HostError>) {
    let run = try? result.get()
    let isInterrupted = state.withLock { state in
      state.run = run
      state.waiting = nil
      return state.isInterrupted
    }
    if isInterrupted { run?.interrupt() }
    beginning.answer(result)
  }

  /// Waits until the run has begun; if the task is cancelled, the run is interrupted first.
  func begunOrInterrupted() async throws(HostError) -> Run {
    let result = await withTaskCancellationHandler {
      // The wait goes on until the interruption is recorded.
      await Task { await beginning.value() }.value
    } onCancel: {
      interrupt()
    }
    guard let result else { throw HostError.interrupted(id) }
    return try result.get()
  }
}
