// Waits until something holds that files show: the kernel wakes who waits, and no loop asks.

import Dispatch
import FileWatching
package import Reprise
package import RepriseJournal

/// What changes in a folder, to wait for something that can be seen there.
///
/// One task waits at a time.
package final class FolderChanges: Sendable {
  private let watches: [FolderWatch]
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  /// Watches which runs and watches of a project are live, and can be reached.
  ///
  /// - Parameters:
  ///   - directory: Where the runs are kept.
  ///   - output: A run whose output is watched as well.
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
        // Before the kernel releases the lock of a process that died, it reports that the file was closed.
        case .changed:
          DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { change.yield() }
        // There is no room for a watch, and then only looking shows that a process died.
        case .problem: Self.lookAgainAndAgain(change)
        }
      }
      let logs = try output.map { run throws(FileWatchError) in
        try FolderWatch(
          directory.logFolder(of: run), filter: FileWatchFilter(seesWriting: true)
        ) { event in
          change.yield()
          if case .problem = event { Self.lookAgainAndAgain(change) }
        }
      }
      watches = [live] + (logs.map { [$0] } ?? [])
    } catch {
      throw Problem(error)
    }
  }

  /// Looks every two seconds until the end of the wait.
  private static func lookAgainAndAgain(_ change: AsyncStream<Void>.Continuation) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) {
      if case .terminated = change.yield() { return }
      lookAgainAndAgain(change)
    }
  }

  deinit { change.finish() }

  /// Waits until something in a project's folder of live runs is found.
  ///
  /// Watches the folder only if the first look does not find it.
  ///
  /// - Parameters:
  ///   - directory: The project's state folder.
  ///   - patience: The longest time to wait.
  ///   - find: Looks for it; returns nil until it is there.
  /// - Returns: What was found, or nil if it was not found in time.
  /// - Throws: ``Problem`` if the folder cannot be watched, what `find` throws, or `CancellationError`
  ///   when the task is cancelled.
  package static func first<Value>(
    ofLiveRunsIn directory: StateDirectory, within patience: Duration,
    _ find: () async throws -> Value?
  ) async throws -> Value? {
    if let value = try await find() { return value }
    return try await FolderChanges(ofLiveRunsIn: directory).first(within: patience, find)
  }

  /// Has the waiting task look now.
  package func look() { change.yield() }

  /// Waits until there is something, which is looked for now and after each change.
  ///
  /// - Parameters:
  ///   - patience: How long to wait; without end when nil.
  ///   - find: Looks for it; nil while it is not there.
  /// - Returns: What was found; nil when it was not there in time.
  /// - Throws: What `find` throws; `CancellationError` when the task is cancelled.
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
