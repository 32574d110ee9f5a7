// Samples a second stream whenever a first one has a value. Knows nothing of the values.

public import CombineShim
import Synchronization

extension Publisher {
  /// Combines each value of this publisher with the latest one of another.
  ///
  /// - Values: those that come before the other publisher has its first value are dropped.
  /// - Demand: what is asked of it, it asks of this publisher; for each value that is dropped it asks
  ///   for one more. The other publisher is asked for everything.
  /// - Completion: that of this publisher. The end of the other one changes nothing; its last value
  ///   stays. A failure of the other one comes through.
  /// - Cancellation: cancels both. Nothing is delivered after it.
  /// - Threads: values are delivered where this publisher delivers them.
  ///
  /// - Parameters:
  ///   - other: The publisher that is sampled.
  ///   - transform: Makes an output of the two values.
  /// - Returns: The publisher of the outputs.
  public func withLatestFrom<Other: Publisher, Result>(
    _ other: Other, transform: @escaping (Output, Other.Output) -> Result
  ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
    Publishers.WithLatestFrom(upstream: self, other: other, transform: transform)
  }
}

extension Publishers {
  /// A publisher that combines each value of one publisher with the latest one of another.
  ///
  /// See `Publisher.withLatestFrom(_:transform:)` for its contract.
  public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
  where Upstream.Failure == Other.Failure {
    /// The failure of both publishers.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let other: Other
    let transform: (Upstream.Output, Other.Output) -> Output

    /// Subscribes to both publishers; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: Who gets the outputs.
    public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let sampling = Sampling(downstream: subscriber, transform: transform)
      subscriber.receive(subscription: sampling)
      // The other one first, so that a value which is there already can be combined.
      other.subscribe(SampledInput<Upstream.Output, Other.Output, Downstream>(sampling: sampling))
      upstream.subscribe(
        SamplingInput<Upstream.Output, Other.Output, Downstream>(sampling: sampling))
    }
  }
}

/// The subscription: the place where the two streams meet.
private final class Sampling<Input, Sample, Downstream: Subscriber & SendableMetatype>:
  Subscription, Sendable
{
  // @unchecked: neither subscriptions nor subscribers nor values need be Sendable. The subscriptions
  // are used from any thread, as their protocol allows; downstream is called by upstream alone, one
  // value at a time, or once with the failure of the other one.
  private struct State: @unchecked Sendable {
    var downstream: Downstream?
    var upstream: (any Subscription)?
    var other: (any Subscription)?
    var latest: Sample?
    var demand = Subscribers.Demand.none
  }

  private let state: Mutex<State>
  private let transform: Carried<(Input, Sample) -> Downstream.Input>

  init(downstream: Downstream, transform: @escaping (Input, Sample) -> Downstream.Input) {
    state = Mutex(State(downstream: downstream))
    self.transform = Carried(transform)
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let upstream = state.withLock { state in
      if state.upstream == nil { state.demand += demand }
      return Carried(state.upstream)
    }
    upstream.value?.request(demand)
  }

  func cancel() {
    _ = end(.upstream)
  }

  enum Side {
    case upstream, other
  }

  /// Takes everything apart.
  ///
  /// - Returns: Who is still to be told of the end.
  private func end(_ side: Side) -> Downstream? {
    let dropped = state.withLock { state in
      defer {
        state.downstream = nil
        state.upstream = nil
        state.other = nil
        state.latest = nil
      }
      return Carried((state.downstream, state.upstream, state.other))
    }
    dropped.value.1?.cancel()
    dropped.value.2?.cancel()
    return dropped.value.0
  }

  func receive(upstream subscription: any Subscription) {
    let carried = Carried(subscription)
    let demand = state.withLock { state -> Subscribers.Demand? in
      guard state.downstream != nil else { return nil }
      state.upstream = carried.value
      return state.demand
    }
    guard let demand else { return subscription.cancel() }
    if demand > .none { subscription.request(demand) }
  }

  func receive(other subscription: any Subscription) {
    let carried = Carried(subscription)
    let isWanted = state.withLock { state in
      guard state.downstream != nil else { return false }
      state.other = carried.value
      return true
    }
    isWanted ? subscription.request(.unlimited) : subscription.cancel()
  }

  func receive(sample: Sample) {
    let carried = Carried(sample)
    state.withLock { state in
      if state.downstream != nil { state.latest = carried.value }
    }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let (downstream, latest) = state.withLock { Carried(($0.downstream, $0.latest)) }.value
    guard let downstream else { return .none }
    guard let latest else { return .max(1) }
    return downstream.receive(transform.value(input, latest))
  }

  func receive(_ completion: Subscribers.Completion<Downstream.Failure>, from side: Side) {
    if side == .other, case .finished = completion {
      state.withLock { $0.other = nil }
      return
    }
    end(side)?.receive(completion: completion)
  }
}

/// What subscribes to the publisher whose values set the pace.
private struct SamplingInput<Input, Sample, Downstream: Subscriber & SendableMetatype>: Subscriber {
  let sampling: Sampling<Input, Sample, Downstream>
  let combineIdentifier = CombineIdentifier()

  func receive(subscription: any Subscription) { sampling.receive(upstream: subscription) }
  func receive(_ input: Input) -> Subscribers.Demand { sampling.receive(input) }
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    sampling.receive(completion, from: .upstream)
  }
}

/// What subscribes to the publisher that is sampled.
private struct SampledInput<Input, Sample, Downstream: Subscriber & SendableMetatype>: Subscriber {
  let sampling: Sampling<Input, Sample, Downstream>
  let combineIdentifier = CombineIdentifier()

  func receive(subscription: any Subscription) { sampling.receive(other: subscription) }
  func receive(_ input: Sample) -> Subscribers.Demand {
    sampling.receive(sample: input)
    return .none
  }
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    sampling.receive(completion, from: .other)
  }
}
