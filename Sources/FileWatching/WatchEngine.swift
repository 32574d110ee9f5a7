// Runs the watching on a queue of its own, from the start to the end. Knows neither files nor how the
// system tells of them.

import Dispatch
import Platform
import Synchronization

/// What a watcher asks of whoever runs it.
///
/// Used on the queue of the watch.
protocol WatcherHost: AnyObject {
  /// Whether all work is in vain.
  var isStopped: Bool { get }

  /// Tells the subscriber.
  func tell(_ event: FileWatchEvent)

  /// Calls `readEvents` when a descriptor has something to read, and closes it in the end.
  func readWhenReady(_ descriptor: Int32)
}

/// What a system does to watch a tree.
///
/// Used on the queue of the watch.
protocol SystemWatcher: AnyObject {
  /// Begins: from now on nothing is missed.
  func start() throws(FileWatchError)
  /// Deals with all that has happened so far.
  func readEvents()
  /// When to call ``lookAgain()``; nil for never.
  var looksAgainAfter: Duration? { get }
  /// Looks at what the system does not tell about.
  func lookAgain()
  /// Gives back what the system has lent, apart from descriptors.
  func stop()
  /// How many folders have a watch.
  var watchedFolders: Int { get }
}

extension SystemWatcher {
  func stop() {}
}

/// The life of one watch.
final class WatchEngine: WatcherHost, Sendable {
  /// Makes what watches a tree.
  typealias MakeWatcher =
    @Sendable (_ path: String, FileWatchFilter, WatchEngine) ->
    any SystemWatcher

  /// What the queue alone uses.
  // @unchecked: only touched on the queue of its engine; `onQueue` and the handlers see to it.
  private final class Confined: @unchecked Sendable {
    var watcher: (any SystemWatcher)?
    var source: (any DispatchSourceRead)?
    var isStarting = true
    var willLookAgain = false
  }

  /// Where everything happens.
  let queue = DispatchQueue(label: "reprise.files")
  private let onEvent: @Sendable (FileWatchEvent) -> Void
  private let confined = Confined()
  private let stopped = Atomic(false)
  private let watchedCount = Atomic(0)
  /// Entered as long as there is a descriptor.
  private let descriptors = DispatchGroup()

  private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Makes an engine that stands still.
  init(_ onEvent: @escaping @Sendable (FileWatchEvent) -> Void) {
    self.onEvent = onEvent
    queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
  }

  /// Begins to watch.
  ///
  /// - Throws: ``FileWatchError`` when nothing can be watched.
  func start(
    _ root: String, filter: FileWatchFilter, _ makeWatcher: @escaping MakeWatcher = systemWatcher
  ) throws(FileWatchError) {
    let path = try RootPath.absolute(root)
    let result = queue.sync { () -> Result<Void, FileWatchError> in
      let watcher = makeWatcher(path, filter, self)
      confined.watcher = watcher
      do throws(FileWatchError) {
        try watcher.start()
      } catch {
        return .failure(error)
      }
      confined.isStarting = false
      workDone(watcher)
      return .success(())
    }
    if case .failure(let error) = result {
      cancel()
      throw error
    }
  }

  /// How many folders have a watch.
  var watchedFolders: Int { watchedCount.load(ordering: .relaxed) }

  /// Ends everything; see ``FolderWatch/cancel()``.
  func cancel() {
    stopped.store(true, ordering: .sequentiallyConsistent)
    if DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) {
      finish()
    } else {
      queue.sync { finish() }
      // Until its descriptor is closed a watch counts against the limits of the system.
      descriptors.wait()
    }
  }

  private func finish() {
    confined.watcher?.stop()
    confined.watcher = nil
    confined.source?.cancel()
    confined.source = nil
    watchedCount.store(0, ordering: .relaxed)
  }

  // MARK: On the queue

  var isStopped: Bool { stopped.load(ordering: .sequentiallyConsistent) }

  func tell(_ event: FileWatchEvent) {
    if confined.isStarting {
      // Nobody is called by the thread that makes the watch.
      queue.async { self.tell(event) }
    } else if !isStopped {
      onEvent(event)
    }
  }

  func readWhenReady(_ descriptor: Int32) {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    descriptors.enter()
    source.setEventHandler { self.work { $0.readEvents() } }
    source.setCancelHandler { [descriptors] in
      closeDescriptor(descriptor)
      descriptors.leave()
    }
    confined.source = source
    source.activate()
  }

  /// Does something with the watcher, on the queue.
  func work(_ body: (any SystemWatcher) -> Void) {
    guard !isStopped, let watcher = confined.watcher else { return }
    body(watcher)
    workDone(watcher)
  }

  private func workDone(_ watcher: any SystemWatcher) {
    guard !isStopped else { return }
    watchedCount.store(watcher.watchedFolders, ordering: .relaxed)
    guard !confined.willLookAgain, let delay = watcher.looksAgainAfter else { return }
    confined.willLookAgain = true
    let (seconds, attoseconds) = delay.components
    let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self else { return }
      confined.willLookAgain = false
      work { $0.lookAgain() }
    }
  }
}
