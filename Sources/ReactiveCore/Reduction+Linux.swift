// Operators that publish one result, from some or all of the values.

#if !canImport(Combine)

/// How a reduction goes on after a value.
enum Verdict<Output, Failure: Error> {
  case more
  case done(Output)
  case fail(Failure)
}

/// The functions of one subscription to a reduction; they share its state.
struct Fold<Input, Output, Failure: Error> {
  /// Takes a value.
  var add: (Input) -> Verdict<Output, Failure>
  /// Returns the result after the last value; nil if there is none.
  var finish: () -> Output?
}

extension Publishers {
  /// Publishes one result, made of some or all of the values, and finishes.
  ///
  /// All operators of this kind are one type; their names in Combine are aliases.
  public struct Reduction<Upstream: Publisher, Output, Failure: Error>: Publisher {
    let upstream: Upstream
    let start: @Sendable () -> Fold<Upstream.Output, Output, Failure>
    let end: @Sendable (Upstream.Failure) -> Failure

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let operation = OperatorSubscription(ResultMachine<Output, Failure>(), for: subscriber)
      let fold = start()
      let end = end
      // Values are folded without a lock, on the thread of upstream.
      upstream.subscribe(
        Inlet(
          onSubscription: { operation.open(with: $0) { $0.upstream.receive($1) } },
          onValue: { value in
            switch fold.add(value) {
            case .more: break
            case .done(let result): operation.update { $0.end(with: .success(result)) }
            case .fail(let error): operation.update { $0.end(with: .failure(error)) }
            }
          },
          onCompletion: { completion in
            switch completion {
            case .finished:
              let result = fold.finish()
              operation.update { $0.complete(with: .success(result)) }
            case .failure(let error):
              let error = end(error)
              operation.update { $0.complete(with: .failure(error)) }
            }
          }))
      operation.open()
    }
  }

  /// Publishes the result of a fold.
  public typealias Reduce<Upstream: Publisher, Output> = Reduction<
    Upstream, Output, Upstream.Failure
  >
  /// Like `Reduce`, and fails when the fold throws.
  public typealias TryReduce<Upstream: Publisher, Output> = Reduction<Upstream, Output, any Error>
  /// Publishes all values as an array.
  public typealias Collect<Upstream: Publisher> = Reduction<
    Upstream, [Upstream.Output], Upstream.Failure
  >
  /// Publishes the number of values.
  public typealias Count<Upstream: Publisher> = Reduction<Upstream, Int, Upstream.Failure>
  /// Publishes the smallest or the greatest value.
  public typealias Comparison<Upstream: Publisher> = Reduction<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Like `Comparison`, and fails when the comparison throws.
  public typealias TryComparison<Upstream: Publisher> = Reduction<
    Upstream, Upstream.Output, any Error
  >
  /// Publishes whether there is a value.
  public typealias Contains<Upstream: Publisher> = Reduction<Upstream, Bool, Upstream.Failure>
  /// Publishes whether a condition is true for a value.
  public typealias ContainsWhere<Upstream: Publisher> = Reduction<
    Upstream, Bool, Upstream.Failure
  >
  /// Like `ContainsWhere`, and fails when the condition throws.
  public typealias TryContainsWhere<Upstream: Publisher> = Reduction<Upstream, Bool, any Error>
  /// Publishes whether a condition is true for all values.
  public typealias AllSatisfy<Upstream: Publisher> = Reduction<Upstream, Bool, Upstream.Failure>
  /// Like `AllSatisfy`, and fails when the condition throws.
  public typealias TryAllSatisfy<Upstream: Publisher> = Reduction<Upstream, Bool, any Error>
  /// Publishes the first value.
  public typealias First<Upstream: Publisher> = Reduction<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Publishes the first value for which a condition is true.
  public typealias FirstWhere<Upstream: Publisher> = Reduction<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Like `FirstWhere`, and fails when the condition throws.
  public typealias TryFirstWhere<Upstream: Publisher> = Reduction<
    Upstream, Upstream.Output, any Error
  >
  /// Publishes the last value.
  public typealias Last<Upstream: Publisher> = Reduction<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Publishes the last value for which a condition is true.
  public typealias LastWhere<Upstream: Publisher> = Reduction<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// Like `LastWhere`, and fails when the condition throws.
  public typealias TryLastWhere<Upstream: Publisher> = Reduction<
    Upstream, Upstream.Output, any Error
  >
  /// Publishes the end alone.
  public typealias IgnoreOutput<Upstream: Publisher> = Reduction<
    Upstream, Never, Upstream.Failure
  >
}

extension Publishers.Reduction: Sendable where Upstream: Sendable {}

/// The state machine of a reduction: it requests all values with the first request, and then waits for
/// the result.
private struct ResultMachine<Output, Failure: Error>: OperatorMachine {
  var upstream = Upstream()
  private var hasRequested = false
  private var result: Result<Output?, Failure>?

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    guard !hasRequested else { return .none }
    hasRequested = true
    return upstream.request(.unlimited)
  }

  mutating func end(with result: Result<Output?, Failure>) -> Effect {
    guard self.result == nil else { return .none }
    self.result = result
    return .none
  }

  mutating func complete(with result: Result<Output?, Failure>) -> Effect {
    self.result = self.result ?? result
    return upstream.end()
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    switch result {
    case .success(let output?):
      guard hasDemand else { return .nothing }
      result = .success(nil)
      return .value(output)
    case .success(nil): return .completion(.finished)
    case .failure(let error): return .completion(.failure(error))
    case nil: return .nothing
    }
  }

  func cancel() {
    var upstream = upstream
    upstream.cancel().perform()
  }
}

extension Publisher {
  /// Creates an operator that publishes one result.
  func reduction<T>(
    _ start: @escaping @Sendable () -> Fold<Output, T, Failure>
  ) -> Publishers.Reduction<Self, T, Failure> {
    Publishers.Reduction(upstream: self, start: start, end: { $0 })
  }

  /// Creates an operator that publishes one result, and fails when its function throws.
  ///
  /// - Parameters:
  ///   - initial: The state before the first value.
  ///   - add: Takes a value, and returns the result if no other value can change it.
  ///   - finish: Makes the result of the state after the last value.
  /// - Returns: The publisher of the result.
  func tryReduction<T, State>(
    _ initial: State, add: @escaping @Sendable (inout State, Output) throws -> T?,
    finish: @escaping @Sendable (State) -> T?
  ) -> Publishers.Reduction<Self, T, any Error> {
    let initial = UncheckedSendable(initial)
    return Publishers.Reduction(
      upstream: self,
      start: {
        var state = initial.value
        return Fold(
          add: { input in
            do {
              return try add(&state, input).map { .done($0) } ?? .more
            } catch {
              return .fail(error)
            }
          }, finish: { finish(state) })
      }, end: { $0 })
  }

  /// Creates an operator that publishes one result.
  ///
  /// The parameters are those of `tryReduction`.
  func reduction<T, State>(
    _ initial: State, add: @escaping @Sendable (inout State, Output) -> T?,
    finish: @escaping @Sendable (State) -> T?
  ) -> Publishers.Reduction<Self, T, Failure> {
    let initial = UncheckedSendable(initial)
    return reduction {
      var state = initial.value
      return Fold(
        add: { add(&state, $0).map { .done($0) } ?? .more }, finish: { finish(state) })
    }
  }
}

#endif
