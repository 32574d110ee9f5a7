// Which connection is closed when there are too many.

import Testing

@testable import RepriseWeb

struct ConnectionRosterTests {
  private final class Connection {}

  private let connections = (0..<8).map { _ in Connection() }

  private func name(_ number: Int) -> ObjectIdentifier { ObjectIdentifier(connections[number]) }

  @Test func `connections without a session make room for others`() {
    var roster = ConnectionRoster<Int>(countMax: 3)
    for number in 0..<3 { #expect(roster.opened(name(number), number) == nil) }
    roster.hasSession(name(0))
    // The longest open one without a session.
    #expect(roster.opened(name(3), 3) == 1)
    #expect(roster.opened(name(4), 4) == 2)
    roster.hasSession(name(3))
    roster.hasSession(name(4))
    // All others have shown the session.
    #expect(roster.opened(name(5), 5) == 5)
    roster.closed(name(0))
    #expect(roster.opened(name(6), 6) == nil)
    #expect(roster.opened(name(7), 7) == 6)
  }

  @Test func `a connection that was closed for others does not come back`() {
    var roster = ConnectionRoster<Int>(countMax: 1)
    #expect(roster.opened(name(0), 0) == nil)
    #expect(roster.opened(name(1), 1) == 0)
    roster.hasSession(name(0))
    roster.closed(name(0))
    #expect(roster.opened(name(2), 2) == 1)
  }
}
