// `ReactorLoop`: what the thread of the reactor does, one event after another.

import Dispatch
import Platform
import Synchronization

/// The event loop of the reactor.
///
/// Used only on the reactor's thread.
final class ReactorLoop {
  private var poller = Poller()
  private let wakeUp: Int32
  private var children: [Int32: ChildState] = [:]
  private var owners: [Int32: Int32] = [:]
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  /// The posts that were taken out of the inbox and have not run yet.
  private var posts: ArraySlice<Reactor.Post> = []
  private(set) var adoptsOrphans = false
  private var orphans = WatchedOrphans()
  /// The number of process snapshots that have been taken.
  private(set) var snapshotCount = 0

  init(wakeUp: Int32) {
    self.wakeUp = wakeUp
    poller.watch(wakeUp)
  }

  /// The time that posts may take before children are served again.
  ///
  /// A thread that posts continuously must not delay reading output. A limit of their number would
  /// cost a scan of all processes for each few of a thousand processes that are stopped.
  private static let postsTimeMax = Duration.milliseconds(3)

  func run(_ reactor: Reactor) -> Never {
    while true {
      let isIdle = runPosts(of: reactor)
      let (descriptors, processes) = poller.wait(
        milliseconds: isIdle ? millisecondsToNextDeadline() : 0)
      for descriptor in descriptors where descriptor != wakeUp { readOutput(descriptor) }
      if descriptors.contains(wakeUp) {
        while readBytes(wakeUp, into: &buffer) == buffer.count {}
      }
      for pid in processes { processEnded(pid) }
      if adoptsOrphans, !children.isEmpty { orphans.reap() }
    }
  }

  /// Runs posts and due checks, until there are none or the limit is reached.
  ///
  /// - Returns: Whether nothing is left, so that the next post wakes the thread.
  private func runPosts(of reactor: Reactor) -> Bool {
    let end = ContinuousClock.now + Self.postsTimeMax
    while true {
      if posts.isEmpty { posts = reactor.takePosts()[...] }
      var hasTime = true
      while hasTime, let post = posts.popFirst() {
        reactor.run(post, on: self)
        hasTime = ContinuousClock.now < end
      }
      checkDueChildren()
      if posts.isEmpty, reactor.fallAsleep() { return true }
      if !hasTime { return false }
    }
  }

  private func millisecondsToNextDeadline() -> Int? {
    let next = children.values.compactMap(\.wakesAt).min().map { deadline in
      let (seconds, attoseconds) = (deadline - .now).components
      return max(0, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000) + 1)
    }
    guard adoptsOrphans, !children.isEmpty else { return next }
    return min(next ?? WatchedOrphans.interval, WatchedOrphans.interval)
  }

  func add(_ child: ChildState) {
    // The id may have been that of an orphan whose end has not been handled yet.
    _ = orphans.ended(child.pid, &poller)
    children[child.pid] = child
    for stream in child.streams {
      owners[stream.descriptor] = child.pid
      poller.watch(stream.descriptor)
    }
    if !poller.watch(process: child.pid) {
      // Out of descriptors: poll the process instead.
      child.isPolled = true
      child.wake(after: .milliseconds(5))
    }
  }

  func adoptOrphans() {
    adoptsOrphans = adoptOrphansOfThisProcess()
  }

  func terminate(_ pid: Int32, grace: Duration, signal: Int32 = SignalNumber.terminate) {
    guard let child = children[pid] else { return }
    child.ask(grace: grace, signal: signal)
    child.wake(after: .zero)
  }

  func resumeOutput(_ pid: Int32) {
    guard let child = children[pid], child.isPaused else { return }
    child.isPaused = false
    for stream in child.streams where stream.isOpen { poller.watch(stream.descriptor) }
    // The pause may have been the only reason why the child was not finished.
    child.wakeIfEnded()
  }

  // MARK: Events

  private func readOutput(_ descriptor: Int32) {
    guard let pid = owners[descriptor], let child = children[pid],
      let position = child.streams.firstIndex(where: { $0.descriptor == descriptor })
    else { return }
    switch child.read(position, into: &buffer) {
    case .more:
      break
    case .pause:
      pause(child)
    case .end:
      closeStream(position, of: child)
      child.wakeIfEnded()
    }
  }

  private func pause(_ child: ChildState) {
    guard !child.isPaused else { return }
    child.isPaused = true
    for stream in child.streams where stream.isOpen { poller.unwatch(stream.descriptor) }
    child.child.resumeWhenThereIsRoom()
  }

  private func closeStream(_ position: Int, of child: ChildState) {
    let descriptor = child.streams[position].descriptor
    guard child.streams[position].isOpen else { return }
    poller.unwatch(descriptor)
    owners[descriptor] = nil
    child.endStream(position)
    closeDescriptor(descriptor)
  }

  private func processEnded(_ pid: Int32) {
    if orphans.ended(pid, &poller) { for child in children.values { child.wakeIfEnded() } }
    guard let child = children[pid], child.status == nil, let status = peekExit(pid) else { return }
    poller.unwatch(process: pid)
    child.ended(with: status)
    // All of its output is available now, and so are the ends of its streams, unless another
    // process holds them.
    for position in child.streams.indices where child.streams[position].isOpen && !child.isPaused {
      if child.drain(position, into: &buffer) { closeStream(position, of: child) }
    }
    child.wake(after: .zero)
  }

  // MARK: The end of a tree

  /// The maximum number of scans in one turn, if processes end while the table is read.
  private static let scansMax = 50

  /// Checks whether the trees that are due are gone, and takes the due actions if not.
  ///
  /// All events of this turn have been handled, so one scan serves all trees.
  private func checkDueChildren() {
    let now = ContinuousClock.now
    var due = children.values.filter { $0.wakesAt.map { $0 <= now } ?? false }
    guard !due.isEmpty else { return }
    for child in due where child.isPolled && child.status == nil { processEnded(child.pid) }
    if mayDelayScans(due, now) {
      for child in due { child.wakesAt = child.scanMayWaitUntil(now) }
      return
    }
    due += children.values.filter { child in
      child.wakesAt.map { $0 > now } ?? false && child.scanMayWaitUntil(now) != nil
    }
    var finished: [ChildState] = []
    var scansLeft = Self.scansMax
    while !due.isEmpty {
      scansLeft -= 1
      var scans = ProcessScans(adoptsOrphans: adoptsOrphans)
      due = due.filter { child in
        if scans.mayBeEnding(child) {
          child.wake(after: orphans.timeToWait(watchedBy: &poller))
          return false
        }
        let tree = scans.tree(of: child)
        // A process that ended during the scan may have started another one that was missed.
        if let tree, tree.isEmpty && !tree.isWhole && scansLeft > 0 { return true }
        if let tree, tree.isEmpty, scans.picture?.hasEnding == true, child.mayWaitForOrphans {
          child.wake(after: .milliseconds(1))
          return false
        }
        child.wakesAt = nil
        switch child.next(tree: tree) {
        case .wait(let time): if let time { child.wake(after: time) }
        case .finish: finished.append(child)
        }
        return false
      }
      if scans.picture != nil { snapshotCount += 1 }
    }
    // Last, so that signals to the processes that were found are not delayed.
    for child in finished { finish(child) }
  }

  /// Returns whether the due scans may be delayed until other stopped processes have ended, so that
  /// one scan serves more trees.
  private func mayDelayScans(_ due: [ChildState], _ now: ContinuousClock.Instant) -> Bool {
    !adoptsOrphans && due.allSatisfy { $0.scanMayWaitUntil(now) != nil }
      && children.values.contains { $0.isStopped && $0.status == nil }
  }

  private func finish(_ child: ChildState) {
    guard let status = child.status else {
      preconditionFailure("BUG: the tree of \(child.pid) is gone but not its first process")
    }
    for position in child.streams.indices where child.streams[position].isOpen {
      _ = child.drain(position, into: &buffer)
      closeStream(position, of: child)
    }
    child.channel?.remove()
    children[child.pid] = nil
    Reactor.shared.forget(child.pid)
    child.child.finish(status)
  }
}
