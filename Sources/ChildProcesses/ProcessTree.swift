// Finds and signals every process that belongs to a child.

import Platform

/// The living processes of a child's tree at one moment.
///
/// They are found by session and process group, by descent, and by having been found before: what a
/// stop has found stays in the tree when its parents have ended. Those that have detached and were
/// adopted by this process are found by the tag in their environment, too. Orphans without a tag are
/// attributed to the last remaining child.
struct ProcessTree {
  private let members: [ProcessEntry]
  private let leader: Int32
  /// Whether no process can be missing.
  let isWhole: Bool

  /// The living processes, by their ids, with the times of their starts.
  var found: [Int32: UInt64] {
    Dictionary(members.map { ($0.pid, $0.start) }) { first, _ in first }
  }

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
  ///   - known: What was found before: ``found``.
  ///   - picture: The snapshot.
  init(
    of leader: Int32, hasEnded: Bool, tag: [String], known: [Int32: UInt64],
    in picture: ProcessSnapshot
  ) {
    self.leader = leader
    isWhole = picture.isWhole
    let table = picture.table
    let left = known.filter { table.entries[$0.key]?.start == $0.value }.keys
    let roots = table.tied(to: leader) + [leader] + left + picture.orphans(of: leader, tag: tag)
    members = table.withDescendants(roots).filter { entry in
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
