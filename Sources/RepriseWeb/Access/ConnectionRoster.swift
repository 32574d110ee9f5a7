// Which connection is closed when there are too many. Pure.

/// The open connections, in the order in which they were opened.
///
/// Every user of the machine can open connections, so those that have shown the session are never
/// closed for new ones: else the page of its user could be kept out by silence.
package struct ConnectionRoster<Connection> {
  private let countMax: Int
  private var waiting: [(id: ObjectIdentifier, connection: Connection)] = []
  private var trusted: Set<ObjectIdentifier> = []

  /// Creates a roster.
  ///
  /// - Parameter countMax: The maximum number of connections.
  package init(countMax: Int) { self.countMax = countMax }

  /// Adds a connection.
  ///
  /// - Parameters:
  ///   - id: Its identity while it is open.
  ///   - connection: The connection.
  /// - Returns: The connection to close: the longest open one without a session, which is the new
  ///   one if there is no other; nil if there is room.
  package mutating func opened(_ id: ObjectIdentifier, _ connection: Connection) -> Connection? {
    waiting.append((id, connection))
    guard waiting.count + trusted.count > countMax else { return nil }
    return waiting.removeFirst().connection
  }

  /// Notes that a connection has shown the session.
  package mutating func hasSession(_ id: ObjectIdentifier) {
    guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: place)
    trusted.insert(id)
  }

  /// Removes a connection that is closed.
  package mutating func closed(_ id: ObjectIdentifier) {
    trusted.remove(id)
    waiting.removeAll { $0.id == id }
  }
}
