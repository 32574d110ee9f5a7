// The zip of a collection of publishers of one type.

public import ReactiveCore

extension Collection where Element: Publisher {
  /// Combines the values of all publishers of the collection, position by position.
  ///
  /// The n-th output holds the n-th value of each publisher. No lock is held while downstream is
  /// called.
  ///
  /// - Values: an empty collection publishes one empty array, then finishes.
  /// - Demand: each request is passed on to every publisher; values that arrive early are buffered.
  /// - Completion: finishes when a publisher has finished and all of its values have been used. A
  ///   failure of any publisher is delivered immediately. In both cases the others are cancelled.
  /// - Cancellation: cancels all publishers; nothing is delivered afterwards.
  /// - Threads: publishers may deliver on different threads at the same time; outputs are delivered
  ///   serially, on one of these threads or on that of a request.
  /// - Complexity: constant for a value, linear in the number of publishers for an output.
  ///
  /// - Returns: The publisher of the combined values.
  public func zip() -> Publishers.ZipMany<Element> {
    Publishers.ZipMany(upstreams: Array(self))
  }
}

extension Publishers {
  /// A publisher that combines the values of any number of publishers, position by position.
  ///
  /// See `Collection.zip()` for its contract.
  public struct ZipMany<Upstream: Publisher>: Publisher {
    /// One value of each publisher, in the order of the publishers.
    public typealias Output = [Upstream.Output]
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    /// The publishers whose values are combined.
    public let upstreams: [Upstream]

    /// Creates a zip.
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
      let inputs = upstreams.map { _ in ZipValues<Upstream.Output>() }
      let machine = ZipMachine<Output, Failure>(inputs) { inputs.map { $0.removeFirst() } }
      let subscription = OperatorSubscription(machine, for: subscriber)
      for (position, upstream) in upstreams.enumerated() {
        upstream.zip(into: subscription, as: inputs[position], at: position)
      }
      subscription.open()
    }
  }
}
