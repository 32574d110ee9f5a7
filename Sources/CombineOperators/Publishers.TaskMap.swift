// Maps the values of a publisher through asynchronous closures, a limited number at a time.

public import CombineShim

extension Publisher where Output: Sendable, Failure == Never {
  /// Runs an asynchronous closure for each value and publishes what it returns.
  ///
  /// It is `flatMap` into a deferred, cancellable future, as one operator:
  ///
  /// - Values: in the order in which the closures end; with `.max(1)`, in the order of upstream.
  /// - Demand: nothing starts before the first request. Then upstream is asked for `maxPublishers`
  ///   values, and for one more whenever a result has been delivered. So at most that many closures
  ///   run or have a result that waits.
  /// - Completion: when upstream has finished and every result has been delivered.
  /// - Cancellation: cancels upstream and the tasks of all running closures, without waiting for them.
  ///   Nothing is delivered afterwards.
  /// - Threads: each closure runs in a detached task. Results and the completion are delivered one
  ///   after another, from a task or on the thread of a request, never within a call of upstream.
  /// - Complexity: constant for a value.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many closures may run at once.
  ///   - transform: What to do with a value.
  /// - Returns: The publisher of the results.
  public func task<Result: Sendable>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping @Sendable (Output) async -> Result
  ) -> Publishers.TaskMap<Self, Result> {
    Publishers.TaskMap(upstream: self, maxPublishers: maxPublishers) { value in
      .success(await transform(value))
    }
  }

  /// Runs an asynchronous closure that may throw for each value and publishes what it returns.
  ///
  /// The contract is that of the form that does not throw. An error of a closure is the failure of the
  /// publisher: it is delivered at once, and upstream and the other tasks are cancelled.
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
  /// The contract is that of the form that does not throw. A failure of this publisher or of a closure
  /// is delivered at once; upstream and the other tasks are cancelled.
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
    /// - Parameter subscriber: The subscriber that receives the results.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let subscription = OperatorSubscription(
        TaskMachine<Output, Failure>(maxTasks: maxPublishers), for: subscriber)
      subscriber.receive(subscription: subscription)
      upstream.subscribe(
        Inlet(
          onSubscription: { upstream in subscription.receive(upstream) { $0.upstream.receive($1) }
          },
          onValue: { [transform] value in subscription.start(transform, value) },
          onCompletion: { completion in subscription.upstreamCompleted(completion) }))
    }
  }
}

extension OperatorSubscription {
  fileprivate func start<Input: Sendable, Output: Sendable, Failure: Error>(
    _ transform: @escaping @Sendable (Input) async -> Result<Output, Failure>, _ value: Input
  ) where Machine == TaskMachine<Output, Failure> {
    // The task is made under the lock, which only enqueues it: so it is known before it can end. It
    // is detached: which task delivers a value to here is chance, and so would be its priority.
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
    // In a task of its own: where many of these operators follow one another, the completion would
    // otherwise pass through all of them on one stack.
    Task { self.deliver() }
  }
}

/// The running tasks and the results that wait.
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
