// Maps the values of a publisher through asynchronous closures, a limited number at a time. Knows
// nothing of what the closures do. All of it can be inlined, as the zip can.

public import CombineShim
public import Synchronization

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
  @inlinable
  public func task<Result: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) async -> Result
  ) -> Publishers.TaskMap<Self, Result> {
    Publishers.TaskMap(
      upstream: self, maxPublishers: maxPublishers, transform: .returning(transform))
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
  @inlinable
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
  @inlinable
  public func task<Result: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) async throws(Failure) -> Result
  ) -> Publishers.TaskMap<Self, Result> {
    Publishers.TaskMap(
      upstream: self, maxPublishers: maxPublishers, transform: .throwing(transform))
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

    @usableFromInline let upstream: Upstream
    @usableFromInline let maxPublishers: Subscribers.Demand
    @usableFromInline let transform: Transform<Upstream.Output, Output, Upstream.Failure>
    /// Subscribes to upstream; made where its type is known.
    @usableFromInline let connect: (TaskMap, Receiver<Output, Failure>) -> Void

    @inlinable
    init(
      upstream: Upstream, maxPublishers: Subscribers.Demand,
      transform: Transform<Upstream.Output, Output, Upstream.Failure>
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
      connect = { map, downstream in
        let subscription = TaskMapSubscription(
          downstream: downstream, maxPublishers: map.maxPublishers, transform: map.transform)
        map.upstream.receive(subscriber: DirectInput(subscription))
      }
    }

    /// Subscribes to the publisher that gives the values; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: Who gets the results.
    @inlinable
    public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      connect(self, SubscriberReceiver(subscriber))
    }
  }
}

/// What is done with a value: as it was given, since a closure around it would be one more object and one
/// more asynchronous call for each value.
@usableFromInline
enum Transform<Input, Output, Failure: Error>: Sendable {
  case returning(@Sendable (Input) async -> Output)
  case throwing(@Sendable (Input) async throws(Failure) -> Output)

  @inlinable
  func callAsFunction(_ input: Input) async -> Result<Output, Failure> {
    switch self {
    case .returning(let transform):
      return .success(await transform(input))
    case .throwing(let transform):
      do throws(Failure) {
        return .success(try await transform(input))
      } catch {
        return .failure(error)
      }
    }
  }
}

/// The subscription of downstream, which subscribes to upstream and owns the tasks.
@usableFromInline
final class TaskMapSubscription<Input: Sendable, Output: Sendable, Failure: Error>:
  DirectSubscription, InputOwner, @unchecked Sendable
{
  // @unchecked: inherited; what is added is constant or behind the mutex.
  @usableFromInline typealias Downstream = Receiver<Output, Failure>
  @usableFromInline typealias Outcome = Result<Output, Failure>

  // @unchecked: neither subscriptions nor subscribers need be Sendable. The upstream subscription is
  // used from any thread, as its protocol allows; the subscriber is called by one thread at a time,
  // guarded by `isDelivering`.
  @usableFromInline
  struct State: @unchecked Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var upstream: (any Subscription)?
    @usableFromInline var hasUpstreamFinished = false
    @usableFromInline var hasAsked = false
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var tasks = RunningTasks()
    @usableFromInline var results = Queue<Output>()
    @usableFromInline var failure: Failure?
    @usableFromInline var isDelivering = false

    @inlinable
    init(downstream: Downstream) {
      self.downstream = downstream
    }
  }

  @usableFromInline
  enum Action {
    case deliver(Downstream, Output)
    case complete(Downstream, Subscribers.Completion<Failure>, Dropped)
    case nothing
  }

  /// What is to be cancelled after the lock has been given back.
  @usableFromInline
  struct Dropped {
    @usableFromInline var upstream: (any Subscription)?
    @usableFromInline var tasks: RunningTasks

    @inlinable
    init(upstream: (any Subscription)?, tasks: RunningTasks) {
      self.upstream = upstream
      self.tasks = tasks
    }

    @inlinable
    func cancel() {
      upstream?.cancel()
      tasks.cancel()
    }
  }

  @usableFromInline let maxPublishers: Subscribers.Demand
  @usableFromInline let transform: Transform<Input, Output, Failure>
  @usableFromInline let state: Mutex<State>

  @inlinable
  init(
    downstream: Downstream, maxPublishers: Subscribers.Demand,
    transform: Transform<Input, Output, Failure>
  ) {
    self.maxPublishers = maxPublishers
    self.transform = transform
    state = Mutex(State(downstream: downstream))
    super.init { subscription, signal in
      let map = unsafeDowncast(subscription, to: TaskMapSubscription.self)
      switch signal {
      case .request(let demand): map.takeDemand(demand)
      case .cancel: map.takeCancel()
      }
    }
  }

  // MARK: From downstream

  @inlinable
  func takeDemand(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let (firstAsk, action) = state.withLock { state in
      state.demand += demand
      var firstAsk: (any Subscription)?
      if !state.hasAsked, let upstream = state.upstream {
        state.hasAsked = true
        firstAsk = upstream
      }
      return Carried((firstAsk, state.begin()))
    }.value
    firstAsk?.request(maxPublishers)
    deliver(action)
  }

  @inlinable
  func takeCancel() {
    let dropped = state.withLock { state in
      let downstream = state.downstream
      let results = state.results
      return Carried((state.drop(), downstream, results))
    }
    dropped.value.0.cancel()
  }

  // MARK: From upstream

  @inlinable
  func receive(subscription: any Subscription, from _: Int) {
    let carried = Carried(subscription)
    let downstream = state.withLock { state in
      state.upstream = carried.value
      return Carried(state.downstream)
    }
    downstream.value?.receive(self)
  }

  @inlinable
  func receive(_ input: Input, from _: Int) {
    state.withLock { state in
      guard state.downstream != nil else { return }
      // Made under the lock, which only enqueues it, so that it cannot end before it is known. It
      // inherits no priority and no task-local values: who delivers a value is chance.
      let number = state.tasks.nextNumber
      state.tasks.add(
        Task.detached { [transform] in self.end(number, await transform(input)) })
    }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>, from _: Int) {
    let isOver = state.withLock { state in
      guard state.downstream != nil else { return false }
      state.upstream = nil
      state.hasUpstreamFinished = true
      if case .failure(let error) = completion { state.failure = state.failure ?? error }
      return state.failure != nil || state.tasks.isEmpty
    }
    // In a task of its own: values may outrun completions, and where such operators build on one
    // another, a late completion would otherwise fall through all of them on one stack.
    if isOver { Task { self.deliver(self.state.withLock { Carried($0.begin()) }.value) } }
  }

  // MARK: From the tasks

  @inlinable
  func end(_ number: Int, _ outcome: Outcome) {
    let action = state.withLock { state -> Carried<Action> in
      guard state.downstream != nil else { return Carried(.nothing) }
      state.tasks.remove(number)
      switch outcome {
      case .success(let result): state.results.append(result)
      case .failure(let error): state.failure = state.failure ?? error
      }
      return Carried(state.begin())
    }
    deliver(action.value)
  }

  // MARK: To downstream

  /// Delivers what can be delivered, beginning with what was taken under the lock.
  @inlinable
  func deliver(_ first: Action) {
    var action = first
    while true {
      switch action {
      case .deliver(let downstream, let result):
        let more = downstream.receive(result)
        if maxPublishers != .unlimited {
          let upstream = state.withLock { Carried($0.upstream) }
          upstream.value?.request(.max(1))
        }
        action =
          state.withLock { state in
            state.demand += more
            return Carried(state.next())
          }.value
      case .complete(let downstream, let completion, let dropped):
        dropped.cancel()
        return downstream.receive(completion)
      case .nothing:
        return
      }
    }
  }
}

extension TaskMapSubscription.State {
  /// Takes what is to be done, unless another thread is at it: of several, one delivers for all.
  @inlinable
  mutating func begin() -> TaskMapSubscription.Action {
    guard !isDelivering else { return .nothing }
    isDelivering = true
    return next()
  }

  /// Takes what is to be done next; for whoever delivers.
  @inlinable
  mutating func next() -> TaskMapSubscription.Action {
    guard let downstream else {
      isDelivering = false
      return .nothing
    }
    if let failure {
      isDelivering = false
      return .complete(downstream, .failure(failure), drop())
    }
    if demand > .none, let result = results.popFirst() {
      demand -= 1
      return .deliver(downstream, result)
    }
    isDelivering = false
    if hasUpstreamFinished && tasks.isEmpty && results.isEmpty {
      return .complete(downstream, .finished, drop())
    }
    return .nothing
  }

  @inlinable
  mutating func drop() -> TaskMapSubscription.Dropped {
    defer {
      downstream = nil
      upstream = nil
      tasks = RunningTasks()
      results.removeAll()
    }
    return TaskMapSubscription.Dropped(upstream: upstream, tasks: tasks)
  }
}
