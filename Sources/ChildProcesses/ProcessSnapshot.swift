// A snapshot of the processes, shared by all trees that need one at about the same time.

import Platform

/// A snapshot of all processes, with the children of this process classified as started or adopted.
///
/// One snapshot serves all trees that are scanned in one turn of the reactor. It is taken after all
/// requests of that turn are known, so it is as recent as a
/// separate snapshot for each tree would be.
struct ProcessSnapshot: Sendable {
  /// All processes.
  let table: ProcessTable
  /// The children that this process had started and not reaped.
  let started: Set<Int32>
  /// The number of them that have a tree.
  private let treeCount: Int
  /// Living children that this process has not started: adopted orphans, except those of a
  /// ``DetachedHost``.
  private(set) var adopted: [ProcessEntry] = []
  /// Whether the snapshot is complete.
  ///
  /// If a process ended while it was taken, others that this process had started may be missing.
  private(set) var isWhole: Bool
  /// Whether an orphan is ending, so that it cannot be seen any more to which tree it belongs.
  private(set) var hasEnding = false
  private var environments: [Int32: Set<String>] = [:]

  /// Takes a snapshot, and reaps orphans that have ended.
  ///
  /// Linear in the number of processes.
  ///
  /// - Parameter adoptsOrphans: Whether this process adopts orphans.
  init(adoptsOrphans: Bool) {
    // Read both atomically: a child started in between would be mistaken for an orphan and reaped.
    (table, started) = Reactor.shared.withoutStarts { (ProcessTable.current(), $0) }
    isWhole = !table.isIncomplete
    treeCount = Reactor.shared.startedChildren.intersection(started).count
    guard adoptsOrphans else { return }
    for stranger in table.children(of: processID) where !started.contains(stranger.pid) {
      if stranger.isZombie {
        reapChild(stranger.pid)
        isWhole = false
        continue
      }
      if !started.contains(stranger.session) {
        let environment = Set(ProcessTable.environment(of: stranger.pid))
        // Such as the monitor of a program in a kept container: it guards its own processes.
        if DetachedHost.isSpared(startedWith: environment) { continue }
        environments[stranger.pid] = environment
        if environment.isEmpty, ProcessTable.isEnding(stranger.pid) { hasEnding = true }
      }
      adopted.append(stranger)
    }
  }

  /// Returns the orphans that belong to a child's tree: by their session, by the tag in their
  /// environment, or because there is no other tree.
  func orphans(of leader: Int32, tag: [String]) -> [Int32] {
    adopted.filter { orphan in
      if orphan.session == leader { return true }
      guard let environment = environments[orphan.pid] else { return false }
      return !tag.isEmpty && tag.allSatisfy(environment.contains) || treeCount == 1
    }.map(\.pid)
  }
}

/// The scans of one turn of the reactor; each is done lazily and at most once.
struct ProcessScans {
  let adoptsOrphans: Bool
  private(set) var picture: ProcessSnapshot?
  private var hasAdopted: Bool?
  private var hasUnknownChildren: Bool?

  init(adoptsOrphans: Bool) {
    self.adoptsOrphans = adoptsOrphans
  }

  /// Returns whether what is left of a tree may end within milliseconds, so that its scan, which
  /// takes as long, can wait.
  mutating func mayBeEnding(_ child: ChildState) -> Bool {
    adoptsOrphans && child.hasJustEnded && mayHaveMore(child)
  }

  /// Returns the tree of a child; nil if it is not needed.
  mutating func tree(of child: ChildState) -> ProcessTree? {
    guard child.needsTree else { return nil }
    guard child.status == nil || mayHaveMore(child) else {
      return ProcessTree(nothingLeftOf: child.pid)
    }
    let current = picture ?? ProcessSnapshot(adoptsOrphans: adoptsOrphans)
    picture = current
    return ProcessTree(
      of: child.pid, hasEnded: child.status != nil, tag: child.tag, known: child.found,
      in: current)
  }

  /// Checks cheaply whether a tree whose first process has ended may have other processes.
  ///
  /// False is reliable; true may be wrong.
  ///
  /// A remaining process that does not hold a stream has lost its parents and was adopted by this
  /// process. If this process does not adopt orphans, only the process table shows them.
  private mutating func mayHaveMore(_ child: ChildState) -> Bool {
    guard adoptsOrphans else { return true }
    if child.isStopped || child.requestedGrace != nil {
      let answer = hasUnknownChildren ?? Self.ask(ProcessTable.hasUnknownChildren)
      hasUnknownChildren = answer
      return answer
    }
    if child.hasOpenStream { return true }
    let answer =
      hasAdopted
      ?? (Self.ask(ProcessTable.hasAdoptedChildren) && WatchedOrphans.areLeft())
    hasAdopted = answer
    return answer
  }

  /// Runs a check for children that were not started here.
  ///
  /// A child that is being started during the check may be counted wrongly; the snapshot then
  /// decides.
  private static func ask(_ question: (() -> Set<Int32>) -> Bool) -> Bool {
    question { Reactor.shared.knownChildren }
  }
}
