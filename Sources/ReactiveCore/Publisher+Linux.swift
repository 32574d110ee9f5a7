// The protocols of publishers and subscribers.

#if !canImport(Combine)

import Synchronization

/// Publishes values over time, and at most one completion after them, to each of its subscribers.
///
/// The behavior of publishers, subscribers and operators follows the documentation of Combine. Values
/// and the completion reach a subscriber one at a time, on any thread.
public protocol Publisher<Output, Failure>: SendableMetatype {
  /// A published value.
  associatedtype Output
  /// The error by which the publisher can end; `Never` if it cannot fail.
  associatedtype Failure: Error

  /// Attaches a subscriber; called by `subscribe(_:)`.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

/// The publishers that operators return.
public enum Publishers {}

extension Publisher {
  /// Attaches a subscriber.
  public func subscribe<S: Subscriber>(_ subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }

  /// Sends all signals to a subject.
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    let sender = SubjectSender(subject)
    receive(subscriber: sender)
    return AnyCancellable(sender)
  }
}

/// Receives the values of a publisher that it has requested, and its completion.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible, SendableMetatype {
  /// A received value.
  associatedtype Input
  /// The error by which the publisher can end.
  associatedtype Failure: Error

  /// Receives the subscription, by which it requests values; called once, first.
  func receive(subscription: any Subscription)

  /// Receives a value, and returns how many more it requests.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Receives the completion; called at most once, last.
  func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
  /// Receives a value of a publisher that only signals.
  public func receive() -> Subscribers.Demand { receive(()) }
}

/// Stops something when it is no longer needed.
public protocol Cancellable {
  /// Stops it; a second call has no effect.
  func cancel()
}

/// The connection of a subscriber with a publisher.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Requests values, in addition to earlier requests.
  func request(_ demand: Subscribers.Demand)
}

/// The subscriptions without a publisher.
public enum Subscriptions {
  private struct Empty: Subscription, CustomStringConvertible {
    let combineIdentifier = CombineIdentifier()
    var description: String { "Empty" }
    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
  }

  /// A subscription that never has a value.
  public static let empty: any Subscription & Sendable = Empty()
}

/// A publisher to which values can be sent.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to the subscribers.
  func send(_ value: Output)

  /// Sends the completion to the subscribers.
  func send(completion: Subscribers.Completion<Failure>)

  /// Receives the subscription of a publisher that sends to the subject.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Signals the subscribers.
  public func send() { send(()) }
}

/// A publisher that starts when it is connected.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts publishing; cancelling the result stops it.
  func connect() -> any Cancellable
}

/// Encodes values for `encode(encoder:)`.
public protocol TopLevelEncoder {
  /// The encoded form.
  associatedtype Output

  /// Encodes a value.
  ///
  /// - Throws: The error of the encoder.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// Decodes values for `decode(type:decoder:)`.
public protocol TopLevelDecoder {
  /// The encoded form.
  associatedtype Input

  /// Decodes a value.
  ///
  /// - Throws: The error of the decoder.
  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}

/// Has an identity, although it may be a value.
public protocol CustomCombineIdentifierConvertible {
  /// The identity.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The identity of the object.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

/// The identity of a subscriber or a subscription.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private static let count = Atomic<UInt64>(0)

  private let number: UInt64

  /// Creates a unique identity.
  public init() {
    // Odd numbers, which no object has as its address.
    number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue * 2 + 1
  }

  /// The identity of an object.
  public init(_ object: AnyObject) {
    number = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
  }

  /// The identity as text.
  public var description: String { "0x" + String(number, radix: 16) }
}

#endif
