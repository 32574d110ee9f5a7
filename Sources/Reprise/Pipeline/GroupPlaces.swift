// `GroupPlaces`: the places of pools that the groups of a run hold from their first step to their last.

import Synchronization
import Workflows

/// The places of pools that groups hold.
///
/// The first step of a group takes them; other steps whose turn comes before that wait for it. ``Slots``
/// decides how long the group keeps them. Thread-safe.
final class GroupPlaces: Sendable {
  private enum Entry {
    /// A step takes them; these wait for it.
    case beingTaken([Ticket<Void>])
    case held(PoolPlaces.Lease)
  }

  private enum Turn {
    case take
    case wait(Ticket<Void>)
    case held(PoolPlaces.Lease)
  }

  private let entries = Mutex<[GroupIndex: Entry]>([:])

  /// Returns the places of a group, and takes them if it has none.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - take: Takes them.
  ///   - onWait: Called if another step takes them.
  /// - Returns: The places; nil if the task was cancelled.
  /// - Throws: What `take` throws.
  func places(
    of group: GroupIndex, take: () async throws -> PoolPlaces.Lease, onWait: () -> Void
  ) async throws -> PoolPlaces.Lease? {
    while true {
      let turn = entries.withLock { entries -> Turn in
        switch entries[group] {
        case nil:
          entries[group] = .beingTaken([])
          return .take
        case .beingTaken(let tickets):
          let ticket = Ticket<Void>()
          entries[group] = .beingTaken(tickets + [ticket])
          return .wait(ticket)
        case .held(let lease): return .held(lease)
        }
      }
      switch turn {
      case .held(let lease): return lease
      case .wait(let ticket):
        onWait()
        guard await ticket.value() != nil else { return nil }
      case .take:
        var lease: PoolPlaces.Lease?
        defer { end(group, lease) }
        lease = try await take()
        return lease
      }
    }
  }

  /// Ends the taking of places: with them, or in vain, so that the next step takes them.
  private func end(_ group: GroupIndex, _ lease: PoolPlaces.Lease?) {
    let tickets = entries.withLock { entries -> [Ticket<Void>] in
      guard case .beingTaken(let tickets)? = entries[group] else { return [] }
      entries[group] = lease.map(Entry.held)
      return tickets
    }
    for ticket in tickets { ticket.answer(()) }
  }

  /// Gives back the places of a group that is over, if it has any.
  func release(_ group: GroupIndex) {
    let lease = entries.withLock { entries -> PoolPlaces.Lease? in
      guard case .held(let lease)? = entries[group] else { return nil }
      entries[group] = nil
      return lease
    }
    lease?.release()
  }
}
