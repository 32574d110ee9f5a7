// Runs a watch on its own queue, from start to end.

import Dispatch
import Platform
import Synchronization

/// The services that a watcher needs.
///
/// Used on the queue of the watch.
protocol WatcherHost: AnyObject {
  /// Whether the watch was cancelled, so that no more work is needed.
  var isStopped: Bool { get }

  /// Reports an event to the subscriber.
  func report(_ event: FileWatchEvent)

  /// Calls `readEvents` whenever a descriptor is readable, and closes it at the end.
  func readWhenReady(_ descriptor: Int32)
}

/// A system-specific watcher of a tree.
///
/// Used on the queue of the watch.
protocol SystemWatcher: AnyObject {
  /// Starts watching; from then on, no change is missed.
  func start() throws(FileWatchError)
  /// Handles all pending events.
  func readEvents()
  /// The delay before ``lookAgain()`` must be called; nil for never.
  var pollDelay: Duration? { get }
  /// Checks what the system does not report.
  func lookAgain()
  /// Releases system resources, except descriptors.
  func stop()
  /// The number of watched folders.
  var watchedFolders: Int { get }
}

extension SystemWatcher {
  func stop() {}
}

/// The lifecycle of one watch.
final class WatchEngine: WatcherHost, Sendable {
  /// Creates the watcher of a tree.
  typealias MakeWatcher =
    @Sendable (_ path: String, FileWatchFilter, WatchEngine) ->
    any SystemWatcher

  /// The state that is confined to the queue.
  // @unchecked: only accessed on the queue of its engine; `start`, `cancel` and the handlers
  // ensure that.
  private final class Confined: @unchecked Sendable {
    var watcher: (any SystemWatcher)?
    var source: (any DispatchSourceRead)?
    var isStarting = true
    var willLookAgain = false
  }

  /// The serial queue on which the watcher is used and events are reported.
  let queue = DispatchQueue(label: "reprise.files")
  private let onEvent: @Sendable (FileWatchEvent) -> Void
  private let confined = Confined()
  private let stopped = Atomic(false)
  private let watchedCount = Atomic(0)
  /// Entered while a descriptor is open.
  private let descriptors = DispatchGroup()

  private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Creates an engine that has not started.
  init(_ onEvent: @escaping @Sendable (FileWatchEvent) -> Void) {
    self.onEvent = onEvent
    queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
  }

  /// Starts watching.
  ///
  /// - Throws: ``FileWatchError`` if nothing can be watched.
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

  /// The number of watched folders.
  var watchedFolders: Int { watchedCount.load(ordering: .relaxed) }

  /// Stops the watch; see ``FolderWatch/cancel()``.
  func cancel() {
    stopped.store(true, ordering: .sequentiallyConsistent)
    if DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) {
      finish()
    } else {
      queue.sync { finish() }
      // Wait until the descriptor is closed: until then, its watches count against the system's
      // limits.
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

  func report(_ event: FileWatchEvent) {
    if confined.isStarting {
      // The subscriber must not be called on the thread that creates the watch.
      queue.async { self.report(event) }
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

  /// Calls a closure with the watcher, on the queue.
  func work(_ body: (any SystemWatcher) -> Void) {
    guard !isStopped, let watcher = confined.watcher else { return }
    body(watcher)
    workDone(watcher)
  }

  private func workDone(_ watcher: any SystemWatcher) {
    guard !isStopped else { return }
    watchedCount.store(watcher.watchedFolders, ordering: .relaxed)
    guard !confined.willLookAgain, let delay = watcher.pollDelay else { return }
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
