// `EventSource`: a dispatch source that can be stored in `Sendable` values.

package import Dispatch

/// A dispatch source that is active until it is cancelled.
// @unchecked: dispatch sources are thread-safe, but Dispatch on Linux does not declare it.
package struct EventSource: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Activates a source.
  ///
  /// - Parameters:
  ///   - source: A source that is not active yet.
  ///   - owner: Retained until the source is cancelled, for example the owner of its descriptor.
  ///   - handler: Called on the queue of the source.
  package init(
    _ source: any DispatchSourceProtocol, holding owner: (any AnyObject & Sendable)? = nil,
    handler: @escaping @Sendable () -> Void
  ) {
    self.source = source
    source.setEventHandler(handler: handler)
    // The descriptor must not be closed before the source has released it.
    if let owner { source.setCancelHandler { withExtendedLifetime(owner) {} } }
    source.activate()
  }

  /// Stops calling the handler until ``resume()``.
  package func suspend() { source.suspend() }

  /// Calls the handler again after ``suspend()``.
  package func resume() { source.resume() }

  /// Cancels the source; a call to the handler may still be in progress.
  package func cancel() {
    source.cancel()
  }
}
