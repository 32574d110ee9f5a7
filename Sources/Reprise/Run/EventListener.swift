// `EventListener`: receives the events of a ledger.

/// Receives events, always on the queue of the ledger.
protocol EventListener: AnyObject, Sendable {
  func receive(_ event: Event)
  func finish()
}

/// Passes the events of a ledger to a `RunObserver`.
final class ObservingListener: EventListener {
  private let observer: any RunObserver

  init(_ observer: any RunObserver) {
    self.observer = observer
  }

  func receive(_ event: Event) { observer.receive(event) }

  func finish() {}
}
