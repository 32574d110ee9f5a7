// Finds every process that belongs to a child, and signals them. Knows no deadlines.

import Platform

/// The living processes of a child's tree at one moment, besides its first one when that has ended.
///
/// They are found by session and process group, by descent, and, for what has cut those ties and has
/// come back to this process as an orphan, by the tag in their environment. What carries no tag
/// either belongs to the last child that is left.
struct ProcessTree {
  private let members: [ProcessEntry]
  private let leader: Int32
  /// Whether nobody can be missing.
  let isWhole: Bool

  /// Whether nothing is left.
  var isEmpty: Bool { members.isEmpty }

  /// The tree of a child whose first process has ended and that has no others.
  init(nothingLeftOf leader: Int32) {
    self.leader = leader
    members = []
    isWhole = true
  }

  /// Finds the tree of a child in a picture of the processes.
  ///
  /// Linear in the number of its processes and of orphans.
  ///
  /// - Parameters:
  ///   - leader: Its first process.
  ///   - hasEnded: Whether that has ended.
  ///   - tag: What identifies its tree.
  ///   - picture: Where to look.
  init(of leader: Int32, hasEnded: Bool, tag: Set<String>, in picture: ProcessPicture) {
    self.leader = leader
    isWhole = picture.isWhole
    let roots =
      picture.table.tied(to: leader) + [leader] + picture.orphans(of: leader, tag: tag)
    members = picture.table.withDescendants(roots).filter { entry in
      let isAnother = picture.started.contains(entry.pid) && entry.pid != leader
      return !entry.isZombie && !isAnother && !(entry.pid == leader && hasEnded)
    }
  }

  /// The processes that signals to the group do not reach.
  var outsiders: [Int32] { members.filter { $0.group != leader }.map(\.pid) }

  /// Sends a signal to every process of the tree.
  func send(_ signal: Int32) {
    // The group first: it is signalled as a whole, so that nothing forks its way out meanwhile.
    sendSignal(signal, to: -leader)
    for pid in outsiders { sendSignal(signal, to: pid) }
  }
}
