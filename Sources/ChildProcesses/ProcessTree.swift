// Finds and signals every process that belongs to a child.

import Platform

/// The living processes of a child's tree at one moment.
///
/// They are found by session and process group, by descent, and, if they have detached and were
/// adopted by this process, by the tag in their environment. Orphans without a tag are attributed
/// to the last remaining child.
struct ProcessTree {
  private let members: [ProcessEntry]
  private let leader: Int32
  /// Whether no process can be missing.
  let isWhole: Bool

  /// Whether no process is left.
  var isEmpty: Bool { members.isEmpty }

  /// Creates an empty tree, of a child whose first process has ended.
  init(nothingLeftOf leader: Int32) {
    self.leader = leader
    members = []
    isWhole = true
  }

  /// Finds the tree of a child in a snapshot.
  ///
  /// Linear in the number of its processes and of orphans.
  ///
  /// - Parameters:
  ///   - leader: The first process of the tree.
  ///   - hasEnded: Whether the first process has ended.
  ///   - tag: The environment entries that identify the tree.
  ///   - picture: The snapshot.
  init(of leader: Int32, hasEnded: Bool, tag: Set<String>, in picture: ProcessSnapshot) {
    self.leader = leader
    isWhole = picture.isWhole
    let roots =
      picture.table.tied(to: leader) + [leader] + picture.orphans(of: leader, tag: tag)
    members = picture.table.withDescendants(roots).filter { entry in
      let isAnother = picture.started.contains(entry.pid) && entry.pid != leader
      return !entry.isZombie && !isAnother && !(entry.pid == leader && hasEnded)
    }
  }

  /// The processes outside of the leader's process group.
  var outsiders: [Int32] { members.filter { $0.group != leader }.map(\.pid) }

  /// The maximum number of processes that are reported by name.
  private static let namedMax = 5

  /// The command lines of the first processes, in the order of their ids.
  var commandLines: [String] {
    members.map(\.pid).sorted().prefix(Self.namedMax).map { pid in
      let line = ProcessTable.commandLine(of: pid)
      return line.isEmpty ? "process \(pid)" : line
    }
  }

  /// Sends a signal to every process of the tree.
  func send(_ signal: Int32) {
    // Signal the group first: this is atomic, so no process can escape by forking in the meantime.
    sendSignal(signal, to: -leader)
    for pid in outsiders { sendSignal(signal, to: pid) }
  }
}
