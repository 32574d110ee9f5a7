// The operator that starts a run for each event, with a limit of concurrent runs; upstream
// operators buffer the events.

import CombineOperators

/// How an event becomes a run, and how many runs may be in progress.
struct EventHandling<Event: Sendable>: Sendable {
  /// The maximum number of runs in progress; an event is requested only when another run may begin.
  var maxRuns: Subscribers.Demand
  /// Starts the run of an event; returns nil to start none.
  var begin: @Sendable (Event) async -> Run?
  /// Passes an event to the run in progress; returns whether that run handles it.
  ///
  /// If not, the event waits until the run has ended, and then starts a new one. If this closure is
  /// nil, an event always waits for the end of the run.
  var restart: (@Sendable (Run, Event) async -> Bool)?
}

/// A publisher of the runs that events start, with back-pressure upstream and downstream.
struct RunsOnEvents<Upstream: Publisher>: Publisher where Upstream.Output: Sendable {
  typealias Output = Run
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let handling: EventHandling<Upstream.Output>

  func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Run, Downstream.Failure == Failure {
    upstream.subscribe(
      RunsSubscription<Upstream.Output, Downstream>(downstream: subscriber, handling: handling))
  }
}

/// The subscriber of the events, and the subscription of the downstream subscriber, in one object.
private final class RunsSubscription<Event: Sendable, Downstream: Subscriber & SendableMetatype>:
  Subscriber, Subscription, Sendable
where Downstream.Input == Run {
  typealias Input = Event
  typealias Failure = Downstream.Failure

  private struct State {
    var downstream: Downstream?
    var upstream: (any Subscription)?
    var completion: Subscribers.Completion<Failure>?
    var demand = Subscribers.Demand.none
    /// Events that were requested and have not arrived, or are still being handled.
    var pending = 0
    var hasAskedForAll = false
    var tasks: [Int: Task<Void, Never>] = [:]
    var nextTask = 0
    /// The runs in progress, in the order in which they began.
    var live: [Run] = []
    var undelivered = Queue<Run>()
    var isDelivering = false
  }

  private enum Action {
    case deliver(Downstream, Run)
    case ask(any Subscription, Subscribers.Demand)
    case complete(Downstream, Subscribers.Completion<Failure>)
    case nothing
  }

  private let handling: EventHandling<Event>
  private let state: Locked<State>

  init(downstream: Downstream, handling: EventHandling<Event>) {
    self.handling = handling
    state = Locked(State(downstream: downstream))
  }

  // MARK: From downstream

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    state.withLock { $0.demand += demand }
    advance()
  }

  func cancel() {
    let dropped = state.withLock { state in
      defer {
        state.downstream = nil
        state.upstream = nil
        state.tasks = [:]
        state.live = []
        state.undelivered.removeAll()
      }
      return (state.downstream, state.upstream, Array(state.tasks.values), state.live)
    }
    dropped.1?.cancel()
    for task in dropped.2 { task.cancel() }
    for run in dropped.3 { run.cancel() }
  }

  // MARK: From upstream

  func receive(subscription: any Subscription) {
    let downstream = state.withLock { state in
      state.upstream = subscription
      return state.downstream
    }
    downstream?.receive(subscription: self)
  }

  func receive(_ event: Event) -> Subscribers.Demand {
    state.withLock { state in
      guard state.downstream != nil else { return }
      let number = state.nextTask
      state.nextTask += 1
      // Created under the lock (which only enqueues it), so that the task is registered before it
      // ends.
      state.tasks[number] = Task { await self.handle(event, number) }
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    state.withLock { state in
      state.upstream = nil
      state.completion = state.completion ?? completion
    }
    // In a new task, so as not to continue on the call stack of the publisher that completes.
    Task { self.advance() }
  }

  // MARK: Runs

  private func handle(_ event: Event, _ number: Int) async {
    var isHandled = false
    if let restart = handling.restart, let run = state.withLock({ $0.live.last }) {
      isHandled = await restart(run, event)
      // The run may be ending right now. Wait for that: two runs are never in progress at once.
      if !isHandled { _ = await run.ended() }
    }
    let run = isHandled || Task.isCancelled ? nil : await handling.begin(event)
    let isKept = state.withLock { state in
      state.tasks[number] = nil
      state.pending = max(0, state.pending - 1)
      guard state.downstream != nil else { return false }
      guard let run else { return true }
      state.live.append(run)
      state.undelivered.append(run)
      return true
    }
    guard isKept else {
      run?.cancel()
      return
    }
    if let run { watch(run) }
    advance()
  }

  /// Makes room for the next run when a run has ended.
  private func watch(_ run: Run) {
    Task {
      _ = await run.ended()
      state.withLock { state in state.live.removeAll { $0 === run } }
      advance()
    }
  }

  // MARK: To downstream and upstream

  /// Delivers runs and requests events until there is nothing left to do.
  ///
  /// If several threads call this at once, one of them does the work for all.
  private func advance() {
    let isMine = state.withLock { state in
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    guard isMine else { return }
    while true {
      switch state.withLock({ self.next(&$0) }) {
      case .deliver(let downstream, let run):
        let more = downstream.receive(run)
        state.withLock { $0.demand += more }
      case .ask(let upstream, let demand): upstream.request(demand)
      case .complete(let downstream, let completion):
        return downstream.receive(completion: completion)
      case .nothing: return
      }
    }
  }

  private func next(_ state: inout State) -> Action {
    guard let downstream = state.downstream else {
      state.isDelivering = false
      return .nothing
    }
    if let run = state.undelivered.popFirst() {
      state.demand -= 1
      return .deliver(downstream, run)
    }
    if let upstream = state.upstream, let demand = ask(&state) { return .ask(upstream, demand) }
    state.isDelivering = false
    guard let completion = state.completion, state.live.isEmpty, state.tasks.isEmpty else {
      return .nothing
    }
    state.downstream = nil
    return .complete(downstream, completion)
  }

  /// Returns how many events to request now; nil for none.
  private func ask(_ state: inout State) -> Subscribers.Demand? {
    guard state.demand > .none, !state.hasAskedForAll else { return nil }
    // With `again`, events are handled one at a time, because each may restart the run.
    var room = handling.restart == nil ? handling.maxRuns : .max(state.pending == 0 ? 1 : 0)
    if handling.restart == nil { room = room - state.live.count - state.pending }
    guard room > .none, (state.demand.max ?? .max) > state.pending else { return nil }
    if room == .unlimited, state.demand == .unlimited {
      state.hasAskedForAll = true
      return .unlimited
    }
    state.pending += 1
    return .max(1)
  }
}
