// The connections of the server: when there are too many, one without a session makes room.

#if Web
import Hummingbird
import NIOCore
import RepriseWeb
import Synchronization

/// The open connections.
///
/// Thread-safe.
final class OpenConnections: Sendable {
  /// The maximum number of connections.
  static let countMax = 128

  private let state = Mutex(ConnectionRoster<any Channel>(countMax: countMax))

  /// Counts a new connection, and closes one if there are too many.
  func opened(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let surplus = state.withLock { $0.opened(id, channel) }
    channel.closeFuture.whenComplete { _ in self.state.withLock { $0.closed(id) } }
    surplus?.close(promise: nil)
  }

  /// Keeps a connection whose client has shown that it may ask.
  func hasSession(_ channel: any Channel) {
    state.withLock { $0.hasSession(ObjectIdentifier(channel)) }
  }
}

/// Counts the connection that it is added to.
final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  // What is read is passed on as it is.
  typealias InboundIn = Never

  private let connections: OpenConnections

  init(_ connections: OpenConnections) { self.connections = connections }

  func handlerAdded(context: ChannelHandlerContext) { connections.opened(context.channel) }
}

/// The context of a request, which knows its connection.
struct ConnectionContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}
#endif
