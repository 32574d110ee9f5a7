// Maps the values of a publisher through asynchronous closures, a limited number at a time. Knows
// nothing of what the closures do.

public import OpenCombineShim
import Synchronization

extension Publisher where Output: Sendable, Failure == Never {
  /// Runs an asynchronous closure for each value and publishes what it returns.
  ///
  /// It is `flatMap` into a deferred, cancellable future, as one operator:
  ///
  /// - Values: in the order in which the closures end; with `.max(1)`, in the order of the upstream.
  /// - Demand: nothing starts before downstream has asked for something. Then upstream is asked for
  ///   `maxPublishers` values, and for one more each time that a result has been delivered, so that
  ///   at most that many closures run and results wait.
  /// - Completion: when upstream has finished and every result has been delivered.
  /// - Cancellation: cancels upstream and the tasks of all closures that run; returns without waiting
  ///   for them. Nothing is delivered after it.
  /// - Threads: each closure runs in a task of its own. Results and the completion are delivered one
  ///   after the other, from a task or on the thread of a request, never within a call of upstream.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many closures may run at once.
  ///   - transform: What to do with a value.
  /// - Returns: The publisher of the results.
  public func task<Result: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) async -> Result
  ) -> Publishers.TaskMap<Self, Result> {
    Publishers.TaskMap(upstream: self, maxPublishers: maxPublishers) {
      .success(await transform($0))
    }
  }

  /// Runs an asynchronous closure that may throw for each value and publishes what it returns.
  ///
  /// The contract is that of the closure that does not throw. An error that a closure throws is the
  /// failure of the publisher: upstream and the other tasks are cancelled.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many closures may run at once.
  ///   - transform: What to do with a value.
  /// - Returns: The publisher of the results.
  public func task<Result: Sendable, ClosureFailure: Error>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) async throws(ClosureFailure) -> Result
  ) -> Publishers.TaskMap<Publishers.SetFailureType<Self, ClosureFailure>, Result> {
    setFailureType(to: ClosureFailure.self).task(maxPublishers: maxPublishers, transform)
  }
}

extension Publisher where Output: Sendable {
  /// Runs an asynchronous closure that may throw the failure of this publisher for each value.
  ///
  /// The contract is that of the closure that does not throw. A failure of this publisher or of a
  /// closure comes through at once: upstream and the other tasks are cancelled.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many closures may run at once.
  ///   - transform: What to do with a value.
  /// - Returns: The publisher of the results.
  public func task<Result: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) async throws(Failure) -> Result
  ) -> Publishers.TaskMap<Self, Result> {
    Publishers.TaskMap(upstream: self, maxPublishers: maxPublishers) { value in
      do throws(Failure) {
        return .success(try await transform(value))
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Publishers {
  /// A publisher of what asynchronous closures make of the values of another publisher.
  ///
  /// See `Publisher.task(maxPublishers:_:)` for its contract.
  public struct TaskMap<Upstream: Publisher, Output: Sendable>: Publisher
  where Upstream.Output: Sendable {
    /// The failure of the publisher that gives the values, and of the closures.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let maxPublishers: Subscribers.Demand
    let transform: @Sendable (Upstream.Output) async -> Result<Output, Failure>

    /// Subscribes to the publisher that gives the values; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: Who gets the results.
    public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.subscribe(
        TaskMapSubscription<Upstream.Output, Downstream>(
          downstream: subscriber, maxPublishers: maxPublishers, transform: transform))
    }
  }
}

/// The one object of a subscription: it is the subscriber of upstream and the subscription of
/// downstream, and it owns the tasks.
private final class TaskMapSubscription<Input: Sendable, Downstream: Subscriber & SendableMetatype>:
  Subscriber, Subscription, Sendable
where Downstream.Input: Sendable {
  typealias Failure = Downstream.Failure
  typealias Outcome = Result<Downstream.Input, Failure>

  // @unchecked: neither subscriptions nor subscribers need be Sendable. The upstream subscription is
  // used from any thread, as its protocol allows; the subscriber is called by one thread at a time,
  // guarded by `isDelivering`.
  private struct State: @unchecked Sendable {
    var downstream: Downstream?
    var upstream: (any Subscription)?
    var hasUpstreamFinished = false
    var hasAsked = false
    var demand = Subscribers.Demand.none
    var tasks: [Int: Task<Void, Never>] = [:]
    var nextTask = 0
    var results = Queue<Downstream.Input>()
    var failure: Failure?
    var isDelivering = false
  }

  private enum Action {
    case deliver(Downstream, Downstream.Input)
    case complete(Downstream, Subscribers.Completion<Failure>, Dropped)
    case nothing
  }

  /// What is to be cancelled after the lock has been given back.
  private struct Dropped {
    var upstream: (any Subscription)?
    var tasks: [Int: Task<Void, Never>]

    func cancel() {
      upstream?.cancel()
      for task in tasks.values { task.cancel() }
    }
  }

  private let maxPublishers: Subscribers.Demand
  private let transform: @Sendable (Input) async -> Outcome
  private let state: Mutex<State>

  init(
    downstream: Downstream, maxPublishers: Subscribers.Demand,
    transform: @escaping @Sendable (Input) async -> Outcome
  ) {
    self.maxPublishers = maxPublishers
    self.transform = transform
    state = Mutex(State(downstream: downstream))
  }

  // MARK: From downstream

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let firstAsk = state.withLock { state in
      state.demand += demand
      guard !state.hasAsked, let upstream = state.upstream else {
        return Carried((any Subscription)?.none)
      }
      state.hasAsked = true
      return Carried(upstream)
    }
    firstAsk.value?.request(maxPublishers)
    deliver()
  }

  func cancel() {
    let dropped = state.withLock { state in
      let downstream = state.downstream
      return Carried((Self.drop(&state), downstream))
    }
    dropped.value.0.cancel()
  }

  private static func drop(_ state: inout State) -> Dropped {
    let dropped = Dropped(upstream: state.upstream, tasks: state.tasks)
    state.downstream = nil
    state.upstream = nil
    state.tasks = [:]
    state.results.removeAll()
    return dropped
  }

  // MARK: From upstream

  func receive(subscription: any Subscription) {
    let carried = Carried(subscription)
    let downstream = state.withLock { state in
      state.upstream = carried.value
      return Carried(state.downstream)
    }
    downstream.value?.receive(subscription: self)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    state.withLock { state in
      guard state.downstream != nil else { return }
      let number = state.nextTask
      state.nextTask += 1
      // Made under the lock, which only enqueues it, so that it cannot end before it is known.
      state.tasks[number] = Task { [transform] in
        self.end(number, await transform(input))
      }
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let isOver = state.withLock { state in
      guard state.downstream != nil else { return false }
      state.upstream = nil
      state.hasUpstreamFinished = true
      if case .failure(let error) = completion { state.failure = state.failure ?? error }
      return state.failure != nil || state.tasks.isEmpty
    }
    // In a task of its own: values may outrun completions, and where such operators build on one
    // another, a late completion would otherwise fall through all of them on one stack.
    if isOver { Task { self.deliver() } }
  }

  // MARK: From the tasks

  private func end(_ number: Int, _ outcome: Outcome) {
    state.withLock { state in
      guard state.downstream != nil else { return }
      state.tasks[number] = nil
      switch outcome {
      case .success(let result): state.results.append(result)
      case .failure(let error): state.failure = state.failure ?? error
      }
    }
    deliver()
  }

  // MARK: To downstream

  /// Delivers what can be delivered.
  ///
  /// Of several threads that come here at once, one delivers for all.
  private func deliver() {
    let isMine = state.withLock { state in
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    guard isMine else { return }
    while true {
      switch state.withLock({ Carried(Self.next(&$0)) }).value {
      case .deliver(let downstream, let result):
        let more = downstream.receive(result)
        let upstream = state.withLock { state in
          state.demand += more
          return Carried(state.upstream)
        }
        if maxPublishers != .unlimited { upstream.value?.request(.max(1)) }
      case .complete(let downstream, let completion, let dropped):
        dropped.cancel()
        return downstream.receive(completion: completion)
      case .nothing:
        return
      }
    }
  }

  private static func next(_ state: inout State) -> Action {
    guard let downstream = state.downstream else {
      state.isDelivering = false
      return .nothing
    }
    if let failure = state.failure {
      state.isDelivering = false
      return .complete(downstream, .failure(failure), drop(&state))
    }
    if state.demand > .none, let result = state.results.popFirst() {
      state.demand -= 1
      return .deliver(downstream, result)
    }
    state.isDelivering = false
    if state.hasUpstreamFinished && state.tasks.isEmpty && state.results.isEmpty {
      return .complete(downstream, .finished, drop(&state))
    }
    return .nothing
  }
}
