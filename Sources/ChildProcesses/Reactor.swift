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

  enum Post {
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
  func takePosts() -> [Post] {
    inbox.withLock { inbox in
      defer { inbox.posts = [] }
      inbox.isAsleep = false
      return inbox.posts
    }
  }

  /// Makes the next post wake the thread, unless one is already in the inbox.
  ///
  /// - Returns: Whether the inbox is empty.
  func fallAsleep() -> Bool {
    inbox.withLock { inbox in
      inbox.isAsleep = inbox.posts.isEmpty
      return inbox.isAsleep
    }
  }

  /// Runs one post, on the thread of the reactor.
  func run(_ post: Post, on loop: ReactorLoop) {
    switch post {
    case .work(let work): work(loop)
    case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Starts a child and adds it to the loop.
  func introduce(
    _ start: @escaping @Sendable () throws(SpawnError) -> ChildState
  ) async throws(SpawnError) -> ChildProcess {
    try await onOwnThread { [self] loop throws(SpawnError) in
      let state = try start()
      _ = started.withLock { $0.insert(state.pid) }
      loop.add(state)
      return state.child
    }
  }

  /// Starts a child that goes on when this process ends.
  ///
  /// - Returns: The process.
  func introduceDetached(
    _ start: @escaping @Sendable () throws(Errno) -> Int32
  ) async throws(Errno) -> Int32 {
    try await onOwnThread { [self] _ throws(Errno) in
      let process = try start()
      _ = detached.withLock { $0.insert(process) }
      return process
    }
  }

  /// Starts something on the thread of the reactor, which ends with this process.
  ///
  /// Linux sends a parent-death signal (`PR_SET_PDEATHSIG`) when the *thread* that has started a
  /// process ends. Threads of pools end when they are idle for some seconds.
  private func onOwnThread<Value: Sendable, Failure: Error>(
    _ start: @escaping @Sendable (ReactorLoop) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { continuation in
      post { [self] loop in
        let result = starting.withLock { _ in Result { () throws(Failure) in try start(loop) } }
        showHandOver()
        continuation.resume(returning: result)
      }
    }
    showHandOver()
    return try result.get()
  }

  /// Shows ThreadSanitizer, on both threads, that a value was handed over.
  ///
  /// It does not see the synchronization of a continuation that is resumed before its task suspends.
  private func showHandOver() { inbox.withLock { _ in } }

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

  func forget(_ pid: Int32) {
    // Remove the id before reaping: afterwards, the system may reuse it for another child.
    _ = started.withLock { $0.remove(pid) }
    reapChild(pid)
  }
}
