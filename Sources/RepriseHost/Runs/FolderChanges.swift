// Waits for conditions that depend on files in the state directory, by file events, not polling.

import Dispatch
import FileWatching
package import Reprise
package import RepriseJournal

/// File events in the folder of live runs, for waiting until a condition holds.
///
/// Only one task may wait at a time.
package final class FolderChanges: Sendable {
  private let watches: [FolderWatch]
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
    let locks = FileWatchFilter(wantsFile: { $0.hasSuffix(".lock") })
    do throws(FileWatchError) {
      let live = try FolderWatch(directory.livePath, filter: locks) { event in
        change.yield()
        switch event {
        // When a process dies, the kernel reports the closed file before it releases the lock, so
        // check again a second later.
        case .changed:
          DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { change.yield() }
        // Without file events (out of inotify watches, for example), only polling detects changes.
        case .problem: Self.poll(change)
        }
      }
      let logs = try output.map { run throws(FileWatchError) in
        try FolderWatch(
          directory.logFolder(of: run), filter: FileWatchFilter(seesWriting: true)
        ) { event in
          change.yield()
          if case .problem = event { Self.poll(change) }
        }
      }
      watches = [live] + (logs.map { [$0] } ?? [])
    } catch {
      throw Problem(error)
    }
  }

  /// Triggers a check every two seconds until the end of the wait.
  private static func poll(_ change: AsyncStream<Void>.Continuation) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) {
      if case .terminated = change.yield() { return }
      poll(change)
    }
  }

  deinit { change.finish() }

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
