// Maps values through asynchronous closures, with limited concurrency.

public import ReactiveCore

extension Publisher where Output: Sendable, Failure == Never {
  /// Calls an asynchronous closure with each value, and publishes its result.
  ///
  /// Equivalent to `flatMap` with a deferred, cancellable future, as one operator:
  ///
  /// - Values: in the order in which the closures return; with `.max(1)`, in upstream order.
  /// - Demand: nothing starts before the first request. Then upstream gets a request for
  ///   `maxPublishers` values, and for one more whenever a result has been delivered. So at most
  ///   that many closures are running or have a waiting result.
  /// - Completion: when upstream has finished and every result has been delivered.
  /// - Cancellation: cancels upstream and the tasks of all running closures, without waiting for
  ///   them. Nothing is delivered afterwards.
  /// - Threads: each closure runs in a detached task. Results and the completion are delivered
  ///   serially, from a task or on the thread of a request, never within a call of upstream.
  /// - Complexity: constant for a value.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of closures that run at once.
  ///   - transform: Transforms a value.
  /// - Returns: The publisher of the results.
  public func task<Result: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) async -> Result
  ) -> Publishers.TaskMap<Self, Result> {
    Publishers.TaskMap(upstream: self, maxPublishers: maxPublishers) { value in
      .success(await transform(value))
    }
  }

  /// Calls an asynchronous closure that may throw with each value, and publishes its result.
  ///
  /// The contract is that of the overload that does not throw. An error of a closure is the failure
  /// of the publisher: it is delivered immediately, and upstream and the other tasks are cancelled.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of closures that run at once.
  ///   - transform: Transforms a value.
  /// - Returns: The publisher of the results.
  public func task<Result: Sendable, ClosureFailure: Error>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) async throws(ClosureFailure) -> Result
  ) -> Publishers.TaskMap<Publishers.SetFailureType<Self, ClosureFailure>, Result> {
    setFailureType(to: ClosureFailure.self).task(maxPublishers: maxPublishers, transform)
  }
}

extension Publisher where Output: Sendable {
  /// Calls an asynchronous closure that may throw this publisher's failure with each value.
  ///
  /// The contract is that of the overload that does not throw. A failure of this publisher or of a
  /// closure is delivered immediately; upstream and the other tasks are cancelled.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of closures that run at once.
  ///   - transform: Transforms a value.
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
  /// A publisher of the results of asynchronous closures for the values of another publisher.
  ///
  /// See `Publisher.task(maxPublishers:_:)` for its contract.
  public struct TaskMap<Upstream: Publisher, Output: Sendable>: Publisher
  where Upstream.Output: Sendable {
    /// The failure of upstream and of the closures.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let maxPublishers: Subscribers.Demand
    let transform: @Sendable (Upstream.Output) async -> Result<Output, Failure>

    /// Subscribes to upstream; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the results.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let subscription = OperatorSubscription(
        TaskMachine<Output, Failure>(maxTasks: maxPublishers), for: subscriber)
      upstream.subscribe(
        Inlet(
          onSubscription: { upstream in
            subscription.open(with: upstream) { $0.upstream.receive($1) }
          },
          onValue: { [transform] value in subscription.start(transform, value) },
          onCompletion: { completion in subscription.upstreamCompleted(completion) }))
      subscription.open()
    }
  }
}

extension OperatorSubscription {
  fileprivate func start<Input: Sendable, Output: Sendable, Failure: Error>(
    _ transform: @escaping @Sendable (Input) async -> Result<Output, Failure>, _ value: Input
  ) where Machine == TaskMachine<Output, Failure> {
    // The task is created under the lock (which only enqueues it), so that it is registered before
    // it ends. It is detached, because its priority should not depend on the task that happens to
    // deliver the value.
    _ = change { machine in
      machine.start { number in
        Task.detached {
          let result = await transform(value)
          self.update { $0.end(number, result) }
        }
      }
    }
  }

  fileprivate func upstreamCompleted<Output: Sendable, Failure: Error>(
    _ completion: Subscribers.Completion<Failure>
  ) where Machine == TaskMachine<Output, Failure> {
    guard let effect = change({ $0.receive(completion) }) else { return }
    effect.perform()
    // In a new task: with a long chain of these operators, the completion would otherwise pass
    // through all of them on one stack.
    Task { self.deliver() }
  }
}

/// The state machine: the running tasks and the waiting results.
private struct TaskMachine<Output: Sendable, Failure: Error>: OperatorMachine {
  private let maxTasks: Subscribers.Demand
  var upstream = Upstream()
  private var hasRequested = false
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var nextNumber = 0
  private var results = Queue<Output>()
  private var failure: Failure?

  init(maxTasks: Subscribers.Demand) {
    self.maxTasks = maxTasks
  }

  mutating func start(_ makeTask: (_ number: Int) -> Task<Void, Never>) {
    tasks[nextNumber] = makeTask(nextNumber)
    nextNumber += 1
  }

  mutating func end(_ number: Int, _ result: Result<Output, Failure>) -> Effect {
    tasks[number] = nil
    switch result {
    case .success(let output): results.append(output)
    case .failure(let error): failure = failure ?? error
    }
    return .none
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    if case .failure(let error) = completion { failure = failure ?? error }
    return upstream.end()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    guard !hasRequested else { return .none }
    hasRequested = true
    return upstream.request(maxTasks)
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let failure { return .completion(.failure(failure)) }
    if hasDemand, let result = results.popFirst() {
      let more = maxTasks == .unlimited ? Subscribers.Demand.none : .max(1)
      return .value(result, then: upstream.request(more))
    }
    let hasFinished = upstream.isEnded && tasks.isEmpty && results.isEmpty
    return hasFinished ? .completion(.finished) : .nothing
  }

  func cancel() {
    var upstream = upstream
    upstream.cancel().perform()
    for task in tasks.values { task.cancel() }
  }
}
