// Properties and objects that publish their changes.

#if !canImport(Combine)

/// An object that signals before it changes.
public protocol ObservableObject: AnyObject {
  /// The publisher of the signals.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Signals before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Signals before one of the `@Published` properties changes.
  public var objectWillChange: ObservableObjectPublisher {
    let properties = Mirror(reflecting: self).children.compactMap {
      ($0.value as? any PublishedProperty)?.change
    }
    let shared = properties.lazy.compactMap { $0.publisher.withLock { $0 } }.first
    let publisher = shared ?? ObservableObjectPublisher()
    for property in properties { property.publisher.withLock { $0 = publisher } }
    return publisher
  }
}

/// A publisher that only signals.
public final class ObservableObjectPublisher: Publisher, Sendable {
  /// There is no value.
  public typealias Output = Void
  /// It cannot fail.
  public typealias Failure = Never

  private let subject = PassthroughSubject<Void, Never>()

  /// Creates a publisher.
  public init() {}

  /// Signals the subscribers.
  public func send() { subject.send() }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Void, S.Failure == Never {
    subject.subscribe(subscriber)
  }
}

/// The publisher of an object, for one of its properties.
private final class ObjectChange: Sendable {
  let publisher = Locked<ObservableObjectPublisher?>(nil)
}

private protocol PublishedProperty {
  var change: ObjectChange { get }
}

/// A property of a class that publishes each value before it is set.
@propertyWrapper public struct Published<Value>: PublishedProperty {
  fileprivate final class Storage: Sendable {
    let value: Locked<Value>
    let subject: CurrentValueSubject<Value, Never>
    let change = ObjectChange()
    let assignment = Locked<AnyCancellable?>(nil)

    init(_ value: Value) {
      self.value = Locked(value)
      subject = CurrentValueSubject(value)
    }

    func set(_ new: Value) {
      change.publisher.withLock { $0 }?.send()
      subject.send(new)
      _ = value.withLock { value in
        defer { value = new }
        return value
      }
    }
  }

  private let storage: Storage
  fileprivate var change: ObjectChange { storage.change }

  /// Creates a property with a value.
  public init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  /// Creates a property with a value.
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// Publishes the current value, and each new one before it is set.
  public struct Publisher: ReactiveCore.Publisher, Sendable {
    /// A value of the property.
    public typealias Output = Value
    /// It cannot fail.
    public typealias Failure = Never

    fileprivate let storage: Storage

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Value, S.Failure == Never {
      storage.subject.subscribe(subscriber)
    }

    fileprivate func assign(_ publisher: some ReactiveCore.Publisher<Value, Never>) {
      let assignment = publisher.sink { [weak storage] in storage?.set($0) }
      _ = storage.assignment.withLock { old in
        defer { old = assignment }
        return old
      }
    }
  }

  /// The publisher of the values.
  public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    // Only `assign(to:)` sets it, to itself.
    set {}
  }

  /// Only a class can have such a property.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("BUG: a published property of a value") }
    set { fatalError("BUG: a published property of a value") }
  }

  /// The value, as a property of an object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].storage.value.withLock { $0 } }
    set { object[keyPath: storageKeyPath].storage.set(newValue) }
  }
}

extension Publisher where Failure == Never {
  /// Assigns each value to a published property, as long as its object exists.
  public func assign(to published: inout Published<Output>.Publisher) {
    published.assign(self)
  }
}

#endif
