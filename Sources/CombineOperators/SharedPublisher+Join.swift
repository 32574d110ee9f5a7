// Operator fusion: shared publishers that are joined, mapped through a task and shared again, as the one
// object that they come to. Knows nothing of what the tasks do.
//
// `publishers.zip().task { … }.share(replay: 1)` over shared publishers that each give one value needs no
// subscriptions in between: the value of each goes straight to where it is missing. What is seen from
// outside is the same; it costs a sixth. See D. Karnok's and S. Maldini's reactive-streams-commons
// for the idea, and Documentation/performance.md for the figures.

public import CombineShim
public import Synchronization

extension Publishers.TaskMap
where Upstream == Publishers.ZipMany<SharedPublisher<Output, Never>> {
  /// Shares the results of a closure that takes the values of other shared publishers.
  ///
  /// The contract is that of `Publisher.share(replay:)`; this form only costs less, where each of the
  /// other publishers came about in the same way. One that leaves costs time in the number of those
  /// that came after it.
  ///
  /// - Parameter count: How many of the last values are repeated.
  /// - Returns: The shared publisher.
  @inlinable
  public func share(replay count: Int) -> SharedPublisher<Output, Never> {
    guard count > 0, maxPublishers > .none, upstream.upstreams.allSatisfy(\.isJoin) else {
      return SharedPublisher(self, replay: count)
    }
    return SharedPublisher(Join(upstreams: upstream.upstreams, transform: transform))
  }
}

extension Publishers.TaskMap
where Upstream == Publishers.ZipMany<SharedPublisher<Output, any Error>> {
  /// Shares the results of a closure that takes the values of other shared publishers and may throw.
  ///
  /// The contract is that of the form that cannot fail.
  ///
  /// - Parameter count: How many of the last values are repeated.
  /// - Returns: The shared publisher.
  @inlinable
  public func share(replay count: Int) -> SharedPublisher<Output, any Error> {
    guard count > 0, maxPublishers > .none, upstream.upstreams.allSatisfy(\.isJoin) else {
      return SharedPublisher(self, replay: count)
    }
    return SharedPublisher(Join(upstreams: upstream.upstreams, transform: transform))
  }
}

/// What joins the values of shared publishers: one of each, then a task, then the end.
@usableFromInline
struct Join<Output, Failure: Error> {
  @usableFromInline let upstreams: [SharedPublisher<Output, Failure>]
  @usableFromInline let transform: @Sendable ([Output]) async -> Result<Output, Failure>
  /// How many publishers have not given their value.
  @usableFromInline var missing = 0
  @usableFromInline var task: Task<Void, Never>?

  @inlinable
  init(
    upstreams: [SharedPublisher<Output, Failure>],
    transform: @escaping @Sendable ([Output]) async -> Result<Output, Failure>
  ) {
    self.upstreams = upstreams
    self.transform = transform
  }

  /// The values of all, once none is missing: what has ended with a value keeps it.
  @inlinable
  var values: [Output] {
    var values: [Output] = []
    values.reserveCapacity(upstreams.count)
    for upstream in upstreams {
      if let value = upstream.state.withLock({ Carried($0.replay.first) }).value {
        values.append(value)
      }
    }
    return values
  }
}

/// A join that waits for the value of a shared publisher, in one of its connections.
@usableFromInline
struct Dependent<Output, Failure: Error> {
  @usableFromInline let join: SharedPublisher<Output, Failure>
  @usableFromInline let connection: Int

  @inlinable
  init(_ join: SharedPublisher<Output, Failure>, connection: Int) {
    self.join = join
    self.connection = connection
  }

  /// Tells the join that a value is there, or that none will come.
  @inlinable
  func receive(_ completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: join.countValue(connection: connection)
    case .failure(let error): join.end(.failure(error), connection: connection)
    }
  }
}

extension SharedPublisher {
  /// Asks the publishers that are joined for their values.
  @inlinable
  func join(_ upstreams: [SharedPublisher], connection: Int) {
    if upstreams.isEmpty { state.withLock { start(&$0, connection) } }
    for upstream in upstreams { upstream.add(Dependent(self, connection: connection)) }
    // Whoever let go or failed meanwhile may have been too early to find what was added here.
    let isOver = state.withLock { $0.connection != connection || $0.completion != nil }
    if isOver { leave(upstreams, connection: connection) }
  }

  /// Tells the publishers that are joined that their values are not wanted any more.
  @inlinable
  func leave(_ upstreams: [SharedPublisher], connection: Int) {
    for upstream in upstreams.reversed() { upstream.remove(self, connection: connection) }
  }

  /// Notes that one of the publishers that are joined has its value.
  @inlinable
  func countValue(connection: Int) {
    state.withLock { state in
      guard state.connection == connection, state.join != nil else { return }
      state.join?.missing -= 1
      if state.join?.missing == 0 { start(&state, connection) }
    }
  }

  /// Starts the task, which is only enqueued: so it cannot end before it is known.
  @inlinable
  func start(_ state: inout State, _ connection: Int) {
    guard state.connection == connection, let join = state.join else { return }
    let carried = Carried(join)
    state.join?.task = Task.detached {
      self.end(await carried.value.transform(carried.value.values), connection: connection)
    }
  }

  /// Ends with what the task came to, or with the failure of a publisher that is joined.
  @inlinable
  func end(_ outcome: Result<Output, Failure>, connection: Int) {
    let carried = Carried(outcome)
    let ended = state.withLock { state -> Carried<Ended?> in
      guard state.connection == connection, state.completion == nil else { return Carried(nil) }
      var completion = Subscribers.Completion<Failure>.finished
      switch carried.value {
      case .success(let value): state.replay.append(value)
      case .failure(let error): completion = .failure(error)
      }
      for case let subscriber? in state.subscribers {
        subscriber.prepare(state.replay, completion)
      }
      return Carried(state.complete(completion))
    }
    guard let ended = ended.value else { return }
    for dependent in ended.dependents { dependent.receive(ended.completion) }
    for case let subscriber? in ended.subscribers { subscriber.deliver() }
    guard case .failure = outcome, let join = ended.join else { return }
    end(.join(join.upstreams, join.task, connection: connection))
  }

  /// Adds a join that waits for the value.
  @inlinable
  func add(_ dependent: Dependent<Output, Failure>) {
    let carried = Carried(dependent)
    let (completion, start) = state.withLock {
      state -> Carried<(Subscribers.Completion<Failure>?, Start?)> in
      if let completion = state.completion { return Carried((completion, nil)) }
      state.dependents.append(carried.value)
      return Carried((nil, state.enter()))
    }.value
    if let completion { dependent.receive(completion) }
    if let start { begin(start) }
  }

  /// Removes a join that does not want the value any more.
  @inlinable
  func remove(_ join: SharedPublisher, connection: Int) {
    let stop = state.withLock { state -> Carried<Stop?> in
      // From the end: pipelines are taken apart in the opposite order of their making.
      let position = state.dependents.lastIndex {
        $0.join === join && $0.connection == connection
      }
      guard let position else { return Carried(nil) }
      state.dependents.remove(at: position)
      return Carried(state.leave())
    }
    if let stop = stop.value { end(stop) }
  }
}
