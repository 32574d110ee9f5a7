// One step of one execution as a future: the zip of what it needs, flat-mapped through its work.

import CombineOperators
import Synchronization

/// The result of one step: computed once, from the results of the futures that it needs, and
/// replayed to everyone who subscribes.
///
/// A future is made by ``zip(_:)`` and ``Zipped/flatMap(_:)`` and does nothing until it is connected:
///
///     let build = StepFuture.zip([]).flatMap { _ in await compile() }
///     let test = StepFuture.zip([build]).flatMap { results in await check(results) }
///     build.connect()
///     test.connect()
///
/// It equals this chain of operators, whose sources are connected one by one:
///
///     needs.zip().flatMap { results in Future { await perform(results) } }.multicast(replaying: 1)
///
/// - Values: one, the result; then `.finished`. A later subscriber receives it at once.
/// - Cancellation: ``cancel()`` cancels the task that performs the work, if there is one; otherwise
///   the work never begins and no value is sent. Cancelling a subscription only ends that
///   subscription.
/// - Threads: safe to use from any thread. Subscribers are called on the task that computed the
///   result, or inside `receive(subscriber:)` when it is already known.
/// - Depth: nothing recurses along the graph. A future releases its needs and its dependents when
///   it has its result or is cancelled, so that no `deinit` does either.
/// - Complexity: linear in the number of needs, amortised.
final class StepFuture: ConnectablePublisher, Cancellable, Sendable {
  /// The result of a step.
  typealias Output = StepResult
  /// A failed step is a value, because the steps that need it must hear of it.
  typealias Failure = Never

  /// Does the work, given the results of the needs in their order.
  typealias Perform = @Sendable ([StepResult]) async -> StepResult

  private enum Phase {
    /// Not connected yet.
    case idle
    /// Waits for so many needs. While it subscribes to them, it counts as one of its own needs, so
    /// that it does not become ready halfway.
    case waiting(Int)
    /// All needs have their results; waits for the queue to begin it.
    case ready
    /// Its work is in progress.
    case performing(Task<Void, Never>)
    case over(StepResult)
    /// Cancelled before its work began.
    case cancelled
  }

  private struct State {
    var phase = Phase.idle
    /// Whether the work was to be cancelled before it had a task.
    var isCancelled = false
    var needs: [StepFuture]
    var dependents: [StepFuture] = []
    /// The number of dependents at which cancelled ones are looked for and removed.
    var compactionCount = 16
    var subscribers: [any ResultReceiver] = []
    var queue: any StepQueue = ImmediateQueue.shared
    var step = 0
  }

  private let perform: Perform
  private let state: Mutex<State>

  private init(needs: [StepFuture], perform: @escaping Perform) {
    self.perform = perform
    state = Mutex(State(needs: needs))
  }

  /// Joins futures: the first half of making one that needs them.
  ///
  /// - Parameter needs: The futures, in the order in which their results are wanted.
  /// - Returns: The futures, joined.
  static func zip(_ needs: [StepFuture]) -> Zipped {
    Zipped(needs: needs)
  }

  /// Futures that were joined.
  struct Zipped {
    fileprivate let needs: [StepFuture]

    /// Makes the future that performs work once all needs have their results.
    ///
    /// - Parameter perform: Does the work. Called at most once, in a task of its own, which
    ///   ``StepFuture/cancel()`` cancels.
    /// - Returns: The future, not connected yet.
    func flatMap(_ perform: @escaping Perform) -> StepFuture {
      StepFuture(needs: needs, perform: perform)
    }
  }

  // MARK: Connecting

  /// Starts the future, without a queue: its work begins as soon as its needs have their results.
  ///
  /// - Returns: The future, which can be cancelled.
  @discardableResult
  func connect() -> any Cancellable {
    connect(as: 0, in: ImmediateQueue.shared)
    return self
  }

  /// Starts the future: it subscribes to its needs, and enters the queue when all have their results.
  ///
  /// Needs that are not connected, or were cancelled, never have one. A second call does nothing.
  ///
  /// - Parameters:
  ///   - step: The position of the step, for the queue.
  ///   - queue: Decides when the work begins. Call its `startNext` after connecting.
  func connect(as step: Int, in queue: any StepQueue) {
    let needs = state.withLock { state -> [StepFuture]? in
      guard case .idle = state.phase else { return nil }
      state.phase = .waiting(state.needs.count + 1)
      state.step = step
      state.queue = queue
      return state.needs
    }
    guard let needs else { return }
    var answered = 1
    for need in needs where !need.add(self) { answered += 1 }
    guard becomesReady(after: answered), let result = enter() else { return }
    resolve(with: result)
  }

  /// The position given to ``connect(as:in:)``.
  var step: Int { state.withLock { $0.step } }

  /// The results of what it needs, in their order.
  ///
  /// To be read while it is ready or performing.
  var results: [StepResult] {
    state.withLock { $0.needs }.map { $0.result ?? .stopped }
  }

  private var result: StepResult? {
    state.withLock { state in
      if case .over(let result) = state.phase { result } else { nil }
    }
  }

  /// Adds a future that needs this one.
  ///
  /// - Returns: Whether it will be notified; false when the result is known already.
  private func add(_ dependent: StepFuture) -> Bool {
    state.withLock { state in
      if case .over = state.phase { return false }
      if state.dependents.count >= state.compactionCount {
        // Locks nest along the graph only, from a need to what depends on it.
        state.dependents.removeAll(where: \.wasCancelledBeforeItBegan)
        state.compactionCount = Swift.max(16, 2 * state.dependents.count)
      }
      state.dependents.append(dependent)
      return true
    }
  }

  private var wasCancelledBeforeItBegan: Bool {
    state.withLock { state in
      if case .cancelled = state.phase { true } else { false }
    }
  }

  /// Counts needs that have their results.
  ///
  /// - Returns: Whether these were the last ones: the caller must then ``enter()`` it.
  private func becomesReady(after count: Int) -> Bool {
    state.withLock { state in
      guard case .waiting(let missing) = state.phase else { return false }
      state.phase = missing == count ? .ready : .waiting(missing - count)
      return missing == count
    }
  }

  // MARK: Performing

  /// Enters the queue.
  ///
  /// - Returns: The result, when there is nothing to perform.
  private func enter() -> StepResult? {
    let queue = state.withLock { $0.queue }
    if let result = queue.enter(self) { return result }
    // `cancel` may have been called before the queue knew the future. Either that call took it out
    // of the queue, or this one does.
    guard state.withLock({ $0.isCancelled }) else { return nil }
    return queue.leave(self)
  }

  /// Begins the work.
  ///
  /// Called by the queue, at most once, after the future has entered it.
  ///
  /// - Parameter executor: Runs the task that performs the work; the shared pool when nil.
  func begin(on executor: (any TaskExecutor)? = nil) {
    // A task without a preference is cheaper than one that prefers nothing.
    let task =
      if let executor {
        Task.detached(executorPreference: executor) { await self.run() }
      } else {
        Task.detached { await self.run() }
      }
    let isCancelled = state.withLock { state in
      // The task may have ended by now.
      if case .ready = state.phase { state.phase = .performing(task) }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  private func run() async {
    resolve(with: await perform(results))
    state.withLock { $0.queue }.startNext(after: self)
  }

  /// Sets the result of this future, and of all that end because of it without being performed.
  ///
  /// A loop, not a recursion: 100,000 steps in a row may be given up because the first one failed.
  private func resolve(with result: StepResult) {
    var ended = Queue<(StepFuture, StepResult)>()
    ended.append((self, result))
    while let (future, result) = ended.popFirst() {
      let (dependents, subscribers) = future.end(with: result)
      for dependent in dependents where dependent.becomesReady(after: 1) {
        if let result = dependent.enter() { ended.append((dependent, result)) }
      }
      for subscriber in subscribers { subscriber.receive(result) }
    }
  }

  private func end(with result: StepResult) -> ([StepFuture], [any ResultReceiver]) {
    state.withLock { state in
      if case .cancelled = state.phase { return ([], []) }
      state.phase = .over(result)
      defer {
        state.needs = []
        state.dependents = []
        state.subscribers = []
      }
      return (state.dependents, state.subscribers)
    }
  }

  // MARK: Cancelling

  /// Cancels the future.
  ///
  /// Returns at once; does nothing once the future has its result. Work in progress may still end
  /// with a result, which is then set.
  func cancel() {
    let released = state.withLock { state -> [StepFuture] in
      switch state.phase {
      case .idle, .waiting:
        state.phase = .cancelled
        // Released after the lock: the last reference to a need may be among them.
        defer {
          state.needs = []
          state.dependents = []
          state.subscribers = []
        }
        return state.needs + state.dependents
      case .ready, .performing, .over, .cancelled:
        return []
      }
    }
    withExtendedLifetime(released) {}
    interrupt()
  }

  /// Cancels the work if the needs have their results already; otherwise does nothing.
  func interrupt() {
    let (task, queue) = state.withLock { state -> (Task<Void, Never>?, (any StepQueue)?) in
      switch state.phase {
      case .ready:
        state.isCancelled = true
        return (nil, state.queue)
      case .performing(let task):
        state.isCancelled = true
        return (task, nil)
      case .idle, .waiting, .over, .cancelled:
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

/// Decides when futures begin their work.
protocol StepQueue: AnyObject, Sendable {
  /// Adds a future whose needs have their results. The queue calls its `begin()` later, once.
  ///
  /// - Returns: The result when there is nothing to perform: the future is then not in the queue.
  func enter(_ future: StepFuture) -> StepResult?

  /// Removes a future.
  ///
  /// - Returns: Its result if it was waiting; nil when it has begun, has left, or never entered.
  func leave(_ future: StepFuture) -> StepResult?

  /// Begins what may begin now.
  ///
  /// - Parameter ended: The future that has just ended, after what it made ready has entered; nil
  ///   when none has.
  func startNext(after ended: StepFuture?)
}

/// A queue in which nothing waits.
private final class ImmediateQueue: StepQueue {
  static let shared = ImmediateQueue()

  func enter(_ future: StepFuture) -> StepResult? {
    future.begin()
    return nil
  }

  func leave(_ future: StepFuture) -> StepResult? { nil }

  func startNext(after ended: StepFuture?) {}
}
