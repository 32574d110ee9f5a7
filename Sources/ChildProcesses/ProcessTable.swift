// A snapshot of the process table.

/// A process in the process table.
struct ProcessEntry: Sendable {
  let pid: Int32
  let parent: Int32
  let group: Int32
  let session: Int32
  let isZombie: Bool
  /// When it was started, in a unit of the system: tells two processes with the same id apart.
  let start: UInt64
}

/// A snapshot of all processes, indexed by parent, session and group.
struct ProcessTable: Sendable {
  let entries: [Int32: ProcessEntry]
  /// Whether processes ended while the table was read, so that their latest children may be
  /// missing.
  let isIncomplete: Bool
  private let childrenOf: [Int32: [Int32]]
  private let tiedTo: [Int32: [Int32]]

  init(_ list: [ProcessEntry], isIncomplete: Bool = false) {
    self.isIncomplete = isIncomplete
    entries = Dictionary(list.map { ($0.pid, $0) }) { first, _ in first }
    childrenOf = Dictionary(grouping: list, by: \.parent).mapValues { $0.map(\.pid) }
    var tiedTo: [Int32: [Int32]] = [:]
    for entry in list {
      tiedTo[entry.session, default: []].append(entry.pid)
      if entry.group != entry.session { tiedTo[entry.group, default: []].append(entry.pid) }
    }
    self.tiedTo = tiedTo
  }

  /// Returns the processes in the session or process group of a leader.
  func tied(to leader: Int32) -> [Int32] { tiedTo[leader] ?? [] }

  /// Returns the direct children of a process.
  func children(of pid: Int32) -> [ProcessEntry] {
    (childrenOf[pid] ?? []).compactMap { entries[$0] }
  }

  /// Returns processes with all of their descendants.
  func withDescendants(_ roots: some Sequence<Int32>) -> [ProcessEntry] {
    var found: [ProcessEntry] = []
    var seen: Set<Int32> = []
    var waiting = Array(roots)
    while let pid = waiting.popLast() {
      guard seen.insert(pid).inserted else { continue }
      if let entry = entries[pid] { found.append(entry) }
      waiting += childrenOf[pid] ?? []
    }
    return found
  }
}
