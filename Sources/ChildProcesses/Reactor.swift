// The one thread that serves all children: it reads their output, observes their exits and enforces
// their deadlines. Process-tree handling is in ChildState and ProcessTree.

import Dispatch
import Platform
import Synchronization

/// Serves all children of this process on one thread, so that a child costs no thread.
///
/// There is one reactor per process, because children belong to the process: only one place can
/// reap them and identify adopted ones. Other threads post work to its inbox and wake it.
///
/// The thread is also a task executor (SE-0417). A task with this executor preference continues on
/// the thread that observed the end of its process, so there is no thread switch before the next
/// process is started. Such a task must not block, because it would delay the output, exits
/// and deadlines of all children.
final class Reactor: TaskExecutor {
  static let shared = Reactor()

  typealias Work = @Sendable (ReactorLoop) -> Void

  fileprivate enum Post {
    case work(Work)
    case job(UnownedJob)
  }

  private struct Inbox {
    var posts: [Post] = []
    /// Whether the thread is waiting for events, so that a post must wake it.
    var isAsleep = false
  }

  private let inbox = Mutex(Inbox())
  /// Held while a child is started, so that the child is not mistaken for an orphan.
  private let starting = Mutex(())
  /// The children that have been started and not reaped.
  private let started = Mutex<Set<Int32>>([])
  /// The children that go on when this process ends: no tree owns them.
  private let detached = Mutex<Set<Int32>>([])
  private let wakeUp: PipeEnds

  private init() {
    do {
      wakeUp = try PipeEnds()
    } catch {
      fatalError("Reprise cannot start any process: \(error)")
    }
    setNonblocking(wakeUp.writing)
    let descriptor = wakeUp.reading
    DispatchQueue(label: "reprise.processes").async {
      ReactorLoop(wakeUp: descriptor).run(self)
    }
  }

  /// Runs a closure on the thread of the reactor, soon and in the order of posting.
  func post(_ work: @escaping Work) {
    add(.work(work))
  }

  /// Runs a job of a task that prefers this executor; called by the Swift runtime.
  func enqueue(_ job: consuming ExecutorJob) {
    add(.job(UnownedJob(job)))
  }

  private func add(_ post: Post) {
    let mustWake = inbox.withLock { inbox in
      inbox.posts.append(post)
      defer { inbox.isAsleep = false }
      return inbox.isAsleep
    }
    guard mustWake else { return }
    writeOnce([1], to: wakeUp.writing)
  }

  /// Takes all posts out of the inbox.
  fileprivate func takePosts() -> [Post] {
    inbox.withLock { inbox in
      defer { inbox.posts = [] }
      inbox.isAsleep = false
      return inbox.posts
    }
  }

  /// Makes the next post wake the thread, unless one is already in the inbox.
  ///
  /// - Returns: Whether the inbox is empty.
  fileprivate func fallAsleep() -> Bool {
    inbox.withLock { inbox in
      inbox.isAsleep = inbox.posts.isEmpty
      return inbox.isAsleep
    }
  }

  /// Runs one post, on the thread of the reactor.
  fileprivate func run(_ post: Post, on loop: ReactorLoop) {
    switch post {
    case .work(let work): work(loop)
    case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Starts a child and adds it to the loop.
  func introduce(
    _ start: () throws(SpawnError) -> ChildState
  ) throws(SpawnError) -> ChildProcess {
    let result = starting.withLock { _ -> Result<CarriedState, SpawnError> in
      do throws(SpawnError) {
        let state = try start()
        _ = started.withLock { $0.insert(state.pid) }
        return .success(CarriedState(state: state))
      } catch {
        return .failure(error)
      }
    }
    let carried = try result.get()
    post { $0.add(carried.state) }
    return carried.state.child
  }

  /// Starts a child that goes on when this process ends.
  ///
  /// - Parameter start: Starts it, and returns its process.
  /// - Returns: The process.
  /// - Throws: What `start` throws.
  func introduceDetached(_ start: () throws(Errno) -> Int32) throws(Errno) -> Int32 {
    let result = starting.withLock { _ -> Result<Int32, Errno> in
      do throws(Errno) {
        let process = try start()
        _ = detached.withLock { $0.insert(process) }
        return .success(process)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Reaps a child that goes on when this process ends, if it has ended.
  func reapDetached(_ process: Int32) {
    guard detached.withLock({ $0.contains(process) }), peekExit(process) != nil else { return }
    _ = detached.withLock { $0.remove(process) }
    reapChild(process)
  }

  /// Runs a closure while no child is being started.
  ///
  /// - Parameter body: Receives the children that have been started and not reaped, those included
  ///   that no tree owns.
  /// - Returns: The result of the closure.
  func withoutStarts<Result: Sendable>(_ body: (Set<Int32>) -> Result) -> Result {
    starting.withLock { _ in body(startedChildren.union(detached.withLock { $0 })) }
  }

  /// Runs a closure that ends this process, while no child is being started or reported as ended.
  ///
  /// Children that the closure kills are therefore not reported as failed.
  func withoutStartsAndEnds(_ body: () -> Never) -> Never {
    starting.withLock { _ in started.withLock { _ in body() } }
  }

  /// The children that have been started and not reaped.
  ///
  /// A child that is being started right now may be missing: waiting for it would take long, and
  /// some callers do not need it. See ``withoutStarts(_:)`` for the others.
  var startedChildren: Set<Int32> { started.withLock { $0 } }

  /// All children of which this process knows why they exist.
  var knownChildren: Set<Int32> { startedChildren.union(detached.withLock { $0 }) }

  fileprivate func forget(_ pid: Int32) {
    // Remove the id before reaping: afterwards, the system may reuse it for another child.
    _ = started.withLock { $0.remove(pid) }
    reapChild(pid)
  }

  // @unchecked: created on one thread, and from then on used only on that of the loop.
  private struct CarriedState: @unchecked Sendable {
    let state: ChildState
  }
}

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

  fileprivate init(wakeUp: Int32) {
    self.wakeUp = wakeUp
    poller.watch(wakeUp)
  }

  /// The number of posts that run before children are served again.
  ///
  /// A post that starts a process takes a tenth of a millisecond, and a thread that posts
  /// continuously must not delay reading output.
  private static let postsMax = 32

  fileprivate func run(_ reactor: Reactor) -> Never {
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
    var postsLeft = Self.postsMax
    while true {
      if posts.isEmpty { posts = reactor.takePosts()[...] }
      while postsLeft > 0, let post = posts.popFirst() {
        reactor.run(post, on: self)
        postsLeft -= 1
      }
      checkDueChildren()
      if posts.isEmpty, reactor.fallAsleep() { return true }
      if postsLeft == 0 { return false }
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
