// `StepFuture`: the result of one step of one execution, as a future.

import CombineOperators
import Synchronization
import Workflows

/// The result of one step: computed once from the results of its needs, then replayed.
///
/// Create a future with ``zip(_:)`` and ``Zipped/flatMap(_:)``. It does nothing until connected:
///
///     let build = StepFuture.zip([]).flatMap { _ in await compile() }
///     let test = StepFuture.zip([build]).flatMap { results in await check(results) }
///     build.connect()
///     test.connect()
///
/// Equivalent to this chain of operators, whose sources are connected one by one:
///
///     needs.zip().flatMap { results in Future { await perform(results) } }.multicast(replaying: 1)
///
/// Some needs can be alternatives: the work then also begins once one of them has succeeded, and
/// the results of those that have none yet are ``StepResult/stopped``.
///
/// - Values: one, the result; then `.finished`. A later subscriber receives it immediately.
/// - Cancellation: ``cancel()`` cancels the task that performs the work, if there is one; otherwise
///   the work never begins and no value is sent. Cancelling a subscription only ends that
///   subscription.
/// - Threads: thread-safe. Subscribers are called on the task that computed the result, or inside
///   `receive(subscriber:)` if it is already known.
/// - Depth: nothing recurses along the graph. A future releases its needs and its dependents when
///   it has its result or is cancelled, so that no `deinit` does either.
/// - Complexity: linear in the number of needs, amortized.
final class StepFuture: ConnectablePublisher, Cancellable, Sendable {
  /// The result of a step.
  typealias Output = StepResult
  /// Failures of steps are values, because dependents must receive them.
  typealias Failure = Never

  /// Does the work, given the results of the needs in their order.
  typealias Perform = @Sendable ([StepResult]) async -> StepResult

  private enum Phase {
    /// Not connected yet.
    case idle
    /// This number of needs have no result yet.
    ///
    /// The count is one higher while the future subscribes to its needs, so that it does not start
    /// to wait before it has subscribed to all of them.
    case pending(Int)
    /// All needs have their results; it waits for the queue to begin the work.
    case waiting
    /// The work is in progress.
    case performing(Task<Void, Never>)
    case over(StepResult)
    /// Cancelled before the work began.
    case cancelled
  }

  private struct State {
    var phase = Phase.idle
    /// Whether the work was cancelled, possibly before its task existed.
    var isCancelled = false
    var needs: [StepFuture]
    /// The positions of the needs of which one success is enough.
    var alternatives: Set<Int> = []
    /// The number of alternatives to wait for; 0 once one of them has succeeded.
    var alternativeCount = 0
    var dependents: [StepFuture] = []
    /// The dependents for which this future is one of several alternatives.
    var alternativeDependents: [StepFuture] = []
    /// The number of dependents at which cancelled ones are removed.
    var compactionCount = 16
    var subscribers: [any ResultReceiver] = []
    var queue: any StepQueue = ImmediateQueue.shared
    var step = StepIndex(0)
    var waitCount = 0
    /// Ends as soon as the step is ready to be used.
    var readiness: StepFuture?

    /// Releases other futures and the subscribers.
    mutating func release() {
      needs = []
      dependents = []
      alternativeDependents = []
      subscribers = []
    }
  }

  private let perform: Perform
  private let state: Mutex<State>

  private init(needs: [StepFuture], alternatives: Set<Int>, perform: @escaping Perform) {
    self.perform = perform
    state = Mutex(
      State(needs: needs, alternatives: alternatives, alternativeCount: alternatives.count))
  }

  /// Joins futures: the first step in creating a future that needs them.
  ///
  /// - Parameters:
  ///   - needs: The futures, in the order in which their results are passed on.
  ///   - alternatives: The positions of those of which one success is enough.
  /// - Returns: The joined futures.
  static func zip(_ needs: [StepFuture], anyOf alternatives: Set<Int> = []) -> Zipped {
    Zipped(needs: needs, alternatives: alternatives)
  }

  /// The futures joined by ``StepFuture/zip(_:)``.
  struct Zipped {
    fileprivate let needs: [StepFuture]
    fileprivate let alternatives: Set<Int>

    /// Creates the future that performs work once all needs have their results.
    ///
    /// - Parameter perform: Does the work. Called at most once, in its own task, which
    ///   ``StepFuture/cancel()`` cancels.
    /// - Returns: The future, not yet connected.
    func flatMap(_ perform: @escaping Perform) -> StepFuture {
      StepFuture(needs: needs, alternatives: alternatives, perform: perform)
    }
  }

  // MARK: Connecting

  /// Starts the future without a queue: its work begins as soon as its needs have their results.
  ///
  /// - Returns: The future, which can be cancelled.
  @discardableResult
  func connect() -> any Cancellable {
    connect(as: StepIndex(0), in: ImmediateQueue.shared)
    return self
  }

  /// Subscribes to the needs, and enters the queue once all of them have their results.
  ///
  /// Needs that are not connected or were cancelled never get one. A second call has no effect.
  ///
  /// - Parameters:
  ///   - step: The step, for the queue.
  ///   - waitCount: The number of needs, the last ones, that are no needs of the step.
  ///   - queue: Decides when the work begins. Call its `startNext` after connecting.
  func connect(as step: StepIndex, waitCount: Int = 0, in queue: any StepQueue) {
    let connected = state.withLock { state -> (needs: [StepFuture], alternatives: Set<Int>)? in
      guard case .idle = state.phase else { return nil }
      state.phase = .pending(state.needs.count + 1)
      (state.step, state.waitCount) = (step, waitCount)
      state.queue = queue
      return (state.needs, state.alternatives)
    }
    guard let (needs, alternatives) = connected else { return }
    var answered = 1
    for (position, need) in needs.enumerated() {
      if alternatives.contains(position) {
        // The count stays above 0 until the last line, so the future never starts to wait here.
        if let result = need.add(self, isAlternative: true) {
          _ = startsWaiting(afterOneOf: result)
        }
      } else if need.add(self) != nil {
        answered += 1
      }
    }
    guard startsWaiting(after: answered), let result = enter() else { return }
    resolve(with: result)
  }

  /// The step given to ``connect(as:waitCount:in:)``.
  var step: StepIndex { state.withLock { $0.step } }

  /// The results of its needs, in their order.
  ///
  /// Valid only while the future is waiting or performing.
  var results: [StepResult] {
    state.withLock { $0.needs }.map { $0.result ?? .stopped }
  }

  /// The same results, divided into those of the step's needs and of what it only waits for.
  var needResults: NeedResults {
    NeedResults(results, waitCount: state.withLock { $0.waitCount })
  }

  private var result: StepResult? {
    state.withLock { state in
      if case .over(let result) = state.phase { result } else { nil }
    }
  }

  /// Adds a dependent, which is notified of the result.
  ///
  /// - Parameters:
  ///   - dependent: The dependent.
  ///   - isAlternative: Whether this future is one of its alternatives.
  /// - Returns: The result if it is already known; the dependent is then not notified.
  private func add(_ dependent: StepFuture, isAlternative: Bool = false) -> StepResult? {
    state.withLock { state in
      if case .over(let result) = state.phase { return result }
      if state.dependents.count + state.alternativeDependents.count >= state.compactionCount {
        // Nested locks are always taken in the same order: first a need, then its dependent.
        state.dependents.removeAll(where: \.wasCancelledBeforeItBegan)
        state.alternativeDependents.removeAll(where: \.wasCancelledBeforeItBegan)
        state.compactionCount = Swift.max(
          16, 2 * (state.dependents.count + state.alternativeDependents.count))
      }
      if isAlternative {
        state.alternativeDependents.append(dependent)
      } else {
        state.dependents.append(dependent)
      }
      return nil
    }
  }

  private var wasCancelledBeforeItBegan: Bool {
    state.withLock { state in
      if case .cancelled = state.phase { true } else { false }
    }
  }

  /// Subtracts needs that have their results.
  ///
  /// - Returns: Whether these were the last ones; the caller must then ``enter()`` the queue.
  private func startsWaiting(after count: Int) -> Bool {
    state.withLock { state in
      guard case .pending(let missing) = state.phase else { return false }
      state.phase = missing == count ? .waiting : .pending(missing - count)
      return missing == count
    }
  }

  /// Subtracts an alternative that has this result, and with a success also the others.
  ///
  /// - Returns: Whether these were the last needs; the caller must then ``enter()`` the queue.
  private func startsWaiting(afterOneOf result: StepResult) -> Bool {
    state.withLock { state in
      guard case .pending(let missing) = state.phase, state.alternativeCount > 0 else {
        return false
      }
      let count = if case .succeeded = result { state.alternativeCount } else { 1 }
      state.alternativeCount -= count
      state.phase = missing == count ? .waiting : .pending(missing - count)
      return missing == count
    }
  }

  // MARK: Performing

  /// Enters the queue.
  ///
  /// - Returns: The result, if there is nothing to perform.
  private func enter() -> StepResult? {
    let queue = state.withLock { $0.queue }
    if let result = queue.enter(self) { return result }
    // `interrupt()` may have run before the queue knew this future. Either its `leave` removes the
    // future from the queue, or the `leave` here does.
    guard state.withLock({ $0.isCancelled }) else { return nil }
    return queue.leave(self)
  }

  /// Begins the work.
  ///
  /// Called by the queue, at most once, after the future has entered it.
  ///
  /// - Parameter executor: Runs the task that performs the work; nil for the global pool.
  func begin(on executor: (any TaskExecutor)? = nil) {
    // A task without a preference is cheaper than a task with a preference of nil.
    let task =
      if let executor {
        Task.detached(executorPreference: executor) { await self.run() }
      } else {
        Task.detached { await self.run() }
      }
    let isCancelled = state.withLock { state in
      // The task may already have ended.
      if case .waiting = state.phase { state.phase = .performing(task) }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  private func run() async {
    resolve(with: await perform(results))
    state.withLock { $0.queue }.startNext(after: self)
  }

  /// Sets the result of this future, and of dependents that end without being performed.
  ///
  /// A loop rather than recursion: one failure may end a chain of 100,000 steps.
  private func resolve(with result: StepResult) {
    var ended = Queue<(StepFuture, StepResult)>()
    ended.append((self, result))
    while let (future, result) = ended.popFirst() {
      let (dependents, alternativeDependents, subscribers) = future.end(with: result)
      for dependent in dependents where dependent.startsWaiting(after: 1) {
        if let result = dependent.enter() { ended.append((dependent, result)) }
      }
      for dependent in alternativeDependents where dependent.startsWaiting(afterOneOf: result) {
        if let result = dependent.enter() { ended.append((dependent, result)) }
      }
      for subscriber in subscribers { subscriber.receive(result) }
      if let readiness = future.state.withLock({ $0.readiness }) {
        ended.append((readiness, result))
      }
    }
  }

  private func end(
    with result: StepResult
  ) -> ([StepFuture], alternatives: [StepFuture], [any ResultReceiver]) {
    state.withLock { state in
      switch state.phase {
      case .cancelled, .over: return ([], [], [])
      default: state.phase = .over(result)
      }
      defer { state.release() }
      return (state.dependents, state.alternativeDependents, state.subscribers)
    }
  }

  // MARK: Readiness

  /// A future whose result comes as soon as this step is ready to be used, or else with its end.
  ///
  /// Use it in ``zip(_:)`` before this future is connected.
  var readiness: StepFuture {
    state.withLock { state in
      if let readiness = state.readiness { return readiness }
      let readiness = StepFuture(needs: [], alternatives: []) { _ in .stopped }
      if case .over = state.phase { readiness.state.withLock { $0.phase = state.phase } }
      state.readiness = readiness
      return readiness
    }
  }

  /// Sets the result of ``readiness``, while the work goes on.
  ///
  /// Has no effect if the step has been ready before. Call `startNext` of the queue afterwards.
  func announce(_ result: StepResult) { readiness.resolve(with: result) }

  // MARK: Cancelling

  /// Cancels the future.
  ///
  /// Returns immediately; has no effect once the future has its result. Work in progress may still
  /// end with a result, which is then set.
  func cancel() {
    let released = state.withLock { state -> [StepFuture] in
      switch state.phase {
      case .idle, .pending:
        state.phase = .cancelled
        // Release after unlocking: these may include the last reference to a need.
        defer { state.release() }
        return state.needs + state.dependents + state.alternativeDependents
      case .waiting, .performing, .over, .cancelled:
        return []
      }
    }
    withExtendedLifetime(released) {}
    state.withLock { $0.readiness }?.cancel()
    interrupt()
  }

  /// Cancels the work if all needs have their results; otherwise has no effect.
  func interrupt() {
    let (task, queue) = state.withLock { state -> (Task<Void, Never>?, (any StepQueue)?) in
      switch state.phase {
      case .waiting:
        state.isCancelled = true
        return (nil, state.queue)
      case .performing(let task):
        state.isCancelled = true
        return (task, nil)
      case .idle, .pending, .over, .cancelled:
        return (nil, nil)
      }
    }
    task?.cancel()
    guard let queue, let result = queue.leave(self) else { return }
    resolve(with: result)
    queue.startNext(after: nil)
  }

  // MARK: Subscribing

  /// Subscribes; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: Receives the result and `.finished`, once it has requested a value.
  func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == StepResult, Downstream.Failure == Never {
    let subscription = ResultSubscription(downstream: subscriber)
    subscriber.receive(subscription: subscription)
    let result = state.withLock { state -> StepResult? in
      if case .over(let result) = state.phase { return result }
      state.subscribers.append(subscription)
      return nil
    }
    if let result { subscription.receive(result) }
  }
}
