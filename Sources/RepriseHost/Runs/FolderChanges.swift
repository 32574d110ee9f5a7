// Waits for conditions that depend on files in the state directory, by file events, not polling.

import Dispatch
import FileWatching
package import Reprise
package import RepriseJournal
import Synchronization

/// File events in the folder of live runs, for waiting until a condition holds.
///
/// Only one task may wait at a time.
package final class FolderChanges: Sendable {
  private let live: LiveFolder
  private let listener: Int
  private let logs: FolderWatch?
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  /// Starts watching for runs and watches that start, can be controlled, or end.
  ///
  /// - Parameters:
  ///   - directory: The state directory.
  ///   - output: A run whose output to watch as well.
  /// - Throws: ``Problem``.
  package init(
    ofLiveRunsIn directory: StateDirectory, andOutputOf output: RunID? = nil
  ) throws(Problem) {
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.change) = (changes, change)
    do throws(FileWatchError) {
      logs = try output.map { run throws(FileWatchError) in
        try FolderWatch(
          directory.logFolder(of: run), filter: FileWatchFilter(seesWriting: true)
        ) { event in
          change.yield()
          if case .problem = event { LiveFolder.poll(change) }
        }
      }
      live = try LiveFolder.shared(directory.livePath)
      listener = live.add(change)
    } catch {
      throw Problem(error)
    }
  }

  deinit {
    live.remove(listener)
    change.finish()
  }

  /// Waits until a closure finds a value in the folder of live runs.
  ///
  /// Watches the folder only if the first call returns nil.
  ///
  /// - Parameters:
  ///   - directory: The state directory.
  ///   - patience: The timeout; nil to wait forever.
  ///   - find: Returns the value, or nil to wait for the next change.
  /// - Returns: The value; nil on timeout.
  /// - Throws: ``Problem`` if the folder cannot be watched; the error of `find`;
  ///   `CancellationError` if the task is cancelled.
  package static func first<Value>(
    ofLiveRunsIn directory: StateDirectory, within patience: Duration?,
    _ find: () async throws -> Value?
  ) async throws -> Value? {
    if let value = try await find() { return value }
    return try await FolderChanges(ofLiveRunsIn: directory).first(within: patience, find)
  }

  /// Makes the waiting task check its condition now.
  package func look() { change.yield() }

  /// Waits until a closure returns a value; calls it now and after each change.
  ///
  /// - Parameters:
  ///   - patience: The timeout; nil to wait forever.
  ///   - find: Returns the value, or nil to wait for the next change.
  /// - Returns: The value; nil on timeout.
  /// - Throws: The error of `find`; `CancellationError` if the task is cancelled.
  package func first<Value>(
    within patience: Duration? = nil, _ find: () async throws -> Value?
  ) async throws -> Value? {
    let end = patience.map { ContinuousClock.now.advanced(by: $0) }
    let alarm = patience.map { patience in
      Task { [change] in
        try await SystemClock().sleep(for: patience)
        change.yield()
      }
    }
    defer { alarm?.cancel() }
    var iterator = changes.makeAsyncIterator()
    while true {
      if let value = try await find() { return value }
      if let end, ContinuousClock.now >= end { return nil }
      guard await iterator.next() != nil else { throw CancellationError() }
    }
  }
}

/// The watch of a folder of live runs, which all waits of this process share.
///
/// A system has few watches (128 instances of inotify by default), and each one reads the folder.
private final class LiveFolder: Sendable {
  private struct Known {
    weak var folder: LiveFolder?
  }

  private typealias Change = AsyncStream<Void>.Continuation

  private final class Listeners: Sendable {
    private struct State {
      var next = 0
      var all: [Int: Change] = [:]
      var needPolling = false
    }

    private let state = Mutex(State())

    func add(_ change: Change) -> Int {
      let (number, needsPolling) = state.withLock { state in
        state.next += 1
        state.all[state.next] = change
        return (state.next, state.needPolling)
      }
      if needsPolling { LiveFolder.poll(change) }
      return number
    }

    func remove(_ number: Int) {
      // Released after the lock: the end of a stream runs code of its own.
      _ = state.withLock { $0.all.removeValue(forKey: number) }
    }

    func tell() { for change in state.withLock({ Array($0.all.values) }) { change.yield() } }

    /// Lets all of them poll, and those that are added later.
    func poll() {
      let all = state.withLock { state -> [Change] in
        guard !state.needPolling else { return [] }
        state.needPolling = true
        return Array(state.all.values)
      }
      for change in all { LiveFolder.poll(change) }
    }
  }

  private static let known = Mutex<[String: Known]>([:])

  private let listeners = Listeners()
  private let watch: FolderWatch

  private init(_ path: String) throws(FileWatchError) {
    let locks = FileWatchFilter(wantsFile: { $0.hasSuffix(".lock") })
    watch = try FolderWatch(path, filter: locks) { [listeners] event in
      listeners.tell()
      switch event {
      // When a process dies, the kernel reports the closed file before it releases the lock, so
      // check again a second later.
      case .changed:
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { listeners.tell() }
      // Without file events (out of inotify watches, for example), only polling detects changes.
      case .problem: listeners.poll()
      case .rootChanged: break
      }
    }
  }

  /// Returns the watch of a folder; starts it if there is none.
  static func shared(_ path: String) throws(FileWatchError) -> LiveFolder {
    if let folder = known.withLock({ $0[path]?.folder }) { return folder }
    let folder = try LiveFolder(path)
    return known.withLock { known in
      // Another thread may have been faster.
      if let other = known[path]?.folder { return other }
      known = known.filter { $0.value.folder != nil }
      known[path] = Known(folder: folder)
      return folder
    }
  }

  /// Adds a stream that receives an element after each change.
  ///
  /// - Returns: Its number, for ``remove(_:)``.
  func add(_ change: AsyncStream<Void>.Continuation) -> Int { listeners.add(change) }

  func remove(_ number: Int) { listeners.remove(number) }

  /// Triggers a check every two seconds until the end of the wait.
  static func poll(_ change: AsyncStream<Void>.Continuation) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) {
      if case .terminated = change.yield() { return }
      poll(change)
    }
  }
}
