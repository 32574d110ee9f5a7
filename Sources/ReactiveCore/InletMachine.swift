// Operators with one upstream: how their machine is connected.

/// The state machine of an operator with one upstream.
package protocol InletMachine: OperatorMachine {
  associatedtype Input = Output
  associatedtype InputFailure: Error = Failure

  /// The subscription to upstream.
  var upstream: Upstream { get set }

  /// Takes a value of upstream.
  mutating func receive(_ value: Input) -> Effect

  /// Takes the completion of upstream.
  mutating func receive(_ completion: Subscribers.Completion<InputFailure>) -> Effect
}

extension InletMachine {
  /// Cancels upstream.
  package func cancel() {
    var upstream = upstream
    upstream.cancel().perform()
  }
}

/// The state machine of an operator that lets values of upstream pass unchanged.
package protocol PassingMachine: InletMachine where Input == Output {
  /// Whether a value may pass without the queue, if it was requested and the subscriber is idle.
  ///
  /// - Returns: The effect after the value; nil if the value must be received.
  mutating func passes() -> Effect?
}

extension Publisher {
  /// Subscribes a downstream to an operator that lets values of this publisher pass.
  ///
  /// The parameters are those of the overload for other operators.
  package func operate<Machine: PassingMachine>(
    for downstream: any Subscriber<Machine.Output, Machine.Failure>, _ machine: Machine,
    prepare: (OperatorSubscription<Machine>) -> Void = { _ in }
  ) where Machine.Input == Output, Machine.InputFailure == Failure {
    let operation = OperatorSubscription(machine, for: downstream)
    prepare(operation)
    subscribe(
      Inlet(
        onSubscription: { operation.open(with: $0) { $0.upstream.receive($1) } },
        onValue: { value in
          operation.pass(value) {
            $0.passes()
          } else: {
            $0.receive(value)
          }
        },
        onCompletion: { completion in operation.update { $0.receive(completion) } }))
    operation.open()
  }

  /// Subscribes a downstream to an operator on this publisher.
  ///
  /// - Parameters:
  ///   - downstream: The subscriber of the operator.
  ///   - machine: The state machine of the operator.
  ///   - prepare: Called before this publisher is subscribed to, with the subscription.
  package func operate<Machine: InletMachine>(
    for downstream: any Subscriber<Machine.Output, Machine.Failure>, _ machine: Machine,
    prepare: (OperatorSubscription<Machine>) -> Void = { _ in }
  ) where Machine.Input == Output, Machine.InputFailure == Failure {
    let operation = OperatorSubscription(machine, for: downstream)
    prepare(operation)
    subscribe(
      Inlet(
        onSubscription: { operation.open(with: $0) { $0.upstream.receive($1) } },
        onValue: { value in operation.update { $0.receive(value) } },
        onCompletion: { completion in operation.update { $0.receive(completion) } }))
    operation.open()
  }
}
