// Finds every process that belongs to a child, and signals them. Knows no deadlines.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The living processes of a child's tree at one moment, besides its first one when that has ended.
///
/// They are found by session and process group, by descent, and, for what has cut those ties and has
/// come back to this process as an orphan, by the tag in their environment. What carries no tag
/// either belongs to the last child that is left.
struct ProcessTree {
  private(set) var members: [ProcessEntry] = []
  private let leader: Int32

  /// Whether nothing is left.
  var isEmpty: Bool { members.isEmpty }

  /// Looks for the tree of a child.
  ///
  /// - Parameters:
  ///   - child: Whose tree.
  ///   - adoptsOrphans: Whether orphans come back to this process.
  ///   - isThorough: Whether to read the process table even when a cheap look finds nothing.
  init(of child: ChildState, adoptsOrphans: Bool, isThorough: Bool) {
    let leader = child.pid
    self.leader = leader
    let hasOpenStream = child.hasOpenStream
    let (first, firstStarted) = Reactor.shared.withoutStarts { started in
      // Whoever is left and does not hold a stream has lost its parents and come to us; without
      // orphans coming here only the table can tell.
      let mayHaveMore =
        isThorough || hasOpenStream || !adoptsOrphans
        || ProcessTable.hasAdoptedChildren(besides: started)
      return (mayHaveMore ? ProcessTable.current() : nil, started)
    }
    guard var table = first else { return }
    var started = firstStarted
    var looks = 1
    while true {
      let isWhole = look(at: table, child, adoptsOrphans, started)
      // A process that ended during the look may have started another behind its back.
      guard !isWhole && isEmpty && looks < Self.looksMax else { return }
      looks += 1
      // Both anew: a child that was started meanwhile would be taken for a stranger, and reaped.
      (table, started) = Reactor.shared.withoutStarts { (ProcessTable.current(), $0) }
    }
  }

  /// How often the table is read when processes end meanwhile.
  private static let looksMax = 50

  /// Finds the members in one picture of the processes.
  ///
  /// - Returns: Whether nobody can be missing from the picture.
  private mutating func look(
    at table: ProcessTable, _ child: ChildState, _ adoptsOrphans: Bool, _ started: Set<Int32>
  ) -> Bool {
    let hasEnded = child.status != nil
    var roots = table.entries.values.filter { $0.session == leader || $0.group == leader }.map(
      \.pid)
    roots.append(leader)
    var isWhole = !table.isTorn
    if adoptsOrphans {
      for stranger in table.children(of: getpid()) where !started.contains(stranger.pid) {
        if stranger.isZombie {
          reap(stranger.pid)
          isWhole = false
        } else if Self.belongs(stranger, to: child, among: started) {
          roots.append(stranger.pid)
        }
      }
    }
    members = table.withDescendants(roots).filter { entry in
      let isAnother = started.contains(entry.pid) && entry.pid != leader
      return !entry.isZombie && !isAnother && !(entry.pid == leader && hasEnded)
    }
    return isWhole
  }

  /// The processes that signals to the group do not reach.
  var outsiders: [Int32] { members.filter { $0.group != leader }.map(\.pid) }

  /// Sends a signal to every process of the tree.
  func send(_ signal: Int32) {
    // The group first: it is signalled as a whole, so that nothing forks its way out meanwhile.
    kill(-leader, signal)
    for pid in outsiders { kill(pid, signal) }
  }

  private static func belongs(
    _ stranger: ProcessEntry, to child: ChildState, among started: Set<Int32>
  ) -> Bool {
    if stranger.session == child.pid { return true }
    if started.contains(stranger.session) { return false }
    let environment = Set(ProcessTable.environment(of: stranger.pid))
    if !child.tag.isEmpty && child.tag.isSubset(of: environment) { return true }
    return started.count == 1
  }
}
