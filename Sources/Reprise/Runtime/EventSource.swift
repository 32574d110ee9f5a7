// Dispatch sources that may be kept in Sendable values. Knows nothing of what they tell.

package import Dispatch

/// A dispatch source that is under way, until it is cancelled.
// @unchecked: dispatch sources may be used from any thread; Dispatch on Linux does not say so.
package struct EventSource: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Starts a source.
  ///
  /// - Parameters:
  ///   - source: A source that is not activated yet.
  ///   - owner: Kept until the source has ended, such as what closes its descriptor.
  ///   - handler: Called on the queue of the source.
  package init(
    _ source: any DispatchSourceProtocol, holding owner: (any AnyObject & Sendable)? = nil,
    handler: @escaping @Sendable () -> Void
  ) {
    self.source = source
    source.setEventHandler(handler: handler)
    // The system must have forgotten a descriptor before it is closed.
    if let owner { source.setCancelHandler { withExtendedLifetime(owner) {} } }
    source.activate()
  }

  /// Ends it; a call of the handler may still be under way.
  package func cancel() {
    source.cancel()
  }
}
