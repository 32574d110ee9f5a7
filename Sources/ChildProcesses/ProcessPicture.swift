// What one look at the processes has seen, for all who have to know at about the same time. Knows no
// tree, and no deadlines.

import Platform

/// The processes at one moment, with who of them are children of this process and why.
///
/// One picture serves all trees that are looked for in one turn of the reactor: it is taken after all
/// that is asked about them was known, so it shows each of them what a look of its own would show.
struct ProcessPicture: Sendable {
  /// The processes.
  let table: ProcessTable
  /// The children that this process had started by then and not reaped.
  let started: Set<Int32>
  /// Living children that this process has not started: orphans that came to it.
  private(set) var adopted: [ProcessEntry] = []
  /// Whether nobody can be missing: what ended during the look may have started others behind its back.
  private(set) var isWhole: Bool
  private var environments: [Int32: Set<String>] = [:]

  /// Looks, and reaps the orphans that have ended.
  ///
  /// Linear in the number of processes.
  ///
  /// - Parameter adoptsOrphans: Whether orphans come to this process.
  init(adoptsOrphans: Bool) {
    // Both at once: a child that was started meanwhile would be taken for a stranger, and reaped.
    (table, started) = Reactor.shared.withoutStarts { (ProcessTable.current(), $0) }
    isWhole = !table.isTorn
    guard adoptsOrphans else { return }
    for stranger in table.children(of: processID) where !started.contains(stranger.pid) {
      if stranger.isZombie {
        reapChild(stranger.pid)
        isWhole = false
        continue
      }
      adopted.append(stranger)
      if !started.contains(stranger.session) {
        environments[stranger.pid] = Set(ProcessTable.environment(of: stranger.pid))
      }
    }
  }

  /// The orphans that belong to a child's tree: by their session, by the tag in their environment, or
  /// because there is no other tree.
  func orphans(of leader: Int32, tag: Set<String>) -> [Int32] {
    adopted.filter { orphan in
      if orphan.session == leader { return true }
      guard let environment = environments[orphan.pid] else { return false }
      return !tag.isEmpty && tag.isSubset(of: environment) || started.count == 1
    }.map(\.pid)
  }
}

/// The looks of one turn of the reactor: each is taken at most once, and not before somebody asks.
struct ProcessLooks {
  let adoptsOrphans: Bool
  private(set) var picture: ProcessPicture?
  private var hasAdopted: Bool?
  private var hasStrangers: Bool?

  init(adoptsOrphans: Bool) {
    self.adoptsOrphans = adoptsOrphans
  }

  /// The tree of a child; nil where it is not needed.
  mutating func tree(of child: ChildState) -> ProcessTree? {
    guard child.needsTree else { return nil }
    guard child.status == nil || mayHaveMore(child) else {
      return ProcessTree(nothingLeftOf: child.pid)
    }
    let current = picture ?? ProcessPicture(adoptsOrphans: adoptsOrphans)
    picture = current
    return ProcessTree(
      of: child.pid, hasEnded: child.status != nil, tag: child.tag, in: current)
  }

  /// Whether a tree whose first process has ended can have other processes, as far as a cheap look
  /// tells; false is certain.
  ///
  /// Whoever is left and does not hold a stream has lost its parents and come to us; without orphans
  /// coming here only the table can tell.
  private mutating func mayHaveMore(_ child: ChildState) -> Bool {
    guard adoptsOrphans else { return true }
    if child.isStopped || child.askedGrace != nil {
      let answer = hasStrangers ?? Self.ask(ProcessTable.hasStrangers)
      hasStrangers = answer
      return answer
    }
    if child.hasOpenStream { return true }
    let answer = hasAdopted ?? Self.ask(ProcessTable.hasAdoptedChildren)
    hasAdopted = answer
    return answer
  }

  /// A child that is being started while the question is asked is taken for a stranger, at worst: then the
  /// picture tells.
  private static func ask(_ question: (() -> Set<Int32>) -> Bool) -> Bool {
    question { Reactor.shared.startedChildren }
  }
}
