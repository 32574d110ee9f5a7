// Cancellation by releasing a reference.

#if !canImport(Combine)

/// Cancels when it is cancelled or released.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
  private let action: Locked<(() -> Void)?>

  /// Calls a closure when it is cancelled or released, once.
  @preconcurrency public init(_ cancel: @escaping @Sendable () -> Void) {
    action = Locked(cancel)
  }

  /// Cancels something when it is cancelled or released.
  public init<C: Cancellable>(_ canceller: C) {
    action = Locked { canceller.cancel() }
  }

  deinit { cancel() }

  /// Cancels, if that has not happened yet.
  public func cancel() { action.withLock { $0.take() }?() }

  /// Whether two references are to the same object.
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Cancellable {
  /// Keeps it in a collection, until the collection is released.
  public func store<C: RangeReplaceableCollection>(in collection: inout C)
  where C.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }

  /// Keeps it in a set, until the set is released.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }
}

extension AnyCancellable {
  /// Keeps it in a collection, until the collection is released.
  public func store<C: RangeReplaceableCollection>(in collection: inout C)
  where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Keeps it in a set, until the set is released.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }
}

#endif
