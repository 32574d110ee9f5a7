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
  @usableFromInline let transform: Transform<[Output], Output, Failure>
  /// How many publishers have not given their value.
  @usableFromInline var missing = 0
  @usableFromInline var task: Task<Void, Never>?

  @inlinable
  init(
    upstreams: [SharedPublisher<Output, Failure>],
    transform: Transform<[Output], Output, Failure>
  ) {
    self.upstreams = upstreams
    self.transform = transform
  }

  /// The values of all, once none is missing: what has ended with a value keeps it.
  @inlinable
  static func values(of upstreams: [SharedPublisher<Output, Failure>]) -> [Output] {
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
struct Dependent<Output, Failure: Error>: Sendable {
  @usableFromInline let join: SharedPublisher<Output, Failure>
  @usableFromInline let connection: Int

  @inlinable
  init(_ join: SharedPublisher<Output, Failure>, connection: Int) {
    self.join = join
    self.connection = connection
  }
}

/// What is to be told to joins that have waited for a value.
@usableFromInline
struct News<Output, Failure: Error> {
  /// Those that nothing is missing to any more: their tasks can start.
  @usableFromInline var ready = Queue<Dependent<Output, Failure>>()
  /// Those that a publisher has failed for, which is how they end, too.
  @usableFromInline var failed = Queue<(Dependent<Output, Failure>, Failure)>()
  /// The subscribers of those that have ended.
  @usableFromInline var subscribers = Queue<[SharedSubscription<Output, Failure>?]>()

  @inlinable
  init() {}

  /// Counts a value, or notes that none will come.
  @inlinable
  mutating func add(
    _ dependent: Dependent<Output, Failure>, _ completion: Subscribers.Completion<Failure>
  ) {
    switch completion {
    case .finished: if dependent.join.countValue(dependent.connection) { ready.append(dependent) }
    case .failure(let error): failed.append((dependent, error))
    }
  }

  /// Ends those that have failed, and whatever waited for them, one after the other: not on the stack.
  ///
  /// Then tells the subscribers, before whom all others start: a subscriber may take its time.
  @inlinable
  mutating func spread() {
    while let (dependent, error) = failed.popFirst() {
      dependent.join.end(.failure(error), dependent.connection, &self)
    }
    guard !subscribers.isEmpty else { return }
    startReady()
    while let told = subscribers.popFirst() {
      for case let subscriber? in told { subscriber.deliver() }
    }
  }

  /// Starts those that are ready, in tasks of their own.
  @inlinable
  mutating func startReady() {
    while let dependent = ready.popFirst() { dependent.join.start(dependent.connection) }
  }
}

extension SharedPublisher {
  /// Asks the publishers that are joined for their values.
  @inlinable
  func join(_ upstreams: [SharedPublisher], connection: Int) {
    if upstreams.isEmpty { start(connection) }
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
  ///
  /// - Returns: Whether none is missing any more.
  @inlinable
  func countValue(_ connection: Int) -> Bool {
    state.withLock { state in
      guard state.connection == connection, state.join != nil else { return false }
      state.join?.missing -= 1
      return state.join?.missing == 0
    }
  }

  /// Starts the work of this join in a task of its own, which goes on with what it has made ready.
  @inlinable
  func start(_ connection: Int) {
    TaskBacklog.shared.add(self, connection) { join, connection in
      unsafeDowncast(join, to: SharedPublisher.self).makeTask(connection)
    }
  }

  /// - Returns: Whether the work is still wanted.
  @inlinable
  func makeTask(_ connection: Int) -> Bool {
    state.withLock { state in
      guard state.connection == connection, state.join != nil else { return false }
      // Only enqueued: so it cannot end before it is known.
      state.join?.task = Task.detached {
        await Self.work(Dependent(self, connection: connection))
      }
      return true
    }
  }

  /// Does the work of a join, and goes on with what its end has made ready, in the same task: making one
  /// costs more than all the rest.
  ///
  /// A join is cancelled by the task that it runs in. That is safe for those that run in the same task
  /// before and after it: who lets go of a join takes its task along under the lock under which the join
  /// would end, so it either does not end and nothing follows in its task, or it is not cancelled.
  @inlinable
  static func work(_ first: Dependent<Output, Failure>) async {
    TaskBacklog.shared.begun()
    // There, since it was noted under the lock that this waits for.
    guard let task = first.join.state.withLock({ Carried($0.join?.task) }).value else { return }
    var next = Optional(first)
    var turns = 0
    while let dependent = next {
      next = nil
      guard let work = dependent.join.take(task, dependent.connection)?.value else { return }
      let outcome = await work.transform(Join.values(of: work.upstreams))
      var news = News<Output, Failure>()
      dependent.join.end(outcome, dependent.connection, &news)
      news.spread()
      // A closure may cancel the task that it runs in; what follows has not deserved that.
      next = Task.isCancelled ? nil : news.ready.popFirst()
      // All but one have tasks of their own: a closure may wait for long.
      news.startReady()
      // Lets others have the thread.
      turns += 1
      if turns.isMultiple(of: 64) { await Task.yield() }
    }
  }

  /// Takes what is to be done, to be done in a task; nil when it is not wanted any more.
  @inlinable
  func take(_ task: Task<Void, Never>, _ connection: Int) -> Carried<Work>? {
    state.withLock { state in
      guard state.connection == connection else { return nil }
      state.join?.task = task
      return state.join.map { Carried(($0.transform, $0.upstreams)) }
    }
  }

  @usableFromInline
  typealias Work = (transform: Transform<[Output], Output, Failure>, upstreams: [SharedPublisher])

  /// Ends with what the task came to, or with the failure of a publisher that is joined.
  ///
  /// - Parameters:
  ///   - outcome: What it ends with.
  ///   - connection: In which of its connections; in another one nothing happens.
  ///   - news: Where those are added that this has made ready or has failed, and those to be told.
  @inlinable
  func end(
    _ outcome: Result<Output, Failure>, _ connection: Int, _ news: inout News<Output, Failure>
  ) {
    let carried = Carried(outcome)
    let ended = state.withLock { state -> Ended? in
      guard state.connection == connection, state.completion == nil else { return nil }
      var completion = Subscribers.Completion<Failure>.finished
      switch carried.value {
      case .success(let value): state.replay.append(value)
      case .failure(let error): completion = .failure(error)
      }
      for case let subscriber? in state.subscribers {
        subscriber.prepare(state.replay, completion)
      }
      return state.complete(completion)
    }
    guard let ended else { return }
    for dependent in ended.dependents { news.add(dependent, ended.completion) }
    if !ended.subscribers.isEmpty { news.subscribers.append(ended.subscribers) }
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
      // A few at once: growing from one to two to four takes three times as many allocations.
      if state.dependents.isEmpty { state.dependents.reserveCapacity(4) }
      state.dependents.append(carried.value)
      return Carried((nil, state.enter()))
    }.value
    if let completion {
      var news = News<Output, Failure>()
      news.add(dependent, completion)
      news.spread()
      news.startReady()
    }
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
