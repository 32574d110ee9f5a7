// Operators that only look at what passes.

#if !canImport(Combine)

extension Publishers {
  /// Calls closures with what passes, in both directions.
  public struct HandleEvents<Upstream: Publisher>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    struct Closures: Sendable {
      var subscription: (@Sendable (any Subscription) -> Void)?
      var output: (@Sendable (Output) -> Void)?
      var completion: (@Sendable (Subscribers.Completion<Failure>) -> Void)?
      var cancel: (@Sendable () -> Void)?
      var request: (@Sendable (Subscribers.Demand) -> Void)?
      /// Called with what a subscriber requests when it receives a value; `request` if nil.
      var returned: (@Sendable (Subscribers.Demand) -> Void)?
    }

    /// The observed publisher.
    public let upstream: Upstream
    let closures: Closures

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, closures: closures))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let downstream: Downstream
      let closures: Closures
      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

      func receive(subscription: any Subscription) {
        closures.subscription?(subscription)
        let isObserved = closures.cancel != nil || closures.request != nil
        downstream.receive(
          subscription: isObserved ? Observed(base: subscription, closures: closures) : subscription
        )
      }

      func receive(_ input: Output) -> Subscribers.Demand {
        closures.output?(input)
        let demand = downstream.receive(input)
        if demand > .none { (closures.returned ?? closures.request)?(demand) }
        return demand
      }

      func receive(completion: Subscribers.Completion<Failure>) {
        closures.completion?(completion)
        downstream.receive(completion: completion)
      }
    }

    private struct Observed: Subscription {
      let base: any Subscription
      let closures: Closures
      var combineIdentifier: CombineIdentifier { base.combineIdentifier }

      func request(_ demand: Subscribers.Demand) {
        closures.request?(demand)
        base.request(demand)
      }

      func cancel() {
        closures.cancel?()
        base.cancel()
      }
    }
  }

  /// Prints what passes.
  public typealias Print<Upstream: Publisher> = HandleEvents<Upstream>
}

extension Publishers.HandleEvents: Sendable where Upstream: Sendable {}

extension Publisher {
  /// Calls closures with what passes, in both directions.
  @preconcurrency public func handleEvents(
    receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
    receiveOutput: (@Sendable (Output) -> Void)? = nil,
    receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (@Sendable () -> Void)? = nil,
    receiveRequest: (@Sendable (Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self,
      closures: .init(
        subscription: receiveSubscription, output: receiveOutput, completion: receiveCompletion,
        cancel: receiveCancel, request: receiveRequest))
  }

  /// Not available: set a breakpoint in a closure of `handleEvents`.
  @available(*, unavailable, message: "set a breakpoint in a closure of handleEvents")
  public func breakpoint(
    receiveSubscription: ((any Subscription) -> Bool)? = nil,
    receiveOutput: ((Output) -> Bool)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
  ) -> Never { fatalError("unavailable") }

  /// Not available: set a breakpoint in a closure of `handleEvents`.
  @available(*, unavailable, message: "set a breakpoint in a closure of handleEvents")
  public func breakpointOnError() -> Never { fatalError("unavailable") }

  /// Prints what passes, in both directions.
  public func print(
    _ prefix: String = "", to stream: (any TextOutputStream)? = nil
  ) -> Publishers.Print<Self> {
    let stream = Locked(stream)
    let prefix = prefix.isEmpty ? "" : prefix + ": "
    let output = PrintedLines(prefix: prefix, stream: stream)
    return Publishers.HandleEvents(
      upstream: self,
      closures: .init(
        subscription: { output.print("receive subscription: (\($0))") },
        output: { output.print("receive value: (\($0))") },
        completion: { completion in
          switch completion {
          case .finished: output.print("receive finished")
          case .failure(let error): output.print("receive error: (\(error))")
          }
        },
        cancel: { output.print("receive cancel") },
        request: { output.print("request \($0.printed)") },
        returned: { output.print("request \($0.printed) (synchronous)") }))
  }
}

extension Subscribers.Demand {
  /// The demand as `print` prints it.
  fileprivate var printed: String { max.map { "max: (\($0))" } ?? "unlimited" }
}

/// Where `print` prints.
private final class PrintedLines: Sendable {
  private let prefix: String
  private let stream: Locked<(any TextOutputStream)?>

  init(prefix: String, stream: consuming Locked<(any TextOutputStream)?>) {
    self.prefix = prefix
    self.stream = stream
  }

  func print(_ line: String) {
    let isPrinted = stream.withLock { stream in
      stream?.write(prefix + line + "\n")
      return stream != nil
    }
    if !isPrinted { Swift.print(prefix + line) }
  }
}

#endif
