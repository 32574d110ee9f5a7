// combineLatest of a collection of publishers of one type.

public import ReactiveCore

extension Collection where Element: Publisher {
  /// Publishes the latest values of all publishers of the collection whenever one of them changes.
  ///
  /// The contract is that of `combineLatest(_:)`. An empty collection publishes one empty array, then
  /// finishes, as its `zip()` does. Linear in the number of publishers for an output.
  ///
  /// - Returns: The publisher of the latest values, in the order of the collection.
  public func combineLatest() -> Publishers.CombineLatestMany<Element> {
    Publishers.CombineLatestMany(upstreams: Array(self))
  }
}

extension Publishers {
  /// A publisher of the latest values of any number of publishers.
  ///
  /// See `Collection.combineLatest()` for its contract.
  public struct CombineLatestMany<Upstream: Publisher>: Publisher {
    /// The latest value of each publisher, in the order of the publishers.
    public typealias Output = [Upstream.Output]
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    /// The publishers whose values are combined.
    public let upstreams: [Upstream]

    /// Combines publishers.
    ///
    /// - Parameter upstreams: The publishers whose values are combined.
    public init(upstreams: [Upstream]) {
      self.upstreams = upstreams
    }

    /// Subscribes to every publisher; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the outputs.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      guard !upstreams.isEmpty else {
        return Just([]).setFailureType(to: Failure.self).receive(subscriber: subscriber)
      }
      let latest = upstreams.map { _ in LatestValue<Upstream.Output>() }
      let machine = CombineLatestMachine<Output, Failure>(count: upstreams.count) {
        latest.map { $0.get() }
      } release: {
        for value in latest { value.value = nil }
      }
      let combination = OperatorSubscription(machine, for: subscriber)
      for (position, upstream) in upstreams.enumerated() {
        upstream.combine(into: combination, as: latest[position], at: position)
      }
      combination.open()
    }
  }
}
